//! For each kind of test suite the configuration to use.

use serde::Serialize;

use super::Session;
use super::compared::{Compared, Figures, adjust};
use super::shared::{shared, within};
use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::results::StartupCase;
use crate::model::{Case, Engine, Topology, VariantName};
use crate::plan::advise::is_usual;
use crate::plan::advise::{FAST, TEMPLATE, is_template};

/// A kind of test suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Unit tests without transactions: any engine, a standalone.
    Plain,
    /// Tests that need transactions: a replica set on wiredTiger, ready with its first acknowledged
    /// majority write.
    Transactions,
    /// Integration tests on what production has: a replica set on wiredTiger with default
    /// arguments. Only where the data lies may differ, since a RAM disk changes nothing that the
    /// server does; a template needs another journal.
    Production,
}

/// What to use for one kind of suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advised {
    /// The kind.
    pub need: Need,
    /// What to use: the simplest configuration that no other beats by more than the tolerance. Its
    /// figures, and those of the alternatives, are over the blocks that all of
    /// them have.
    pub recommended: Figures,
    /// The id of the one with the least median.
    pub fastest: String,
    /// The other ones, the simplest first, against the recommended one.
    pub alternatives: Vec<Alternative>,
}

/// A configuration that was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// What it takes.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its time against that of the recommended one.
    pub against: Compared,
}

impl Need {
    /// Whether a suite of this kind could use the configuration.
    fn takes(self, case: &Case) -> bool {
        let is_set = case.topology == Topology::ReplicaSet && case.engine == Engine::WiredTiger;
        is_candidate(case)
            && match self {
                Self::Plain => case.topology == Topology::Standalone,
                Self::Transactions => is_set,
                Self::Production => is_set && case.variant.is_none(),
            }
    }
}

/// Whether a case may be recommended at all: one server, warm, and no variant that is tried to see
/// what it does by itself.
pub(super) fn is_candidate(case: &Case) -> bool {
    let variant = case.variant.as_ref().map(VariantName::as_str);
    is_usual(case) && variant.is_none_or(|name| [FAST, TEMPLATE].contains(&name))
}

/// How much a configuration asks of its user, less being simpler: an option of mongod (another
/// engine, or arguments), then a RAM disk, then a template, which must be prepared and copied.
fn effort(case: &Case) -> u32 {
    let has_option = case.engine != Engine::WiredTiger || case.variant.is_some();
    u32::from(has_option)
        + 2 * u32::from(case.db_path == DbPathKind::Ramdisk)
        + 4 * u32::from(is_template(case))
}

/// What suites of this kind should use; nothing where nothing for them was measured.
pub(super) fn advised(session: &Session<'_>, label: &Label, need: Need) -> Option<Advised> {
    let of_need = |case: &Case| case.label == *label && need.takes(case);
    let mut candidates: Vec<(&Case, &StartupCase)> =
        session.measured().filter(|(case, _)| of_need(case)).collect();
    candidates.sort_by_key(|(case, _)| effort(case));
    let cases: Vec<&StartupCase> = candidates.into_iter().map(|(_, found)| found).collect();
    let fastest = fastest(&cases)?;
    let is_beaten = |case: &&&StartupCase| {
        let mut others = against(&cases, case).into_iter();
        others.any(|other| {
            let found = cases.iter().find(|found| found.id == other.case);
            found.is_some_and(|found| other.is_faster(session.tolerance.over(median_ms(found))))
        })
    };
    let not_beaten = cases.iter().find(|case| !is_beaten(case));
    let recommended = not_beaten.copied().unwrap_or(fastest);
    let blocks = shared(&cases);
    let figures = |case: &StartupCase| Figures::of(&within(case, &blocks));
    let alternatives = against(&cases, recommended).into_iter().filter_map(|against| {
        let case = cases.iter().find(|case| case.id == against.case)?;
        let figures = figures(case)?;
        Some(Alternative { figures, against })
    });
    Some(Advised {
        need,
        fastest: fastest.id.clone(),
        alternatives: alternatives.collect(),
        recommended: figures(recommended)?,
    })
}

/// Every case against one of them, which is left out, with claims that hold for all together.
fn against(cases: &[&StartupCase], one: &StartupCase) -> Vec<Compared> {
    let others = cases.iter().filter(|case| case.id != one.id);
    let mut all: Vec<Compared> = others.filter_map(|case| Compared::of(case, one)).collect();
    adjust(&mut all);
    all
}

/// The one with the least median over the blocks that all have; of equals the first.
pub(super) fn fastest<'a>(cases: &[&'a StartupCase]) -> Option<&'a StartupCase> {
    let blocks = shared(cases);
    let median_ms = |case: &StartupCase| median_ms(&within(case, &blocks));
    let fastest = cases.iter().min_by(|a, b| median_ms(a).total_cmp(&median_ms(b)));
    fastest.copied()
}

pub(super) fn median_ms(case: &StartupCase) -> f64 {
    let summary = case.summary.as_ref();
    summary.map_or(f64::INFINITY, |summary| summary.median)
}
