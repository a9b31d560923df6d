//! One server against another: 6.x against 7.x above all.

use serde::Serialize;

use super::Session;
use super::compared::{Compared, adjust};
use super::needs::{fastest, is_candidate};
use crate::model::Label;
use crate::model::results::StartupCase;
use crate::model::{Case, Topology};

/// From this major version on a server is part of the question.
const FROM: u64 = 6;

/// What was measured of servers side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Versions {
    /// The label that the others are compared with: the first 6.x that was measured, else the first
    /// one.
    pub base: Option<String>,
    /// Its version.
    pub base_version: Option<String>,
    /// The servers that were measured beside it.
    pub others: Vec<Other>,
    /// The labels that belong to the question and could not be measured.
    pub missing: Vec<String>,
    /// 7.x or later is neither among those nor among these: nobody asked for it.
    pub unasked: bool,
}

/// A server against the base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    /// What the configuration calls it.
    pub label: String,
    /// What the binary says it is.
    pub version: Option<String>,
    /// Its fastest standalone against the base's fastest, each on what it can have.
    pub fastest: Option<Compared>,
    /// Each configuration that both have.
    pub alike: Vec<Compared>,
}

/// The servers of the question: those of 6.0 and later, and those that advice was asked about.
pub(super) fn versions(session: &Session<'_>, advised: &[Label]) -> Versions {
    let mut labels: Vec<&Label> = Vec::new();
    for (case, _) in &session.cases {
        let counts = belongs(&case.label) || advised.contains(&case.label);
        if counts && !labels.contains(&&case.label) {
            labels.push(&case.label);
        }
    }
    let (measured, missing): (Vec<&Label>, Vec<&Label>) =
        labels.iter().partition(|label| session.measured().any(|(case, _)| case.label == ***label));
    let first = measured.iter().find(|label| major(label) == Some(FROM));
    let base = first.or(measured.first()).copied();
    let others = measured.iter().filter(|label| Some(**label) != base);
    let mut others: Vec<Other> =
        others.filter_map(|label| Some(other(session, label, base?))).collect();
    let family =
        others.iter_mut().flat_map(|other| other.fastest.iter_mut().chain(&mut other.alike));
    adjust(family);
    Versions {
        base: base.map(ToString::to_string),
        base_version: base.and_then(|label| session.version(label)),
        others,
        missing: missing.iter().map(ToString::to_string).collect(),
        unasked: !labels.iter().any(|label| major(label) > Some(FROM)),
    }
}

fn other(session: &Session<'_>, label: &Label, base: &Label) -> Other {
    let own = |label: &Label| {
        let label = label.clone();
        let of_label = session.measured();
        of_label.filter(move |(case, _)| case.label == label && is_candidate(case))
    };
    let alike = own(label).filter_map(|(case, found)| {
        let twin = session.find(&Case { label: base.clone(), ..case.clone() })?;
        Compared::of(found, twin)
    });
    let fastest_of = |label: &Label| {
        let standalones = own(label).filter(|(case, _)| case.topology == Topology::Standalone);
        let found: Vec<&StartupCase> = standalones.map(|(_, found)| found).collect();
        fastest(&found)
    };
    let both = fastest_of(label).zip(fastest_of(base));
    Other {
        label: label.to_string(),
        version: session.version(label),
        fastest: both.and_then(|(own, base)| Compared::of(own, base)),
        alike: alike.collect(),
    }
}

/// Whether the question of 6.x against 7.x is about this server, too.
pub fn belongs(label: &Label) -> bool {
    major(label) >= Some(FROM)
}

fn major(label: &Label) -> Option<u64> {
    label.numbers()?.first().copied()
}
