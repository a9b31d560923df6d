//! Takes a sample of a server that is ready.

use std::ops::Range;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::dbpath::DataFolder;
use crate::launch::phases::{Client, Profile, profile};
use crate::launch::{Server, Stamps};
use crate::measure::usage::Usage;
use crate::model::sample::{milliseconds, round};
use crate::model::{Sample, Single, Together};
use crate::stats::quantile;

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
}

/// A moment by the wall clock, in ms since 1970.
fn wall_clock(moment: Instant) -> f64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let at = since_1970.unwrap_or_default().checked_sub(moment.elapsed());
    milliseconds(at.unwrap_or_default())
}
