//! Two cases block by block.

use crate::model::Sample;
use crate::stats::{self, Ratio};

/// How long one case takes against another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paired {
    /// The blocks that both have.
    pub blocks: usize,
    /// The ratio over these.
    pub ratio: Ratio,
}

/// Compares two cases; nothing where they have no block in common.
pub(crate) fn compare(case: &[Sample], reference: &[Sample]) -> Option<Paired> {
    compare_by(case, reference, |sample| sample.ready_ms)
}

/// As [`compare`], of another time than that until the servers were ready.
pub(crate) fn compare_by(
    case: &[Sample],
    reference: &[Sample],
    time: impl Fn(&Sample) -> f64,
) -> Option<Paired> {
    let (case, reference): (Vec<f64>, Vec<f64>) = case
        .iter()
        .filter_map(|sample| {
            let other = reference.iter().find(|r| r.block == sample.block)?;
            Some((time(sample), time(other)))
        })
        .unzip();
    let differences = stats::log_differences(&case, &reference)?;
    Some(Paired { blocks: differences.len(), ratio: Ratio::of(&differences)? })
}
