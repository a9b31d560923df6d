//! What the article's protocol says of a case: means, Tukey's fences and Welch's test.

use crate::measure::transactions::{Measured, MeasuredArm};
use crate::model::results::{Article, ArticleArm};
use crate::model::workload::Arm;
use crate::stats;

impl Article {
    /// Of what was measured; `None` where one of the two arms is missing.
    pub fn of(measured: &Measured) -> Option<Self> {
        let letters = [Arm::DEFAULT.letter, Arm::NEW_SESSION.letter];
        let (plain, kept_plain) = arm(measured.arm(letters[0])?)?;
        let (transaction, kept_transaction) = arm(measured.arm(letters[1])?)?;
        let welch = stats::welch(&kept_transaction, &kept_plain);
        let difference_us = transaction.mean_us - plain.mean_us;
        let differences = measured.log_differences(letters[1], letters[0])?;
        Some(Self {
            difference_us,
            difference_percent: difference_us / plain.mean_us * 100.0,
            ci95_us: welch.map(|welch| welch.ci95),
            p: welch.map(|welch| welch.p),
            significant: welch.is_some_and(|welch| welch.p < 0.05),
            medians_percent: differences.iter().map(|d| d.exp_m1() * 100.0).collect(),
            plain,
            transaction,
        })
    }
}

/// The arm, and its values that lie within the fences.
fn arm(measured: &MeasuredArm) -> Option<(ArticleArm, Vec<f64>)> {
    let means_us: Vec<f64> = measured.macros.iter().map(|m| m.mean_us).collect();
    let tukey = stats::tukey_fences(&means_us)?;
    let summary = stats::Summary::of(&tukey.kept)?;
    let arm = ArticleArm {
        means_us,
        mean_us: summary.mean,
        sd_us: summary.sd,
        removed_low: tukey.removed_low,
        removed_high: tukey.removed_high,
    };
    Some((arm, tukey.kept))
}
