//! What to use for which kind of test suite: from the results of one session to advice. Nothing
//! here is known beforehand; every claim is a comparison in that session, and a difference is
//! claimed only where its 95 % interval excludes 1 and, with enough blocks for it, Holm's
//! adjustment over the question's comparisons agrees.

pub(crate) mod claims;
mod cold;
mod compared;
mod effects;
mod needs;
pub mod profile;
mod shared;
mod together;
mod versions;

use serde::Serialize;

use crate::judge::Tolerance;
use crate::model::Case;
use crate::model::Label;
use crate::model::results::{Results, StartupCase, Status};

pub use cold::Cold;
pub use compared::{Compared, Figures};
pub use effects::{Effect, RamDisk};
pub use needs::{Advised, Need};
pub use together::{AFFORDABLE_MS, Sharing, Together};
pub use versions::{Versions, belongs};

/// Everything that a session says to somebody who must choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The run that it comes from.
    pub run_id: String,
    /// Blocks of that session.
    pub blocks: u32,
    /// From which difference on a less simple configuration is worth it.
    pub tolerance: Tolerance,
    /// The sentinel of the session says that the machine was not steady: then nothing here holds.
    pub invalid: bool,
    /// For each server that advice was asked about.
    pub servers: Vec<OfServer>,
    /// How the servers compare.
    pub versions: Versions,
    /// What could not be measured.
    pub unavailable: Vec<Missing>,
}

/// The advice on one server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfServer {
    /// What the configuration calls it.
    pub label: String,
    /// What the binary says it is.
    pub version: Option<String>,
    /// How many blocks each of its cases has at least; 0 where none was measured.
    pub blocks: usize,
    /// For each kind of suite what to use; without those for which nothing could be measured.
    pub needs: Vec<Advised>,
    /// What single arguments do.
    pub effects: Vec<Effect>,
    /// What a RAM disk does; nothing where disk and RAM disk were not both measured.
    pub ram_disk: Option<RamDisk>,
    /// What a cold start costs; nothing where none was measured.
    pub cold: Option<Cold>,
    /// Several servers at once, a configuration each.
    pub together: Vec<Together>,
}

/// A case without figures, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// The case, or the label of a server without any.
    pub what: String,
    /// Why.
    pub reason: String,
}

/// The advice on these servers that a session gives. A less simple configuration is worth its
/// effort where it is faster by more than `tolerance`.
pub fn advise(results: &Results, labels: &[Label], tolerance: Tolerance) -> Advice {
    let session = Session::of(results, tolerance);
    let servers = labels.iter().map(|label| of_server(&session, label));
    Advice {
        run_id: results.run_id.clone(),
        blocks: results.session.blocks,
        tolerance,
        invalid: results.sentinel.as_ref().is_some_and(|s| s.invalid),
        servers: servers.collect(),
        versions: versions::versions(&session, labels),
        unavailable: session.missing(),
    }
}

fn of_server(session: &Session<'_>, label: &Label) -> OfServer {
    let kinds = [Need::Plain, Need::Transactions, Need::Production];
    let needs: Vec<Advised> =
        kinds.into_iter().filter_map(|need| needs::advised(session, label, need)).collect();
    OfServer {
        label: label.to_string(),
        version: session.version(label),
        blocks: session.blocks_of(label),
        effects: effects::effects(session, label),
        ram_disk: effects::ram_disk(session, label, &needs),
        cold: cold::cold(session, label),
        together: together::together(session, label),
        needs,
    }
}

/// The start-ups of a session by what they are.
struct Session<'a> {
    cases: Vec<(Case, &'a StartupCase)>,
    tolerance: Tolerance,
}

impl<'a> Session<'a> {
    fn of(results: &'a Results, tolerance: Tolerance) -> Self {
        // An id that this release cannot read is of no use here.
        let read = |found: &'a StartupCase| Some((found.id.parse().ok()?, found));
        Self { cases: results.startup.iter().filter_map(read).collect(), tolerance }
    }

    /// Those that have figures.
    fn measured(&self) -> impl Iterator<Item = (&Case, &'a StartupCase)> {
        let measured = self.cases.iter().filter(|(_, found)| has_figures(found));
        measured.map(|(case, found)| (case, *found))
    }

    /// The figures of a case, where it has some.
    fn find(&self, wanted: &Case) -> Option<&'a StartupCase> {
        let mut measured = self.measured();
        measured.find_map(|(case, found)| (case == wanted).then_some(found))
    }

    fn version(&self, label: &Label) -> Option<String> {
        let mut of_label = self.cases.iter().filter(|(case, _)| case.label == *label);
        of_label.find_map(|(_, found)| found.version.clone())
    }

    fn blocks_of(&self, label: &Label) -> usize {
        let of_label = self.measured().filter(|(case, _)| case.label == *label);
        let blocks = of_label.map(|(_, found)| found.samples.len());
        blocks.min().unwrap_or(0)
    }

    /// What has no figures; a server without any is one entry.
    fn missing(&self) -> Vec<Missing> {
        let mut missing: Vec<Missing> = Vec::new();
        for (case, found) in self.cases.iter().filter(|(_, found)| !has_figures(found)) {
            let has_some = self.measured().any(|(other, _)| other.label == case.label);
            let what = match has_some {
                true => found.id.clone(),
                false => case.label.to_string(),
            };
            if missing.iter().all(|known| known.what != what) {
                let reason = found.reason.clone();
                let reason = reason.unwrap_or_else(|| "it was not measured".to_owned());
                missing.push(Missing { what, reason });
            }
        }
        missing
    }
}

fn has_figures(found: &StartupCase) -> bool {
    found.status == Status::Measured && found.summary.is_some()
}
