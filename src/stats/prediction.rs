//! What the next session should show, from the sessions stored before it.

use super::student::t975;
use super::summary::mean_and_variance;

/// From this many stored sessions on, a prediction interval may decide a gate; one from fewer is so
/// wide, and its standard deviation so uncertain, that it is advice only. [`prediction_interval`]
/// computes both: the caller decides.
pub const MIN_SESSIONS: usize = 6;

/// Where the log ratio of one more session is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// How many sessions it rests on.
    pub sessions: usize,
    /// The mean of their log ratios.
    pub mean: f64,
    /// The interval that one more session of the same kind falls into with a probability of 95 %,
    /// on the log scale.
    pub interval95: [f64; 2],
}

/// The 95 % prediction interval for the log ratio of one more session, from those of K earlier
/// ones: mean ± t(K - 1; 97.5 %) s sqrt(1 + 1/K) (Hahn and Meeker, Statistical Intervals, section
/// 4.3). Assumes sessions that are independent and normally distributed.
///
/// It is wider than the mean's confidence interval because it must hold the next session's own
/// scatter too. Equal log ratios give an interval of width 0.
///
/// `None` for fewer than 2 sessions, and for NaN and infinities.
pub fn prediction_interval(log_ratios: &[f64]) -> Option<Prediction> {
    let (mean, variance) = mean_and_variance(log_ratios)?;
    let sessions = log_ratios.len() as f64;
    let half_width = t975(sessions - 1.0)? * (variance? * (1.0 + 1.0 / sessions)).sqrt();
    Some(Prediction {
        sessions: log_ratios.len(),
        mean,
        interval95: [mean - half_width, mean + half_width],
    })
}
