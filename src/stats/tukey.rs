//! Outliers by Tukey's fences.

use super::summary::{quantile_of_sorted, sorted};

/// How far beyond the quartiles the fences stand, in interquartile ranges.
const REACH: f64 = 1.5;

/// A sample without its outliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tukey {
    /// What lies between the fences or on them, in the order of the input.
    pub kept: Vec<f64>,
    /// How many values lay below the lower fence.
    pub removed_low: usize,
    /// How many values lay above the upper fence.
    pub removed_high: usize,
}

/// Removes what lies more than 1.5 interquartile ranges below the lower or above the upper quartile
/// (Tukey, Exploratory Data Analysis, 1977), in one pass: what remains is not judged again.
/// Quartiles are those of [`quantile`](super::quantile).
///
/// Only for the article's protocol for transactions: a test on trimmed values finds too many
/// differences, so the counts belong beside it.
///
/// `None` for no values, for NaN and infinities, and for values so large that the fences are not
/// finite.
pub fn tukey_fences(values: &[f64]) -> Option<Tukey> {
    let sorted = sorted(values)?;
    let lower_quartile = quantile_of_sorted(&sorted, 0.25)?;
    let upper_quartile = quantile_of_sorted(&sorted, 0.75)?;
    let reach = REACH * (upper_quartile - lower_quartile);
    if !reach.is_finite() {
        return None;
    }
    let (low, high) = (lower_quartile - reach, upper_quartile + reach);
    Some(Tukey {
        kept: values.iter().copied().filter(|value| (low..=high).contains(value)).collect(),
        removed_low: values.iter().filter(|value| **value < low).count(),
        removed_high: values.iter().filter(|value| **value > high).count(),
    })
}
