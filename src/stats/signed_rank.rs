//! Paired comparison by signed ranks: how large the shift is, how sure that is, and whether there
//! is one.
//!
//! Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd ed., sections 3.1 to 3.3.

use serde::{Deserialize, Serialize};

use statrs::distribution::{ContinuousCDF, Normal};

use super::summary::{quantile_of_sorted, sorted};

/// Up to this many differences the interval is exact; beyond it a normal approximation chooses the
/// order statistics: at this size the two differ by 2 ranks of 180,300, and the exact distribution
/// takes time in n³.
const EXACT_INTERVAL_MAX: usize = 600;

/// Up to this many differences other than 0 the p-value is exact.
const EXACT_P_MAX: usize = 60;

/// What each tail outside a two-sided 95 % interval may hold.
const TAIL: f64 = 0.025;

/// The shift between two paired samples on the log scale: 0 is none, 0.1 is about 10 % longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// How many pairs.
    pub n: usize,
    /// The Hodges-Lehmann estimate.
    pub estimate: f64,
    /// Its interval with a coverage of at least 95 %; `None` below 6 pairs, where no interval
    /// reaches that.
    pub ci95: Option<[f64; 2]>,
}

/// How long one thing takes against another, pair by pair: 1 is no difference, 1.1 is 10 % longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The point estimate: e to the power of the Hodges-Lehmann shift.
    #[serde(rename = "ratio")]
    pub estimate: f64,
    /// Its 95 % interval; `None` below 6 pairs.
    pub ci95: Option<[f64; 2]>,
    /// Two-sided p of the exact signed-rank test; `None` where it has none.
    #[serde(default)]
    pub p: Option<f64>,
}

impl Ratio {
    /// The ratio of pairs whose differences of the logarithms these are; see [`log_differences`].
    /// `None` without a pair.
    pub(crate) fn of(differences: &[f64]) -> Option<Self> {
        let shift = hodges_lehmann(differences)?;
        Some(Self {
            estimate: shift.estimate.exp(),
            ci95: shift.ci95.map(|ends| ends.map(f64::exp)),
            p: signed_rank_p(differences),
        })
    }

    /// Whether the interval excludes 1.
    pub(crate) fn excludes_one(&self) -> bool {
        self.ci95.is_some_and(|[low, high]| low > 1.0 || high < 1.0)
    }

    /// Whether both ends of the interval are at most this share of the estimate away from it; never
    /// without an interval.
    pub(crate) fn is_within(&self, share: f64) -> bool {
        let close = |end: f64| (end / self.estimate - 1.0).abs() <= share;
        self.ci95.is_some_and(|ends| ends.into_iter().all(close))
    }
}

/// ln(case) - ln(reference) for each pair: above 0 where the case took longer. Both slices are in
/// block order and in one unit.
///
/// `None` when the lengths differ, or a value is not above 0 and finite.
pub fn log_differences(case: &[f64], reference: &[f64]) -> Option<Vec<f64>> {
    let measurable = |values: &[f64]| values.iter().all(|value| value.is_finite() && *value > 0.0);
    if case.len() != reference.len() || !measurable(case) || !measurable(reference) {
        return None;
    }
    let pairs = case.iter().zip(reference);
    Some(pairs.map(|(case, reference)| case.ln() - reference.ln()).collect())
}

/// Estimates the shift from paired log differences: the median of the Walsh averages, that is of
/// the means of all pairs of differences, each with itself included.
///
/// The interval is that of the Walsh averages which the two-sided signed-rank test at 5 % does not
/// reject. The test is exact, so its coverage is the next one that exists at or above 95 %: 96.9 %
/// for 6 pairs, 95.1 % for 10, 95.0 % for 30. (Above 600 pairs the normal approximation takes its
/// place.) It assumes differences that are symmetric about the shift, as those of two cases
/// measured alike are. Differences of exactly 0 stay in.
///
/// Takes time in n³ and memory in n², up to 600 pairs; for 560 that is a few hundredths of a second
/// and 1.3 MB. `None` for no differences, and for NaN and infinities.
pub fn hodges_lehmann(differences: &[f64]) -> Option<Shift> {
    let averages = walsh_averages(&sorted(differences)?);
    let n = differences.len();
    Some(Shift {
        n,
        estimate: quantile_of_sorted(&averages, 0.5)?,
        ci95: critical_value(n).and_then(|cut| {
            let upper = averages.len().checked_sub(cut + 1)?;
            Some([*averages.get(cut)?, *averages.get(upper)?])
        }),
    })
}

/// The two-sided p-value of Wilcoxon's signed-rank test that paired differences are symmetric about
/// 0.
///
/// Differences of exactly 0 are dropped (Wilcoxon), ties share the mean of their ranks. Up to 60
/// differences that remain, the p-value is exact, ties included: over all equally probable signs of
/// the ranks as they are. Beyond that it comes from the normal approximation with correction for
/// ties and continuity.
///
/// 1 when all differences are 0. `None` for no differences, and for NaN and infinities.
pub fn signed_rank_p(differences: &[f64]) -> Option<f64> {
    let mut nonzero = sorted(differences)?;
    nonzero.retain(|difference| *difference != 0.0);
    nonzero.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&nonzero);
    let total: usize = ranks.iter().sum();
    let positive: usize = nonzero
        .iter()
        .zip(&ranks)
        .filter(|(difference, _)| **difference > 0.0)
        .map(|(_, rank)| rank)
        .sum();
    let smaller = positive.min(total - positive);
    let tail = if ranks.len() <= EXACT_P_MAX {
        null_distribution(&ranks, smaller).iter().sum()
    } else {
        // Ranks are doubled here: what is a half in the textbook is one, and the variance is four
        // times as large. The sum of the squared ranks contains the correction for ties.
        let distance = (total as f64 / 2.0 - smaller as f64 - 1.0).max(0.0);
        let variance = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum::<f64>() / 4.0;
        Normal::standard().sf(distance / variance.sqrt())
    };
    Some((2.0 * tail).min(1.0))
}

/// The means of all pairs of values, each with itself included, in ascending order.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (i, a) in values.iter().enumerate() {
        averages.extend(values[i..].iter().map(|b| f64::midpoint(*a, *b)));
    }
    averages.sort_unstable_by(f64::total_cmp);
    averages
}

/// How many Walsh averages lie outside the interval at each end: the largest k with P(W <= k) <=
/// 2.5 % under the null hypothesis. `None` where not even k = 0 satisfies that, below 6 values.
fn critical_value(n: usize) -> Option<usize> {
    if n > EXACT_INTERVAL_MAX {
        let n = n as f64;
        let mean = n * (n + 1.0) / 4.0;
        let sd = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        return Some((mean - 0.5 + Normal::standard().inverse_cdf(TAIL) * sd) as usize);
    }
    let ranks: Vec<usize> = (1..=n).collect();
    // The quantile lies below the mean, so the lower half of the distribution is enough.
    let within = null_distribution(&ranks, n * (n + 1) / 4)
        .iter()
        .scan(0.0, |sum, p| {
            *sum += p;
            Some(*sum)
        })
        .take_while(|sum| *sum <= TAIL)
        .count();
    within.checked_sub(1)
}

/// The probability of each sum from 0 to `highest` of the ranks whose sign is positive, where every
/// rank has either sign with probability 1/2. For at most [`EXACT_INTERVAL_MAX`] ranks: the number
/// of sign patterns must be finite.
fn null_distribution(ranks: &[usize], highest: usize) -> Vec<f64> {
    // How many of the patterns of signs so far give each sum.
    let mut patterns = vec![0.0; highest + 1];
    patterns[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached = highest.min(reached + rank);
        // Downwards, so that what is added has not yet seen this rank.
        for sum in (rank..=reached).rev() {
            patterns[sum] += patterns[sum - rank];
        }
    }
    let all = (ranks.len() as f64).exp2();
    patterns.iter().map(|count| count / all).collect()
}

/// Twice the rank of each value's magnitude, for values in ascending order of magnitude: doubled,
/// because ties share a mean that may end in .5.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(values.len());
    for tied in values.chunk_by(|a, b| a.abs() == b.abs()) {
        let before = ranks.len();
        let (first, last) = (before + 1, before + tied.len());
        ranks.resize(last, first + last);
    }
    ranks
}
