//! From what was measured of a case to its results.

use crate::measure::transactions::lane_results as lanes;
use crate::measure::transactions::{Measured, MeasuredArm, Times, Work};
use crate::model::TransactionProfile;
use crate::model::results::{
    ArmTimes, Article, COMPARISONS, Checks, Iterations, Journal, Oplog, Overhead, Sentinel, Status,
    TransactionsCase,
};
use crate::model::workload::{Arm, Shape};
use crate::stats;

impl TransactionsCase {
    /// Fills in what was measured of a workload of this shape; `tolerance` is the gate's, a share,
    /// for the sentinel.
    pub(crate) fn measured(mut self, measured: &Measured, shape: &Shape, tolerance: f64) -> Self {
        for [one, other] in COMPARISONS {
            if let Some(overhead) = overhead(measured, one, other) {
                self.overhead.insert(format!("{one}_vs_{other}"), overhead);
            }
        }
        let twins = [Arm::SENTINEL.letter, Arm::B.letter];
        self.sentinel = overhead(measured, twins[0], twins[1]).map(|twins| Sentinel {
            case: String::new(),
            ratio: twins.ratio,
            invalid: (twins.ratio.ci95)
                .is_some_and(|ci| stats::sentinel_invalid(ci, twins.ratio.estimate, tolerance)),
            samples: Vec::new(),
        });
        for arm in &measured.arms {
            if let Some(times) = arm_times(arm) {
                self.arms.insert(arm.arm.letter.to_owned(), times);
            }
        }
        if self.profile == TransactionProfile::Article {
            self.article = Article::of(measured);
        }
        self.lanes = lanes::lanes(&measured.lanes);
        if let Shape::Lanes(set) = shape {
            self.comparisons = lanes::comparisons(set, &self.lanes);
            self.crossover = set.is_sweep.then(|| lanes::crossover(&measured.lanes)).flatten();
        }
        self.crowds = lanes::crowds(&measured.crowds);
        let oplog = measured.arms.iter().filter_map(|arm| {
            let per_iteration = per_iteration(&arm.work)?;
            let entries = arm.work.entries;
            let oplog = Oplog {
                writes: per_iteration(entries.writes),
                transactions: per_iteration(entries.transactions),
                noops: per_iteration(entries.noops),
            };
            Some((arm.arm.letter.to_owned(), oplog))
        });
        self.checks = Some(Checks {
            committed: measured.checks.committed,
            matched: measured.checks.matched,
            retries: measured.checks.retries,
            oplog: oplog.collect(),
        });
        self.status = Status::Measured;
        self.reason = None;
        self
    }
}

/// A count of all iterations of an arm as that of one; nothing without iterations.
fn per_iteration(work: &Work) -> Option<impl Fn(u64) -> f64> {
    let iterations = work.iterations as f64;
    (work.iterations > 0).then_some(move |count: u64| count as f64 / iterations)
}

fn of(arm: &MeasuredArm, value: fn(&Times) -> Option<f64>) -> Vec<f64> {
    arm.macros.iter().filter_map(|m| value(&m.median)).collect()
}

fn arm_times(arm: &MeasuredArm) -> Option<ArmTimes> {
    let samples_us = arm.medians_us();
    let all = &arm.iterations_us;
    let per_iteration = per_iteration(&arm.work);
    Some(ArmTimes {
        name: arm.arm.name.to_owned(),
        summary: stats::Summary::of(&samples_us)?,
        first_us: stats::quantile(&of(arm, |t| Some(t.first_us)), 0.5)?,
        commit_us: stats::quantile(&of(arm, |t| t.commit_us), 0.5),
        samples_us,
        iterations: stats::dip(all).and_then(|dip| {
            Some(Iterations {
                n: all.len(),
                p10_us: stats::quantile(all, 0.1)?,
                p90_us: stats::quantile(all, 0.9)?,
                dip,
                two_modes: stats::has_two_modes(all),
            })
        }),
        journal: per_iteration.map(|per_iteration| Journal {
            syncs: per_iteration(arm.work.syncs),
            sync_us: per_iteration(arm.work.sync_us),
        }),
    })
}

/// One arm against another over the macro-iterations that both have; nothing where one is missing.
fn overhead(measured: &Measured, one: &str, other: &str) -> Option<Overhead> {
    let differences = measured.log_differences(one, other)?;
    let medians = |letter| Some(measured.arm(letter)?.medians_us());
    Overhead::of(&differences, &medians(one)?, &medians(other)?)
}
