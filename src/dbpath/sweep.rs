//! Removes what a mongate that was killed left behind.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, geteuid, kill_process};

use super::folder::{MONGOD, OWNER, Owner, PREFIX, remove};
use super::process::Process;
use crate::host::lock::{Held, is_held};

/// How long a killed mongod may take to be gone: it frees hundreds of MB.
const PATIENCE: Duration = Duration::from_secs(10);

/// A data folder that a sweep removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The folder.
    pub path: PathBuf,
    /// The mongod that still used it, and was killed.
    pub killed: Option<u32>,
}

/// Removes the stale data folders in `base`, kills a mongod that still uses one, and says which
/// they were.
///
/// Stale is a real folder `mongate-<pid>-<random>` of our own user that bears our marker, if nobody
/// holds the marker's lock and no mongod holds its dbPath's; a marker of mongate 0.1.0, which held
/// no lock, must also name a dead process of this system. Nothing else is touched, and nothing at
/// all where the file system has no locks. A process of another container is never killed. What
/// cannot be read or removed is left for the next sweep, and another sweep at the same time does no
/// harm.
pub fn sweep(base: &Path) -> Vec<Swept> {
    let Ok(entries) = fs::read_dir(base) else {
        return Vec::new();
    };
    entries.flatten().filter_map(|entry| one(&entry)).collect()
}

fn one(entry: &DirEntry) -> Option<Swept> {
    let name = entry.file_name();
    if !is_ours(&name) {
        return None;
    }
    // Of the link itself, if it is one.
    let metadata = entry.metadata().ok()?;
    if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
        return None;
    }
    let path = entry.path();
    // From here on no other sweep is at it, and its owner is gone.
    let marker = Held::try_take(&path.join(OWNER)).ok()??;
    let owner: Owner = serde_json::from_slice(&marker.content().ok()?).ok()?;
    let ours = owner.shares_our_pids();
    if owner.boot_id.is_none() && (!ours || owner.process.is_alive()) {
        return None;
    }
    let mongod = fs::read(path.join(MONGOD)).ok();
    let mongod = mongod.and_then(|bytes| serde_json::from_slice(&bytes).ok()).or(owner.mongod);
    let killed = match mongod.filter(|mongod: &Process| ours && mongod.is_alive()) {
        None => None,
        Some(mongod) => match mongod.names(&name) {
            Some(true) => Some(kill(mongod)?),
            // Its pid belongs to another process now.
            Some(false) => None,
            // Where command lines are not shown it may be the mongod: a kill might hit a stranger,
            // a removal the mongod.
            None => return None,
        },
    };
    // mongod locks this file for as long as it runs; one of another container may still do.
    if killed.is_none() && is_held(&path.join("db/mongod.lock")) {
        return None;
    }
    remove(&path).ok()?;
    Some(Swept { path, killed })
}

/// Whether a folder is named as ours are: `mongate-<pid>-<random>`.
fn is_ours(name: &OsStr) -> bool {
    let parts = || name.to_str()?.strip_prefix(PREFIX)?.split_once('-');
    parts().is_some_and(|(pid, random)| {
        pid.bytes().all(|b| b.is_ascii_digit())
            && pid.parse::<u32>().is_ok()
            && !random.is_empty()
            && random.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Kills a process and waits until it is gone; `None` if it does not go.
fn kill(process: Process) -> Option<u32> {
    // It may have ended by itself since we looked.
    let _ = kill_process(process.raw()?, Signal::KILL);
    let deadline = Instant::now() + PATIENCE;
    while process.is_alive() {
        if Instant::now() > deadline {
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Some(process.pid)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, Stdio};

    use super::*;

    #[test]
    fn only_our_names() {
        assert!(is_ours(OsStr::new("mongate-123-aZ09xy")));
        for name in [
            "mongate-123abc",
            "mongate-foo",
            "mongate-foo-abcdef",
            "mongate-123-",
            "mongate--abcdef",
            "mongate-123-abc-def",
            "mongate-123-../x",
            "mongate-+12-abcdef",
            "mongate-99999999999-abcdef",
            "Mongate-123-abcdef",
            "mongate",
            "mongate-",
        ] {
            assert!(!is_ours(OsStr::new(name)), "{name}");
        }
    }

    /// A data folder of a dead owner, and a process whose command line names `argument`, recorded
    /// as its mongod.
    fn leftover(base: &Path, name: &str, argument: &Path) -> (PathBuf, Child) {
        let folder = base.join(name);
        fs::create_dir_all(folder.join("db")).unwrap();
        fs::write(folder.join("db/mongod.lock"), "").unwrap();
        let mut command = Command::new("sh");
        // It waits for a line that never comes.
        let child = command.args(["-c", "read line"]).arg(argument);
        let child = child.stdin(Stdio::piped()).spawn().unwrap();
        // For a moment around exec it has another command line.
        let cmdline = format!("/proc/{}/cmdline", child.id());
        while !fs::read(&cmdline).unwrap().starts_with(b"sh\0") {
            thread::yield_now();
        }
        let owner = format!("{{\"pid\":999999999,\"mongod\":{{\"pid\":{}}}}}", child.id());
        fs::write(folder.join("owner"), owner).unwrap();
        (folder, child)
    }

    #[test]
    fn the_mongod_of_a_dead_owner_ends_and_a_stranger_with_its_pid_does_not() {
        if !cfg!(target_os = "linux") {
            eprintln!("skipped: this system does not show command lines");
            return;
        }
        let base = tempfile::tempdir().unwrap();
        let base = base.path();
        let lock = base.join("mongate-999999999-a/db/mongod.lock");
        let (folder, mut mongod) = leftover(base, "mongate-999999999-a", &lock);
        let (other, mut stranger) = leftover(base, "mongate-999999999-b", Path::new("/dev/null"));

        let mut swept = sweep(base);
        let alive = stranger.try_wait().unwrap().is_none();
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        mongod.kill().unwrap();
        let signal = mongod.wait().unwrap().signal();

        swept.sort_by(|a, b| a.path.cmp(&b.path));
        let killed: Vec<_> = swept.iter().map(|s| s.killed).collect();
        assert_eq!(killed, [Some(mongod.id()), None]);
        assert!(alive, "a stranger was killed");
        assert_eq!(signal, Some(9));
        assert!(!folder.exists() && !other.exists());
    }

    #[test]
    fn a_pid_of_another_container_is_never_killed_and_its_dead_folder_goes() {
        if !cfg!(target_os = "linux") {
            eprintln!("skipped: this system has no pid namespaces");
            return;
        }
        let base = tempfile::tempdir().unwrap();
        let name = "mongate-999999999-c";
        let lock = base.path().join(name).join("db/mongod.lock");
        let (folder, mut stranger) = leftover(base.path(), name, &lock);
        let owner = serde_json::json!({
            "pid": 1, "boot_id": super::super::process::boot_id(), "pid_namespace": "pid:[1]",
        });
        fs::write(folder.join(OWNER), owner.to_string()).unwrap();
        fs::write(folder.join(MONGOD), format!("{{\"pid\":{}}}", stranger.id())).unwrap();

        let swept = sweep(base.path());
        let alive = stranger.try_wait().unwrap().is_none();
        stranger.kill().unwrap();
        stranger.wait().unwrap();

        assert!(alive, "a process of another container was killed");
        assert_eq!(swept, [Swept { path: folder.clone(), killed: None }]);
        assert!(!folder.exists());
    }

    #[test]
    fn a_marker_that_is_a_fifo_does_not_stop_the_sweep() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("mongate-999999999-a");
        fs::create_dir(&folder).unwrap();
        assert!(Command::new("mkfifo").arg(folder.join(OWNER)).status().unwrap().success());
        let (ended, end) = std::sync::mpsc::channel();
        let path = base.path().to_owned();
        thread::spawn(move || ended.send(sweep(&path)));
        assert_eq!(end.recv_timeout(PATIENCE), Ok(Vec::new()));
        assert!(folder.exists());
    }
}
