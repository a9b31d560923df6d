//! What one launch gave.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{Part, Phase};

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

    /// How long the launch took until all of it was ready, in ms.
    pub fn took_ms(&self) -> f64 {
        let together = self.together.as_ref();
        together.map_or(self.ready_ms, |together| together.last_ready_ms)
    }
}

impl Single {
    pub fn of(sample: &Sample) -> Self {
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

pub fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// A launch that failed, so that its block was measured again.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Voided {
    /// The block.
    pub block: u32,
    /// The case.
    pub case: String,
    /// What the launch said.
    pub reason: String,
}
