//! Whether the process that a data folder names is still the one that it was.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// A process, in a way that survives the reuse of its pid where the system tells a start time
/// (Linux).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Process {
    pub pid: u32,
    /// Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. `None` where it is not known.
    #[serde(default)]
    pub start_time: Option<u64>,
}

impl Process {
    /// The process that has this pid now.
    pub fn now(pid: u32) -> Self {
        Self { pid, start_time: stat(pid).map(|(_, start_time)| start_time) }
    }

    /// Whether it is still running. A zombie is not: it holds no file any more, and in a container
    /// it may stay for ever.
    pub fn is_alive(self) -> bool {
        match stat(self.pid) {
            Some((state, start_time)) => {
                let same = self.start_time.is_none_or(|then| then == start_time);
                same && !matches!(state, 'Z' | 'X')
            }
            None => self.raw().is_some_and(|pid| {
                // EPERM: somebody else's process, which is alive.
                !matches!(test_kill_process(pid), Err(Errno::SRCH))
            }),
        }
    }

    /// Whether an argument of its command line has `name` as a component of a path; `None` where
    /// the system does not show it.
    pub fn names(self, name: &OsStr) -> Option<bool> {
        use std::os::unix::ffi::OsStrExt;

        let arguments = fs::read(format!("/proc/{}/cmdline", self.pid)).ok()?;
        let named = |argument: &[u8]| {
            let mut components = Path::new(OsStr::from_bytes(argument)).components();
            components.any(|component| component.as_os_str() == name)
        };
        Some(arguments.split(|&byte| byte == 0).any(named))
    }

    /// The pid for a system call; `None` for 0 and for what is no pid at all.
    pub fn raw(self) -> Option<Pid> {
        i32::try_from(self.pid).ok().filter(|&pid| pid > 0).and_then(Pid::from_raw)
    }
}

/// The pid namespace of this process: a pid means nothing in another one. `None` where there are
/// none.
pub(super) fn namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_string_lossy().into_owned())
}

/// The boot that this system runs in; `None` where the system does not say.
pub(super) fn boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

/// State and start time from `/proc/<pid>/stat`; `None` where there is no such process, or no
/// `/proc`.
fn stat(pid: u32) -> Option<(char, u64)> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&bytes))
}

fn parse_stat(text: &str) -> Option<(char, u64)> {
    // The name in parentheses may hold anything, also ") R 1".
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // state is field 3, so 22 comes 18 after the one that follows it.
    let start_time = fields.nth(18)?.parse().ok()?;
    Some((state, start_time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_with_a_nasty_name() {
        let text =
            "4242 (a) R 1 (b) S 1 4242 4242 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 33 0 987654 1 2 3\n";
        assert_eq!(parse_stat(text), Some(('S', 987_654)));
        assert_eq!(parse_stat("4242 (mongod) S 1"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn this_process_is_alive_and_another_start_time_is_another_process() {
        let me = Process::now(std::process::id());
        assert!(me.is_alive());
        if let Some(start_time) = me.start_time {
            let earlier = Process { start_time: Some(start_time + 1), ..me };
            assert!(!earlier.is_alive());
        }
    }

    #[test]
    fn what_is_no_pid_is_not_alive() {
        for pid in [0, u32::MAX, i32::MAX as u32] {
            let nobody = Process { pid, start_time: None };
            assert!(!nobody.is_alive(), "{pid}");
        }
    }
}
