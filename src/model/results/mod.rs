//! `results.json`, schema "mongate/1": what every report is made from.

mod article;
mod lanes;
mod merge;
mod transactions;
mod units;

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{
    Cache, DbPathKind, Engine, Machine, Outcome, Sample, Topology, Verdict, Voided,
};
use crate::stats::{self, Ratio, Summary};

pub use article::{Article, ArticleArm};
pub use lanes::{Comparison, Crossover, CrowdTimes, Figure, LaneTimes};
pub use merge::{Part, merge};
pub use transactions::{
    ArmTimes, COMPARISONS, Checks, Iterations, Journal, Oplog, Overhead, TransactionsCase,
};

/// The schema that this release writes.
pub const SCHEMA: &str = "mongate/1";

/// Everything that one run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Results {
    /// [`SCHEMA`].
    pub(crate) schema: String,
    /// The run's name, also that of its folder.
    pub run_id: String,
    /// When the session began: RFC 3339, UTC.
    pub started: String,
    /// What measured.
    pub(crate) tool: Tool,
    /// The seed of the random order.
    pub seed: u64,
    /// The machine.
    pub(crate) machine: Machine,
    /// How the session went.
    pub(crate) session: SessionFacts,
    /// The start-ups, in the order that they were asked for.
    pub startup: Vec<StartupCase>,
    /// What transactions cost, in the order that they were asked for.
    #[serde(default)]
    pub transactions: Vec<TransactionsCase>,
    /// The second copy of a reference, measured as if it were another case: what differs here is
    /// noise.
    pub(crate) sentinel: Option<Sentinel>,
    /// What a reader must know of the rules, a sentence each.
    pub(crate) notices: Vec<String>,
    /// The sessions that these results were merged from; none where they are of one session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<Part>,
}

/// Which mongate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    /// "mongate".
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How a session went.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SessionFacts {
    /// Blocks that count.
    pub blocks: u32,
    /// Launches that failed; their blocks were measured again.
    pub voided: Vec<Voided>,
    /// The sum of all launches from spawn to ready, warm-up included, in ms.
    pub measured_ms: f64,
    /// From the first launch to the end of the last, in ms.
    pub wall_ms: f64,
    /// A signal ended it early.
    pub interrupted: bool,
}

/// Whether a case has numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It was measured.
    Measured,
    /// It could not be measured here.
    Unavailable,
    /// It was tried, and a check or the server said no.
    Failed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        })
    }
}

/// One start-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StartupCase {
    /// The case's id.
    pub id: String,
    /// What the configuration calls the server.
    pub label: String,
    /// What the binary says it is; nothing where there is no binary.
    pub version: Option<String>,
    /// The storage engine.
    pub engine: Engine,
    /// What the server was part of.
    pub(crate) topology: Topology,
    /// What the page cache held.
    #[serde(default)]
    pub(crate) cache: Cache,
    /// How many servers started together.
    #[serde(default = "one")]
    pub(crate) at_once: u32,
    /// The name of the set of extra arguments; nothing for none.
    #[serde(default)]
    pub(crate) variant: Option<String>,
    /// Where the data went.
    pub(crate) db_path: DbPath,
    /// Listed under `versions`, so that the gate fails where it is unavailable.
    pub required: bool,
    /// Not asked for: it joined as a reference.
    pub(crate) joined: bool,
    /// Whether it has numbers.
    pub status: Status,
    /// Why it has none.
    pub reason: Option<String>,
    /// One launch each.
    pub(crate) samples: Vec<Sample>,
    /// Of `ready_ms`.
    #[serde(with = "units::ms")]
    pub summary: Option<Summary>,
    /// Compared with its reference, block by block.
    pub(crate) against: Option<Against>,
    /// What the rules say.
    pub verdict: Verdict,
}

/// What results had no word for before there was anything else.
fn one() -> u32 {
    1
}

/// Where the data went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DbPath {
    /// Disk or RAM disk.
    pub kind: DbPathKind,
    /// The folder in which each launch had its own; nothing where there is none.
    pub path: Option<PathBuf>,
    /// Its file system.
    pub file_system: Option<String>,
    /// Whether that is RAM; nothing where it is unknown.
    pub is_ram: Option<bool>,
    /// The median of an fsync there, in microseconds.
    pub fsync_us: Option<f64>,
}

/// A case against its reference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Against {
    /// The reference's id.
    pub reference: String,
    /// Whether that is the reference that the case should have, or the session's first case in its
    /// place.
    pub substitute: bool,
    /// The case's time over the reference's, block by block.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Its p adjusted by Holm for all comparisons of the session; below 0.05 the two differ.
    /// Nothing where the case has too few blocks to get there.
    pub p_holm: Option<f64>,
}

/// What the same thing measured twice showed: two identical cases, or two identical arms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sentinel {
    /// The reference that it repeats; empty for the arms of a transactions case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub case: String,
    /// One's time over the other's.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// They differ by more than half the tolerance: the machine was not steady, and what was
    /// measured beside them says nothing.
    pub invalid: bool,
    /// The launches of the second case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

impl StartupCase {
    /// Whether its data went to a disk or to a RAM disk.
    pub fn db_path_kind(&self) -> DbPathKind {
        self.db_path.kind
    }
}

impl Results {
    /// Whether more blocks would change no verdict: they may decide what is inconclusive, and
    /// steady a sentinel.
    pub(crate) fn is_decided(&self) -> bool {
        let unsteady = self.sentinel.as_ref().is_some_and(|s| s.invalid);
        self.startup.iter().all(|case| match case.verdict.outcome {
            Outcome::Inconclusive => false,
            Outcome::Invalid => !unsteady,
            _ => true,
        })
    }

    /// The worst that a gate found: a case that failed it, the heaviest first; nothing where none
    /// did.
    pub fn failure(&self) -> Option<Outcome> {
        let failing = self.verdicts().filter(|(_, verdict)| verdict.fails);
        failing.map(|(_, verdict)| verdict.outcome).max()
    }

    /// The verdicts of all cases of both kinds, with the cases' ids.
    pub fn verdicts(&self) -> impl Iterator<Item = (&str, &Verdict)> {
        let startup = self.startup.iter().map(|c| (c.id.as_str(), &c.verdict));
        let transactions = self.transactions.iter();
        startup.chain(transactions.map(|c| (c.id.as_str(), &c.verdict)))
    }
}

/// Adjusts the p-values of a session for each other.
pub fn adjust(cases: &mut [StartupCase]) {
    let (mut comparisons, tests): (Vec<&mut Against>, Vec<(f64, usize)>) = cases
        .iter_mut()
        .filter_map(|case| {
            let against = case.against.as_mut()?;
            // A reference has every block of what is compared with it.
            let test = (against.ratio.p?, case.samples.len());
            Some((against, test))
        })
        .unzip();
    let adjusted = stats::holm_of_pairs(&tests).unwrap_or_default();
    for (against, p) in comparisons.iter_mut().zip(adjusted) {
        against.p_holm = p;
    }
}
