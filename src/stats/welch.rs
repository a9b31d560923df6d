//! Welch's t-test: two independent samples with variances of their own.

use super::student::{t975, two_sided_p};
use super::summary::mean_and_variance;

/// What Welch's test says about two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// The difference of the means in standard errors.
    pub t: f64,
    /// The degrees of freedom after Welch and Satterthwaite; seldom a whole number.
    pub df: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// mean(a) - mean(b), in the unit of the values: above 0 where `a` is larger.
    pub difference: f64,
    /// The 95 % interval of the difference, in the unit of the values.
    pub ci95: [f64; 2],
}

/// Compares the means of `a` and `b`, whose variances and sizes may differ (Welch, Biometrika 34,
/// 1947; Satterthwaite, Biometrics 2, 1946).
///
/// Outliers inflate its variances and cost it power: for launch times
/// [`hodges_lehmann`](super::hodges_lehmann) decides.
///
/// `None` when a sample has fewer than 2 values, or NaN or infinities among them, and when neither
/// sample varies: there is no standard error then.
pub fn welch(a: &[f64], b: &[f64]) -> Option<Welch> {
    let (mean_a, variance_a) = mean_and_variance(a)?;
    let (mean_b, variance_b) = mean_and_variance(b)?;
    let (n_a, n_b) = (a.len() as f64, b.len() as f64);
    let (share_a, share_b) = (variance_a? / n_a, variance_b? / n_b);
    let squared_error = share_a + share_b;
    let error = squared_error.sqrt();
    // As parts of the whole: their squares neither overflow nor vanish.
    let (part_a, part_b) = (share_a / squared_error, share_b / squared_error);
    let df = 1.0 / (part_a.powi(2) / (n_a - 1.0) + part_b.powi(2) / (n_b - 1.0));
    // Never below the smaller sample's, except by a rounding error.
    let df = df.max(n_a.min(n_b) - 1.0);
    let difference = mean_a - mean_b;
    let t = difference / error;
    if !t.is_finite() {
        return None;
    }
    let half_width = t975(df)? * error;
    Some(Welch {
        t,
        df,
        p: two_sided_p(t, df)?,
        difference,
        ci95: [difference - half_width, difference + half_width],
    })
}
