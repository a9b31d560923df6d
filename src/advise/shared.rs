//! What several cases share of a session in which some go on longer than others: a median over more
//! blocks is also of another time, in which the machine may have been quieter.

use std::collections::BTreeSet;

use crate::model::results::StartupCase;
use crate::stats::Summary;

/// The blocks that all of these cases have.
pub(super) fn shared(cases: &[&StartupCase]) -> BTreeSet<u32> {
    let of = |case: &StartupCase| -> BTreeSet<u32> {
        let samples = case.samples.iter();
        samples.map(|sample| sample.block).collect()
    };
    let all = cases.iter().map(|case| of(case));
    all.reduce(|a, b| &a & &b).unwrap_or_default()
}

/// The case as if its session had had these blocks only.
pub(super) fn within(case: &StartupCase, blocks: &BTreeSet<u32>) -> StartupCase {
    let samples = case.samples.iter();
    let samples = samples.filter(|sample| blocks.contains(&sample.block));
    let samples: Vec<_> = samples.cloned().collect();
    let times: Vec<f64> = samples.iter().map(|sample| sample.ready_ms).collect();
    StartupCase { summary: Summary::of(&times), samples, ..case.clone() }
}
