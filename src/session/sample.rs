//! What one launch gave.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::dbpath::DataFolder;
use crate::launch::{Server, Stamps};
use crate::session::usage::Usage;
use crate::startup::{Client, Part, Phase, Profile, profile};
use crate::stats::quantile;

/// One launch, measured. Times are milliseconds since the spawn; where a template was copied first,
/// since the beginning of the copy.
///
/// Of several servers that started together, times are the median over the servers, each since its
/// own spawn, and sizes are the mean: what one server of several takes. The median, since the
/// slowest has a field of its own and must not decide twice. They have no phases: a median start is
/// nobody's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The block, counted from 1; warm-up blocks do not count.
    pub block: u32,
    /// The place in the block's order, counted from 1.
    pub position: u32,
    /// When it was spawned, by the wall clock: ms since the beginning of 1970, UTC. 0 in records
    /// that lack it.
    #[serde(default)]
    pub spawned_unix_ms: f64,
    /// The copy of the template was there; nothing without a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_ms: Option<f64>,
    /// The first line of the log arrived.
    pub first_line_ms: f64,
    /// The log line that says mongod listens arrived.
    pub listening_ms: f64,
    /// The configuration of the replica set was sent; nothing for a standalone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiate_ms: Option<f64>,
    /// The member of the replica set said that it is the primary; nothing for a standalone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_ms: Option<f64>,
    /// The first ping through the driver was answered; in a replica set, the first majority write
    /// was acknowledged.
    pub ready_ms: f64,
    /// Resident memory of mongod when it was ready, in MiB; 0 where the system does not tell.
    pub rss_mb: f64,
    /// What the data folder took when it was ready, in MiB of allocated blocks.
    pub folder_mb: f64,
    /// What each phase took; together `ready_ms`. Empty in results of releases that did not know
    /// phases.
    #[serde(default)]
    pub phases_ms: BTreeMap<Phase, f64>,
    /// The parts of the phase `engine_open`; not to be added to the phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts_ms: BTreeMap<Part, f64>,
    /// mongod's own account of its start by steps (log id 8423403), where it prints one; steps of 0
    /// ms are left out. Coarse: show it, never add it up.
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
    /// Of a cold start: the share of the binary and its libraries that the page cache still held
    /// right before, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of several servers that started together: all of them, and each.
    #[serde(flatten)]
    pub together: Option<Together>,
}

/// Several servers that started together. Sizes are those at the moment when the last was ready.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// From the first one's beginning until the last one was ready.
    pub last_ready_ms: f64,
    /// Resident memory of all, in MiB. Pages that they share, those of the binary above all, count
    /// once for each.
    pub total_rss_mb: f64,
    /// What all data folders took, in MiB of allocated blocks.
    pub total_folder_mb: f64,
    /// Each of them.
    pub servers: Vec<Single>,
}

/// One of several servers that started together: as the fields of [`Sample`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Single {
    pub first_line_ms: f64,
    pub listening_ms: f64,
    pub ready_ms: f64,
    pub rss_mb: f64,
    pub folder_mb: f64,
}

impl Sample {
    /// Reads a launch that is ready. What this costs comes after the last stamp, so that it is in
    /// no figure.
    pub fn take(block: u32, position: u32, server: &Server, folder: &DataFolder) -> Self {
        const MIB: f64 = (1_u64 << 20) as f64;
        let running = &server.running;
        let usage = Usage::of(running.id());
        let Stamps { spawn, listening, ready } = running.stamps;
        let since = |at: Instant| milliseconds(at - spawn);
        let folder_mb = round(folder.size_bytes().unwrap_or(0) as f64 / MIB);
        // Last: what mongod says of its start as a whole may come after it has answered.
        let lines = running.log();
        let Profile { phases_ms, parts_ms, steps_ms, .. } = profile(
            lines.iter().map(|line| (line.at - spawn, &*line.text)),
            &Client {
                ready: ready - spawn,
                majority_write: server.set.map(|set| set.majority_write - spawn),
            },
        );
        Self {
            block,
            position,
            spawned_unix_ms: wall_clock(spawn),
            copy_ms: None,
            first_line_ms: lines.first().map_or(0.0, |line| since(line.at)),
            listening_ms: since(listening),
            initiate_ms: server.set.map(|set| since(set.initiate)),
            primary_ms: server.set.map(|set| since(set.primary)),
            ready_ms: since(server.ready()),
            rss_mb: round(usage.resident_bytes as f64 / MIB),
            folder_mb,
            phases_ms,
            parts_ms,
            steps_ms,
            cpu_ms: usage.cpu.map(milliseconds),
            cpu_wait_ms: usage.cpu_wait.map(milliseconds),
            written_mb: usage.written_bytes.map(|bytes| round(bytes as f64 / MIB)),
            cached: None,
            together: None,
        }
    }

    /// Counts the copy of a template, which took this long and ended with the spawn.
    pub fn add_copy(&mut self, copy: Duration) {
        let copy = milliseconds(copy);
        self.copy_ms = Some(copy);
        self.phases_ms.insert(Phase::TemplateCopy, copy);
        let times = [&mut self.first_line_ms, &mut self.listening_ms, &mut self.ready_ms];
        let of_set = [&mut self.initiate_ms, &mut self.primary_ms];
        for time in times.into_iter().chain(of_set.into_iter().flatten()) {
            *time = round(*time + copy);
        }
    }

    /// Servers that started together as one launch, each with the time from its beginning until it
    /// was ready. `None` for no servers.
    pub fn of_several(servers: &[(Self, Range<Instant>)]) -> Option<Self> {
        let (first, _) = servers.first()?;
        let each = |value: fn(&Self) -> f64| -> Vec<f64> {
            servers.iter().map(|(sample, _)| value(sample)).collect()
        };
        let median = |value| quantile(&each(value), 0.5).map(round);
        let median_of = |value: fn(&Self) -> Option<f64>| {
            let values: Option<Vec<f64>> =
                servers.iter().map(|(sample, _)| value(sample)).collect();
            quantile(&values?, 0.5).map(round)
        };
        let sum = |value| each(value).iter().sum::<f64>();
        let mean = |value| round(sum(value) / servers.len() as f64);
        let began = servers.iter().map(|(_, time)| time.start).min()?;
        let ready = servers.iter().map(|(_, time)| time.end).max()?;
        Some(Self {
            block: first.block,
            position: first.position,
            spawned_unix_ms: first.spawned_unix_ms,
            copy_ms: median_of(|server| server.copy_ms),
            first_line_ms: median(|server| server.first_line_ms)?,
            listening_ms: median(|server| server.listening_ms)?,
            initiate_ms: median_of(|server| server.initiate_ms),
            primary_ms: median_of(|server| server.primary_ms),
            ready_ms: median(|server| server.ready_ms)?,
            rss_mb: mean(|server| server.rss_mb),
            folder_mb: mean(|server| server.folder_mb),
            together: Some(Together {
                last_ready_ms: milliseconds(ready - began),
                total_rss_mb: round(sum(|server| server.rss_mb)),
                total_folder_mb: round(sum(|server| server.folder_mb)),
                servers: servers.iter().map(|(sample, _)| Single::of(sample)).collect(),
            }),
            ..Self::default()
        })
    }

    /// How long the launch took until all of it was ready, in ms.
    pub fn took_ms(&self) -> f64 {
        let together = self.together.as_ref();
        together.map_or(self.ready_ms, |together| together.last_ready_ms)
    }
}

impl Single {
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

/// A moment by the wall clock, in ms since 1970.
fn wall_clock(moment: Instant) -> f64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let at = since_1970.unwrap_or_default().checked_sub(moment.elapsed());
    milliseconds(at.unwrap_or_default())
}

fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
