//! One sample described: median with its interval, mean, spread, quantiles.

use statrs::distribution::{Binomial, DiscreteCDF};

/// A sample in a few numbers, all in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values.
    pub n: usize,
    /// The middle value, or the mean of the two middle ones.
    pub median: f64,
    /// An interval that covers the population's median with a probability of at least 95 %,
    /// whatever the distribution; `None` below 6 values.
    pub ci95: Option<[f64; 2]>,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation with divisor n - 1; `None` for a single value.
    pub sd: Option<f64>,
    /// The smallest value.
    pub min: f64,
    /// The 95th percentile, as `quantile` defines it.
    pub p95: f64,
}

impl Summary {
    /// Describes `values`, in any order.
    ///
    /// The interval of the median is the sign test's: between two order statistics, chosen by the
    /// binomial distribution so that the coverage is at least 95 % (Conover, Practical
    /// Nonparametric Statistics, 3rd ed., section 3.2). It is therefore somewhat wide: 96.9 % at n
    /// = 6, 95.7 % at n = 30, 96.5 % at n = 100.
    ///
    /// `None` for no values, for NaN and infinities, and for values so large that their variance is
    /// not finite.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values)?;
        let (mean, variance) = mean_and_variance(values)?;
        Some(Self {
            n: sorted.len(),
            median: quantile_of_sorted(&sorted, 0.5)?,
            ci95: median_ci95(&sorted),
            mean,
            sd: variance.map(f64::sqrt),
            min: *sorted.first()?,
            p95: quantile_of_sorted(&sorted, 0.95)?,
        })
    }
}

/// The quantile of `values`, in any order, for a probability `q` from 0 to 1: linear between order
/// statistics, type 7 of Hyndman and Fan (1996), which is the default of NumPy and R.
///
/// `None` for no values, for NaN and infinities, and for a `q` outside 0 to 1.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    quantile_of_sorted(&sorted(values)?, q)
}

/// The values in ascending order; `None` when there are none, or one is not finite.
pub(super) fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

/// As `quantile`, for values that are finite and in ascending order.
pub(super) fn quantile_of_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    let at = sorted.len().checked_sub(1)? as f64 * q;
    let below = *sorted.get(at as usize)?;
    // At q = 1 there is no value above, and none is needed.
    let above = *sorted.get(at as usize + 1).unwrap_or(&below);
    let value = below + at.fract() * (above - below);
    value.is_finite().then_some(value)
}

/// The mean, and the variance with divisor n - 1 (`None` for a single value); `None` for no values
/// and where a result is not finite.
pub(super) fn mean_and_variance(values: &[f64]) -> Option<(f64, Option<f64>)> {
    let n = values.len() as f64;
    let first = *values.first()?;
    // Sums of differences from the first value: equal values then have exactly the variance 0, and
    // not a rounding error that looks like data.
    let mean = first + values.iter().map(|value| value - first).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = (values.len() > 1).then(|| squares / (n - 1.0));
    (mean.is_finite() && squares.is_finite()).then_some((mean, variance))
}

/// The interval of the median: as many values cut at each end as a fair coin falls on one side with
/// a probability of at most 2.5 %.
fn median_ci95(sorted: &[f64]) -> Option<[f64; 2]> {
    let coin = Binomial::new(0.5, sorted.len() as u64).ok()?;
    // The smallest count with P(X <= count) >= 2.5 %; those below it are at most that probable
    // together.
    let cut = usize::try_from(coin.inverse_cdf(0.025)).ok()?;
    let lower = sorted.get(cut.checked_sub(1)?)?;
    let upper = sorted.get(sorted.len().checked_sub(cut)?)?;
    Some([*lower, *upper])
}
