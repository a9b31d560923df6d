//! What lanes and crowds gave, as `results.json` has it.

use serde::{Deserialize, Serialize};

use crate::model::results::{Overhead, units};
use crate::stats::{self, Summary};

/// The times of one lane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LaneTimes {
    /// What the lane is, in a few words.
    pub name: String,
    /// Of the macro-iterations, each of which is the median of its iterations.
    #[serde(flatten, with = "units::us")]
    pub summary: Summary,
    /// The macro-iterations in their order, in microseconds.
    pub samples_us: Vec<f64>,
    /// For each of them, how often the server synced its journal, an iteration.
    pub syncs: Vec<f64>,
    /// For each of them, how much of its time the server spent on that: 0.5 is half of it.
    pub sync_share: Vec<f64>,
    /// For each of them, how many entries came into the oplog, an iteration.
    pub oplog_entries: Vec<f64>,
}

/// One lane against another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The name of the one.
    pub one: String,
    /// The name of the other.
    pub other: String,
    /// The one's time over the other's.
    #[serde(flatten)]
    pub overhead: Overhead,
}

/// The median of a figure over the macro-iterations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// The median.
    pub median: f64,
    /// Its binomial 95 % interval; nothing below six macro-iterations.
    pub ci95: Option<[f64; 2]>,
    /// The macro-iterations in their order.
    pub samples: Vec<f64>,
}

/// What N operations cost: `fixed + each * N` in one transaction, and `each * N` as that many
/// majority writes. Lines are fitted to each macro-iteration by itself (see [`stats::fit_line`]),
/// and figures are the medians of these fits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Crossover {
    /// What a transaction costs however many operations it has, in microseconds.
    pub fixed_us: Figure,
    /// What each operation in it adds, in microseconds.
    pub each_us: Figure,
    /// What a majority write costs without a transaction, in microseconds.
    pub write_us: Figure,
    /// From so many operations on one transaction is cheaper; nothing where it never is.
    pub operations: Option<u64>,
    /// The binomial 95 % interval of that median, with nothing for "never"; nothing at all below
    /// six macro-iterations.
    pub ci95: Option<[Option<u64>; 2]>,
}

/// Several clients at once; see [`crate::measure::transactions::Crowd`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CrowdTimes {
    /// How many clients.
    pub clients: usize,
    /// All on one document, and not each on its own.
    pub hot: bool,
    /// Whether each write is a transaction.
    pub transaction: bool,
    /// Writes of all together, a second.
    pub commits_per_s: Figure,
    /// Tries that failed because of another client's write, a write: the clients' in transactions,
    /// the server's own without.
    pub retries: Figure,
    /// What 99 % of the writes did not take longer than, in microseconds.
    pub p99_us: Figure,
}

impl Figure {
    /// `None` for no samples, and for those that are not finite.
    pub fn of(samples: Vec<f64>) -> Option<Self> {
        let summary = stats::Summary::of(&samples)?;
        Some(Self { median: summary.median, ci95: summary.ci95, samples })
    }
}
