//! What a measurement gives.

use std::ops::AddAssign;

use crate::measure::transactions::LaneSample;
use crate::measure::transactions::server::Entries;
use crate::model::workload::Arm;
use crate::model::workload::Lane;
use crate::stats::quantile;

/// Times of one iteration, or the medians of one macro-iteration, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// From the first operation to the end of the last one, and in a transaction to the commit's
    /// acknowledgement; with a session of its own from its start to its end.
    pub total_us: f64,
    /// The first operation, which in a transaction also begins it.
    pub first_us: f64,
    /// The commit, in a transaction.
    pub commit_us: Option<f64>,
}

/// One macro-iteration of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Macro {
    /// The median of each time.
    pub median: Times,
    /// The mean of the totals, in microseconds.
    pub mean_us: f64,
}

/// What the checks counted, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Transactions that the server counted as committed: exactly those that were meant.
    pub committed: u64,
    /// Documents that were inserted, updated, deleted or found: exactly those that were meant.
    pub matched: u64,
    /// Iterations that the server aborted and that were run again, and commands that the driver
    /// sent again.
    pub retries: u64,
}

/// What the server did for one arm, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Iterations.
    pub iterations: u64,
    /// Entries of the oplog. Those of writes and transactions are exactly those that were meant.
    pub entries: Entries,
    /// Syncs of the journal, those of background threads included.
    pub syncs: u64,
    /// How long the syncs took, in microseconds.
    pub sync_us: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.entries.writes += other.entries.writes;
        self.entries.transactions += other.entries.transactions;
        self.entries.noops += other.entries.noops;
        self.syncs += other.syncs;
        self.sync_us += other.sync_us;
    }
}

/// What one arm gave.
#[derive(Clone, Debug)]
pub struct MeasuredArm {
    /// The arm.
    pub arm: Arm,
    /// Its macro-iterations in their order; the same index is the same macro-iteration in every arm
    /// that has so many.
    pub macros: Vec<Macro>,
    /// The totals of all iterations that count, in microseconds, in their order.
    pub iterations_us: Vec<f64>,
    /// What the server did.
    pub work: Work,
}

impl MeasuredArm {
    /// Nothing yet.
    pub(super) fn new(arm: Arm) -> Self {
        Self { arm, macros: Vec::new(), iterations_us: Vec::new(), work: Work::default() }
    }

    /// Adds a macro-iteration of these times; none without times.
    pub(super) fn add(&mut self, times: &[Times]) -> Option<()> {
        let totals: Vec<f64> = times.iter().map(|t| t.total_us).collect();
        let median =
            |of: fn(&Times) -> f64| quantile(&times.iter().map(of).collect::<Vec<_>>(), 0.5);
        let commits: Vec<f64> = times.iter().filter_map(|t| t.commit_us).collect();
        self.macros.push(Macro {
            median: Times {
                total_us: median(|t| t.total_us)?,
                first_us: median(|t| t.first_us)?,
                commit_us: quantile(&commits, 0.5),
            },
            mean_us: totals.iter().sum::<f64>() / totals.len() as f64,
        });
        self.iterations_us.extend(totals);
        Some(())
    }

    /// The medians of the macro-iterations, in microseconds.
    pub fn medians_us(&self) -> Vec<f64> {
        self.macros.iter().map(|m| m.median.total_us).collect()
    }
}

/// What one case gave: arms, lanes or crowds, by its shape.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The arms in the order of the plan.
    pub arms: Vec<MeasuredArm>,
    /// The lanes in the order of their set, with their macro-iterations.
    pub lanes: Vec<(Lane, Vec<LaneSample>)>,
    /// The crowds with their macro-iterations.
    pub crowds: Vec<(Crowd, Vec<CrowdSample>)>,
    /// What the checks counted.
    pub checks: Checks,
}

impl Measured {
    /// The arm with this letter.
    pub fn arm(&self, letter: &str) -> Option<&MeasuredArm> {
        self.arms.iter().find(|measured| measured.arm.letter == letter)
    }

    /// How many macro-iterations count of the arm that has most.
    pub fn macros(&self) -> u32 {
        let each = self.arms.iter().map(|arm| arm.macros.len() as u32);
        each.max().unwrap_or(0)
    }

    /// The log differences of two arms over the macro-iterations that both have.
    pub fn log_differences(&self, one: &str, other: &str) -> Option<Vec<f64>> {
        let (one, other) = (self.arm(one)?.medians_us(), self.arm(other)?.medians_us());
        let both = one.len().min(other.len());
        crate::stats::log_differences(&one[..both], &other[..both])
    }
}

/// Clients that add 1 to a document each, again and again, with w:majority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// How many.
    pub clients: usize,
    /// All on one document, and not each on its own.
    pub hot: bool,
    /// Each increment is a transaction, which the client tries again when the server aborts it.
    pub transaction: bool,
}

/// One macro-iteration of a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdSample {
    /// Increments, a second.
    pub commits_per_s: f64,
    /// Tries that failed because of another client's write, an increment: in transactions those of
    /// the clients, else those of the server, which tries again by itself.
    pub retries: f64,
    /// What 99 % of the increments did not take longer than, with their retries, in microseconds.
    pub p99_us: f64,
}
