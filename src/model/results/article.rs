//! What the article's protocol says of a case: means, Tukey's fences and Welch's test.

use serde::{Deserialize, Serialize};

/// The article's plain arm against its transaction. The unit is the macro-iteration: one mean of
/// the iterations that are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Article {
    /// Plain, without a write concern.
    pub plain: ArticleArm,
    /// The transaction in a session of its own.
    pub transaction: ArticleArm,
    /// The transaction's mean minus the plain one, in microseconds.
    pub difference_us: f64,
    /// The same in per cent of the plain mean.
    pub difference_percent: f64,
    /// The 95 % interval of the difference, in microseconds; nothing where there are too few values
    /// for Welch's test, or none varies.
    pub ci95_us: Option<[f64; 2]>,
    /// Two-sided p of Welch's test.
    pub p: Option<f64>,
    /// "statistically significant": whether that is below 0.05.
    pub significant: bool,
    /// By how much the transaction's median is above the plain one, in per cent, macro-iteration by
    /// macro-iteration.
    pub medians_percent: Vec<f64>,
}

/// One arm of the article, without what Tukey's fences exclude.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArticleArm {
    /// The mean of each macro-iteration in their order, outliers included, in microseconds.
    pub means_us: Vec<f64>,
    /// Their mean, in microseconds.
    pub mean_us: f64,
    /// Their standard deviation, in microseconds; nothing for a single one.
    pub sd_us: Option<f64>,
    /// How many lay below the lower fence.
    pub removed_low: usize,
    /// How many lay above the upper one.
    pub removed_high: usize,
}
