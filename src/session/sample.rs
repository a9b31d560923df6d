//! What one launch gave.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::dbpath::DataFolder;
use crate::launch::{Running, Stamps};
use crate::session::usage::Usage;
use crate::startup::{Client, Part, Phase, Profile, profile};

/// One launch, measured. Times are milliseconds since the spawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// What each phase took; together `ready_ms`. Empty in results of releases that did not know phases.
    #[serde(default)]
    pub phases_ms: BTreeMap<Phase, f64>,
    /// The parts of the phase `engine_open`; not to be added to the phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts_ms: BTreeMap<Part, f64>,
    /// mongod's own account of its start by steps (log id 8423403), where it prints one; steps of 0 ms are left out. Coarse: show it, never add it up.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps_ms: BTreeMap<String, f64>,
    /// Processor time of mongod until it was ready, user and system, all threads.
    #[serde(default)]
    pub cpu_ms: Option<f64>,
    /// How long mongod's main thread waited for a processor until then.
    #[serde(default)]
    pub cpu_wait_ms: Option<f64>,
    /// What mongod had sent to a block device by then, in MiB; 0 on a RAM disk.
    #[serde(default)]
    pub written_mb: Option<f64>,
}

impl Sample {
    /// Reads a launch that is ready. What this costs comes after the last stamp, so that it is in no figure.
    pub fn take(block: u32, position: u32, running: &Running, folder: &DataFolder) -> Self {
        const MIB: f64 = (1_u64 << 20) as f64;
        let usage = Usage::of(running.id());
        let Stamps {
            spawn,
            listening,
            ready,
        } = running.stamps;
        let since = |at: Instant| milliseconds(at - spawn);
        let folder_mb = round(folder.size_bytes().unwrap_or(0) as f64 / MIB);
        // Last: what mongod says of its start as a whole may come after it has answered.
        let lines = running.log();
        let Profile {
            phases_ms,
            parts_ms,
            steps_ms,
            ..
        } = profile(
            lines.iter().map(|line| (line.at - spawn, &*line.text)),
            &Client {
                ready: ready - spawn,
                majority_write: None,
            },
        );
        Self {
            block,
            position,
            first_line_ms: lines.first().map_or(0.0, |line| since(line.at)),
            listening_ms: since(listening),
            ready_ms: since(ready),
            rss_mb: round(usage.resident_bytes as f64 / MIB),
            folder_mb,
            phases_ms,
            parts_ms,
            steps_ms,
            cpu_ms: usage.cpu.map(milliseconds),
            cpu_wait_ms: usage.cpu_wait.map(milliseconds),
            written_mb: usage.written_bytes.map(|bytes| round(bytes as f64 / MIB)),
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
