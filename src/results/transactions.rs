//! What transactions cost, as `results.json` has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::results::lanes::{self, Comparison, Crossover, CrowdTimes, LaneTimes};
use crate::results::{DbPath, Status};
use crate::stats;
use crate::workload::{Measured, Profile, Shape, Times};

/// The comparisons that are always made: at equal durability, as in the article, of the protocol alone, of durability alone.
pub const COMPARISONS: [[&str; 2]; 4] = [["E", "B"], ["E", "A"], ["D", "A"], ["B", "A"]];

/// One workload on one server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TransactionsCase {
    /// The case's id.
    pub id: String,
    /// What the configuration calls the server.
    pub label: String,
    /// What the binary says it is; nothing where there is no binary.
    pub version: Option<String>,
    /// "replica_set".
    pub topology: String,
    /// Where the data went.
    pub db_path: DbPath,
    /// How thoroughly it was measured.
    pub profile: Profile,
    /// Listed under `versions` of `[mongod]`.
    pub required: bool,
    /// Whether it has numbers.
    pub status: Status,
    /// Why it has none.
    pub reason: Option<String>,
    /// By letter.
    pub arms: BTreeMap<String, ArmTimes>,
    /// By the letters of the two arms: "E_vs_B" is E's time over B's.
    pub overhead: BTreeMap<String, Overhead>,
    /// Of a workload whose lanes are its own, in their order.
    #[serde(default)]
    pub lanes: Vec<LaneTimes>,
    /// Which of its lanes are compared, macro-iteration by macro-iteration.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
    /// Of `insertOne-xN`: from how many operations on one transaction is cheaper than that many majority writes.
    #[serde(default)]
    pub crossover: Option<Crossover>,
    /// Of `conflicts`: numbers of clients, on one document and on one each.
    #[serde(default)]
    pub crowds: Vec<CrowdTimes>,
    /// What the checks counted; nothing where there are no numbers.
    pub checks: Option<Checks>,
}

/// The times of one arm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArmTimes {
    /// What the arm is, in a few words.
    pub name: String,
    /// Of the macro-iterations, each of which is the median of its iterations.
    #[serde(flatten)]
    pub summary: SummaryUs,
    /// The median of the first operation, in microseconds.
    pub first_us: f64,
    /// The median of the commit, in microseconds; nothing without a transaction.
    pub commit_us: Option<f64>,
    /// The macro-iterations in their order, in microseconds.
    pub samples_us: Vec<f64>,
}

/// A sample of times in a few numbers, in microseconds; see [`stats::Summary`] for what each is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SummaryUs {
    pub n: usize,
    pub median_us: f64,
    pub ci95_us: Option<[f64; 2]>,
    pub mean_us: f64,
    pub sd_us: Option<f64>,
    pub min_us: f64,
    pub p95_us: f64,
}

impl SummaryUs {
    /// `None` where [`stats::Summary::of`] has none.
    pub fn of(samples_us: &[f64]) -> Option<Self> {
        let summary = stats::Summary::of(samples_us)?;
        Some(Self {
            n: summary.n,
            median_us: summary.median,
            ci95_us: summary.ci95,
            mean_us: summary.mean,
            sd_us: summary.sd,
            min_us: summary.min,
            p95_us: summary.p95,
        })
    }
}

/// One arm against another, macro-iteration by macro-iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Overhead {
    /// The one's time over the other's: the Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Its 95 % interval; nothing below six macro-iterations.
    pub ci95: Option<[f64; 2]>,
    /// Two-sided p of the signed-rank test.
    pub p: Option<f64>,
    /// Whether the interval excludes 1.
    pub significant: bool,
    /// The difference of the medians, in microseconds.
    pub difference_us: f64,
}

/// What the checks of a case counted, warm-up included; see [`crate::workload::Checks`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Checks {
    pub committed: u64,
    pub matched: u64,
    pub retries: u64,
}

impl TransactionsCase {
    /// Fills in what was measured of a workload of this shape.
    pub fn measured(mut self, measured: &Measured, shape: &Shape) -> Self {
        let totals = |letter: &str| {
            let found = measured.arms.iter().find(|(arm, _)| arm.letter == letter);
            found.map(|(_, times)| of(times, |t| Some(t.total_us)))
        };
        for [one, other] in COMPARISONS {
            let both = totals(one).zip(totals(other));
            if let Some(overhead) = both.and_then(|(one, other)| overhead(&one, &other)) {
                self.overhead.insert(format!("{one}_vs_{other}"), overhead);
            }
        }
        for (arm, times) in &measured.arms {
            if let Some(times) = arm_times(arm.name, times) {
                self.arms.insert(arm.letter.to_owned(), times);
            }
        }
        self.lanes = lanes::lanes(&measured.lanes);
        if let Shape::Lanes(set) = shape {
            self.comparisons = lanes::comparisons(set, &self.lanes);
            self.crossover = set
                .is_sweep
                .then(|| lanes::crossover(&measured.lanes))
                .flatten();
        }
        self.crowds = lanes::crowds(&measured.crowds);
        self.checks = Some(Checks {
            committed: measured.checks.committed,
            matched: measured.checks.matched,
            retries: measured.checks.retries,
        });
        self.status = Status::Measured;
        self.reason = None;
        self
    }
}

fn of(times: &[Times], value: fn(&Times) -> Option<f64>) -> Vec<f64> {
    times.iter().filter_map(value).collect()
}

fn arm_times(name: &str, times: &[Times]) -> Option<ArmTimes> {
    let samples_us = of(times, |t| Some(t.total_us));
    Some(ArmTimes {
        name: name.to_owned(),
        summary: SummaryUs::of(&samples_us)?,
        first_us: stats::quantile(&of(times, |t| Some(t.first_us)), 0.5)?,
        commit_us: stats::quantile(&of(times, |t| t.commit_us), 0.5),
        samples_us,
    })
}

pub(super) fn overhead(one: &[f64], other: &[f64]) -> Option<Overhead> {
    let differences = stats::log_differences(one, other)?;
    let ratio = stats::hodges_lehmann(&differences)?.ratio();
    Some(Overhead {
        ratio: ratio.estimate,
        ci95: ratio.ci95,
        p: stats::signed_rank_p(&differences),
        significant: ratio
            .ci95
            .is_some_and(|[low, high]| low > 1.0 || high < 1.0),
        difference_us: stats::quantile(one, 0.5)? - stats::quantile(other, 0.5)?,
    })
}
