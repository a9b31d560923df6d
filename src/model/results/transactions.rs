//! What transactions cost, as `results.json` has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::TransactionProfile;
use crate::model::Verdict;
use crate::model::results::Article;
use crate::model::results::{Comparison, Crossover, CrowdTimes, LaneTimes, Sentinel, units};
use crate::model::results::{DbPath, Status};
use crate::stats::{self, Ratio, Summary};

/// The comparisons that are made where both arms are there: at equal durability, a transaction
/// against w:1, the protocol alone, durability alone without and in a transaction, the server's
/// default against both, and the article's.
pub const COMPARISONS: [[&str; 2]; 8] = [
    ["E", "B"],
    ["E", "A"],
    ["D", "A"],
    ["B", "A"],
    ["E", "D"],
    ["A0", "A"],
    ["A0", "B"],
    ["E0", "A0"],
];

/// One workload on one server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TransactionsCase {
    /// The case's id.
    pub id: String,
    /// What the configuration calls the server.
    pub label: String,
    /// What the binary says it is; nothing where there is no binary.
    pub version: Option<String>,
    /// "replica_set".
    pub(crate) topology: String,
    /// Where the data went.
    pub(crate) db_path: DbPath,
    /// How thoroughly it was measured.
    pub(crate) profile: TransactionProfile,
    /// Listed under `versions` of `[mongod]`.
    pub required: bool,
    /// Whether it has numbers.
    pub status: Status,
    /// Why it has none.
    pub reason: Option<String>,
    /// By letter.
    pub(crate) arms: BTreeMap<String, ArmTimes>,
    /// By the letters of the two arms: "E_vs_B" is E's time over B's.
    pub(crate) overhead: BTreeMap<String, Overhead>,
    /// The second copy of arm B against the first: what differs here is noise. Nothing where it was
    /// not measured.
    #[serde(default)]
    pub(crate) sentinel: Option<Sentinel>,
    /// The numbers that the article's protocol gives; nothing for other profiles.
    #[serde(default)]
    pub(crate) article: Option<Article>,
    /// Of a workload whose lanes are its own, in their order.
    #[serde(default)]
    pub(crate) lanes: Vec<LaneTimes>,
    /// Which of its lanes are compared, macro-iteration by macro-iteration.
    #[serde(default)]
    pub(crate) comparisons: Vec<Comparison>,
    /// Of `insertOne-xN`: from how many operations on one transaction is cheaper than that many
    /// majority writes.
    #[serde(default)]
    pub(crate) crossover: Option<Crossover>,
    /// Of `conflicts`: numbers of clients, on one document and on one each.
    #[serde(default)]
    pub(crate) crowds: Vec<CrowdTimes>,
    /// What the checks counted; nothing where there are no numbers.
    pub(crate) checks: Option<Checks>,
    /// What the rules say.
    #[serde(default = "Verdict::measured")]
    pub verdict: Verdict,
}

/// The times of one arm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArmTimes {
    /// What the arm is, in a few words.
    pub name: String,
    /// Of the macro-iterations, each of which is the median of its iterations.
    #[serde(flatten, with = "units::us")]
    pub summary: Summary,
    /// The median of the first operation, in microseconds.
    pub first_us: f64,
    /// The median of the commit, in microseconds; nothing without a transaction.
    pub commit_us: Option<f64>,
    /// The macro-iterations in their order, in microseconds.
    pub samples_us: Vec<f64>,
    /// All iterations that count.
    #[serde(default)]
    pub iterations: Option<Iterations>,
    /// Syncs of the journal, those of the server's own threads included.
    #[serde(default)]
    pub journal: Option<Journal>,
}

/// How the times of single iterations lie.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Iterations {
    /// How many.
    pub n: usize,
    /// A tenth of them took less, in microseconds.
    pub p10_us: f64,
    /// A tenth of them took more, in microseconds.
    pub p90_us: f64,
    /// See [`stats::dip`].
    pub dip: f64,
    /// See [`stats::has_two_modes`].
    pub two_modes: bool,
}

/// What wiredTiger's log did for an iteration, on average.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Journal {
    /// Its syncs.
    pub syncs: f64,
    /// How long they took, in microseconds.
    pub sync_us: f64,
}

/// One arm against another, macro-iteration by macro-iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Overhead {
    /// The one's time over the other's.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Whether the interval excludes 1.
    pub significant: bool,
    /// The difference of the medians, in microseconds.
    pub difference_us: f64,
}

/// What the checks of a case counted, warm-up included; see [`crate::measure::transactions::Checks`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Checks {
    pub committed: u64,
    pub matched: u64,
    pub retries: u64,
    #[serde(default)]
    pub oplog: BTreeMap<String, Oplog>,
}

/// What an iteration of one arm left in the oplog, on average; see [`crate::measure::transactions::Entries`].
/// Writes and transactions are whole numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Oplog {
    pub writes: f64,
    pub transactions: f64,
    pub noops: f64,
}

impl Overhead {
    /// From the log differences of two samples, and the samples in microseconds.
    pub(crate) fn of(differences: &[f64], one: &[f64], other: &[f64]) -> Option<Self> {
        let ratio = Ratio::of(differences)?;
        Some(Self {
            ratio,
            significant: ratio.excludes_one(),
            difference_us: stats::quantile(one, 0.5)? - stats::quantile(other, 0.5)?,
        })
    }
}
