//! What one launch gave.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::dbpath::DataFolder;
use crate::launch::{Running, Stamps};

/// One launch, measured. Times are milliseconds since the spawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The block, counted from 1; warm-up blocks do not count.
    pub block: u32,
    /// The place in the block's order, counted from 1.
    pub position: u32,
    /// When it was spawned, by the wall clock: ms since the beginning of 1970, UTC. 0 in records that lack it.
    #[serde(default)]
    pub spawned_unix_ms: f64,
    /// The first line of the log arrived.
    pub first_line_ms: f64,
    /// The log line that says mongod listens arrived.
    pub listening_ms: f64,
    /// The first ping through the driver was answered.
    pub ready_ms: f64,
    /// Resident memory of mongod when it was ready, in MiB; 0 where the system does not tell.
    pub rss_mb: f64,
    /// What the data folder took when it was ready, in MiB of allocated blocks.
    pub folder_mb: f64,
}

impl Sample {
    /// Reads a launch that is ready. What this costs comes after the last stamp, so that it is in no figure.
    pub fn take(block: u32, position: u32, running: &Running, folder: &DataFolder) -> Self {
        const MIB: f64 = (1_u64 << 20) as f64;
        let Stamps {
            spawn,
            listening,
            ready,
        } = running.stamps;
        let since = |at: Instant| milliseconds(at - spawn);
        Self {
            block,
            position,
            spawned_unix_ms: wall_clock(spawn),
            first_line_ms: running.lines.first().map_or(0.0, |line| since(line.at)),
            listening_ms: since(listening),
            ready_ms: since(ready),
            rss_mb: round(resident_bytes(running.id()) as f64 / MIB),
            folder_mb: round(folder.size_bytes().unwrap_or(0) as f64 / MIB),
        }
    }
}

/// A duration in milliseconds, to the microsecond: what lies below is noise.
pub fn milliseconds(duration: Duration) -> f64 {
    round(duration.as_secs_f64() * 1e3)
}

/// A moment by the wall clock, in ms since 1970.
fn wall_clock(moment: Instant) -> f64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let at = since_1970.unwrap_or_default().checked_sub(moment.elapsed());
    milliseconds(at.unwrap_or_default())
}

fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn resident_bytes(pid: u32) -> u64 {
    let pid = Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[pid]),
        false,
        ProcessRefreshKind::nothing().with_memory(),
    );
    system.process(pid).map_or(0, sysinfo::Process::memory)
}
