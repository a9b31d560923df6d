//! What a reader must know of cold starts and of servers that start together.

use crate::figures::{interval, milliseconds, ratio, size};
use crate::model::Cache;
use crate::model::Sample;
use crate::model::results::{StartupCase, Status};
use crate::stats::quantile;

/// The last server's start of several in ms, and what one server takes: memory and dbPath in MiB.
/// Medians over the launches.
pub(super) fn cells(case: &StartupCase) -> [String; 3] {
    [
        median(case, last_ready).map_or(String::new(), milliseconds),
        median(case, |sample| Some(sample.rss_mb)).map_or(String::new(), size),
        median(case, |sample| Some(sample.folder_mb)).map_or(String::new(), size),
    ]
}

/// Of the cases that were measured: what is cold, what the figures of several servers mean, and how
/// these scale with the cores.
pub(super) fn notes(cases: &[StartupCase], cores: usize) -> Vec<String> {
    let measured = || cases.iter().filter(|case| case.status == Status::Measured);
    let mut notes = Vec::new();
    let cold = measured().filter(|case| case.cache == Cache::Cold);
    let stayed: Vec<f64> =
        cold.flat_map(|case| &case.samples).filter_map(|sample| sample.cached).collect();
    if let Some(most) = quantile(&stayed, 1.0) {
        notes.push(format!(
            "cold: before each start the binary and its libraries left the page cache; at most \
                {:.1} % of them stayed, which are libraries that \
             other programs use; folder entries and the processor's caches stay warm",
            most * 100.0
        ));
    }
    if measured().any(|case| case.at_once > 1) {
        notes.push(
            "x2, x4, ...: so many servers started together; median: of the middle one; last: from \
                the first spawn until the last is ready"
                .to_owned(),
        );
    }
    for alone in measured().filter(|case| case.at_once == 1) {
        let growth: Vec<String> = measured()
            .filter(|case| case.at_once > 1 && is_same_otherwise(case, alone))
            .filter_map(|case| Some(format!("x{} {}", case.at_once, scale(case, alone)?)))
            .collect();
        if !growth.is_empty() {
            notes.push(format!(
                "on {cores} cores, the last of several against one alone, {}: {}",
                alone.id,
                growth.join(", ")
            ));
        }
    }
    notes
}

/// How many times longer than one alone several take until the last is ready, block by block: the
/// middle ratio and the quartiles.
fn scale(several: &StartupCase, alone: &StartupCase) -> Option<String> {
    let ratios: Vec<f64> = several
        .samples
        .iter()
        .filter_map(|sample| {
            let one = alone.samples.iter().find(|one| one.block == sample.block)?;
            Some(last_ready(sample)? / one.ready_ms)
        })
        .collect();
    let quartiles = [quantile(&ratios, 0.25)?, quantile(&ratios, 0.75)?];
    let middle = ratio(quantile(&ratios, 0.5)?);
    Some(format!("{middle} ({})", interval(quartiles, ratio)))
}

fn last_ready(sample: &Sample) -> Option<f64> {
    Some(sample.together.as_ref()?.last_ready_ms)
}

fn median(case: &StartupCase, value: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = case.samples.iter().filter_map(value).collect();
    quantile(&values, 0.5)
}

/// Whether two cases differ in the number of servers alone.
fn is_same_otherwise(case: &StartupCase, alone: &StartupCase) -> bool {
    let count = format!("x{}", case.at_once);
    let parts = case.id.split("::").filter(|part| **part != count);
    parts.eq(alone.id.split("::"))
}
