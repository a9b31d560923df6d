//! Two cases block by block.

use crate::session::Sample;
use crate::stats;

/// The ratio of two cases over the blocks that both have, with its interval and p.
pub(crate) fn compare(
    case: &[Sample],
    reference: &[Sample],
) -> Option<(f64, Option<[f64; 2]>, Option<f64>)> {
    compare_by(case, reference, |sample| sample.ready_ms)
}

/// As [`compare`], of another time than that until the servers were ready.
pub(crate) fn compare_by(
    case: &[Sample],
    reference: &[Sample],
    time: impl Fn(&Sample) -> f64,
) -> Option<(f64, Option<[f64; 2]>, Option<f64>)> {
    let (case, reference): (Vec<f64>, Vec<f64>) = case
        .iter()
        .filter_map(|sample| {
            let other = reference.iter().find(|r| r.block == sample.block)?;
            Some((time(sample), time(other)))
        })
        .unzip();
    let differences = stats::log_differences(&case, &reference)?;
    let ratio = stats::hodges_lehmann(&differences)?.ratio();
    Some((
        ratio.estimate,
        ratio.ci95,
        stats::signed_rank_p(&differences),
    ))
}
