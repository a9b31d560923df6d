//! What a process has used so far: memory, processor time, writes.

use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// What one process has used since its spawn. Nothing where the system does not tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// User and system time of all its threads, ended ones included.
    pub cpu: Option<Duration>,
    /// How long its main thread, which does nearly all of a start, could have run and got no
    /// processor.
    pub cpu_wait: Option<Duration>,
    /// Bytes that it has caused to be sent to a block device; those on a RAM disk are not counted.
    pub written_bytes: Option<u64>,
    /// Resident memory in bytes.
    pub resident_bytes: u64,
}

impl Usage {
    /// Reads what `pid` has used: the times first, since they go on.
    pub fn of(pid: u32) -> Self {
        let (cpu, cpu_wait) = times(pid);
        let pid = Pid::from_u32(pid);
        let mut system = System::new();
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(&[pid]),
            false,
            ProcessRefreshKind::nothing().with_memory().with_cpu().with_disk_usage(),
        );
        let process = system.process(pid);
        Self {
            cpu: cpu.or_else(|| Some(Duration::from_millis(process?.accumulated_cpu_time()))),
            cpu_wait,
            written_bytes: process.map(|process| process.disk_usage().total_written_bytes),
            resident_bytes: process.map_or(0, sysinfo::Process::memory),
        }
    }
}

/// The processor time by the clock of the process, in nanoseconds: `/proc/<pid>/stat` has
/// hundredths of a second, too coarse for a start of 30 ms. The wait from the kernel's scheduler
/// statistics (Documentation/scheduler/sched-stats.rst), where it keeps them.
#[cfg(target_os = "linux")]
fn times(pid: u32) -> (Option<Duration>, Option<Duration>) {
    let cpu = || {
        let id = nix::unistd::Pid::from_raw(pid.try_into().ok()?);
        let time = nix::time::clock_getcpuclockid(id).ok()?.now().ok()?;
        Some(Duration::from(time))
    };
    let wait = || {
        let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    };
    (cpu(), wait())
}

/// Elsewhere sysinfo knows the processor time, and nobody the wait.
#[cfg(not(target_os = "linux"))]
fn times(_: u32) -> (Option<Duration>, Option<Duration>) {
    (None, None)
}
