//! What one launch gave.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::dbpath::DataFolder;
use crate::launch::{Running, Stamps};
use crate::stats::quantile;

/// One launch, measured. Times are milliseconds since the spawn.
///
/// Of several servers that started together, times are the median over the servers, each since its own spawn, and sizes are the mean: what one server of
/// several takes. The median, since the slowest has a field of its own and must not decide twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The block, counted from 1; warm-up blocks do not count.
    pub block: u32,
    /// The place in the block's order, counted from 1.
    pub position: u32,
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
    /// Of a cold start: the share of the binary and its libraries that the page cache still held right before, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of several servers that started together: all of them, and each.
    #[serde(flatten)]
    pub together: Option<Together>,
}

/// Several servers that started together. Sizes are those at the moment when the last was ready.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// From the first spawn until the last server was ready.
    pub last_ready_ms: f64,
    /// Resident memory of all, in MiB. Pages that they share, those of the binary above all, count once for each.
    pub total_rss_mb: f64,
    /// What all data folders took, in MiB of allocated blocks.
    pub total_folder_mb: f64,
    /// Each of them.
    pub servers: Vec<Server>,
}

/// One of several servers that started together: as the fields of [`Sample`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Server {
    pub first_line_ms: f64,
    pub listening_ms: f64,
    pub ready_ms: f64,
    pub rss_mb: f64,
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
            first_line_ms: running.lines.first().map_or(0.0, |line| since(line.at)),
            listening_ms: since(listening),
            ready_ms: since(ready),
            rss_mb: round(resident_bytes(running.id()) as f64 / MIB),
            folder_mb: round(folder.size_bytes().unwrap_or(0) as f64 / MIB),
            cached: None,
            together: None,
        }
    }

    /// Servers that started together as one launch, each with its stamps. `None` for no servers.
    pub fn of_several(servers: &[(Self, Stamps)]) -> Option<Self> {
        let (first, _) = servers.first()?;
        let each = |value: fn(&Self) -> f64| -> Vec<f64> {
            servers.iter().map(|(sample, _)| value(sample)).collect()
        };
        let median = |value| quantile(&each(value), 0.5).map(round);
        let sum = |value| each(value).iter().sum::<f64>();
        let mean = |value| round(sum(value) / servers.len() as f64);
        let spawned = servers.iter().map(|(_, stamps)| stamps.spawn).min()?;
        let ready = servers.iter().map(|(_, stamps)| stamps.ready).max()?;
        Some(Self {
            first_line_ms: median(|server| server.first_line_ms)?,
            listening_ms: median(|server| server.listening_ms)?,
            ready_ms: median(|server| server.ready_ms)?,
            rss_mb: mean(|server| server.rss_mb),
            folder_mb: mean(|server| server.folder_mb),
            together: Some(Together {
                last_ready_ms: milliseconds(ready - spawned),
                total_rss_mb: round(sum(|server| server.rss_mb)),
                total_folder_mb: round(sum(|server| server.folder_mb)),
                servers: servers
                    .iter()
                    .map(|(sample, _)| Server::of(sample))
                    .collect(),
            }),
            ..first.clone()
        })
    }

    /// How long the launch took until all of it was ready, in ms.
    pub fn took_ms(&self) -> f64 {
        let together = self.together.as_ref();
        together.map_or(self.ready_ms, |together| together.last_ready_ms)
    }
}

impl Server {
    fn of(sample: &Sample) -> Self {
        Self {
            first_line_ms: sample.first_line_ms,
            listening_ms: sample.listening_ms,
            ready_ms: sample.ready_ms,
            rss_mb: sample.rss_mb,
            folder_mb: sample.folder_mb,
        }
    }
}

/// A duration in milliseconds, to the microsecond: what lies below is noise.
pub fn milliseconds(duration: Duration) -> f64 {
    round(duration.as_secs_f64() * 1e3)
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
