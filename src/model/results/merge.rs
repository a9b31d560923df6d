//! Several results as one: the sessions of a run's processes, or the shards of several machines.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::model::Label;
use crate::model::Machine;
use crate::model::results::{
    Results, Sentinel, SessionFacts, StartupCase, TransactionsCase, adjust,
};

/// One of the sessions that results were merged from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The session's own name: `<run>/<part>` where it was one of several in a run.
    pub run_id: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// The seed of its random order.
    pub seed: u64,
    /// The machine that it ran on.
    pub machine: Machine,
    /// How it went.
    pub session: SessionFacts,
    /// What its two identical cases showed.
    pub sentinel: Option<Sentinel>,
    /// Which of the start-ups are its own, counted from 0.
    pub startup: Vec<usize>,
    /// Which of the transactions are its own, counted from 0.
    pub transactions: Vec<usize>,
}

impl Part {
    /// The run that it belongs to: without the part's name.
    pub fn run(&self) -> &str {
        self.run_id.split('/').next().unwrap_or_default()
    }
}

/// Brings results together: every case with the numbers of its own session, ordered by version with
/// references first. A reference that joined several sessions of a machine appears once; of several
/// attempts at a session the last counts. Nothing where there is nothing.
///
/// Ratios of different sessions and machines compare, since each is to the reference of its own
/// session; times of different machines do not. The p-values are adjusted anew, for all comparisons
/// together.
pub fn merge(mut all: Vec<Results>) -> Option<Results> {
    if all.len() < 2 {
        return all.pop();
    }
    let mut sessions: Vec<Session> = all.iter().flat_map(split).collect();
    sessions.sort_by_key(|s| OffsetDateTime::parse(&s.part.started, &Rfc3339).ok());
    let mut kept: Vec<Session> = Vec::new();
    // From the last to the first, so that a later attempt is seen before the one that it replaces.
    for session in sessions.into_iter().rev() {
        if !kept.iter().any(|later| session.is_replaced_by(later)) {
            kept.push(session);
        }
    }
    kept.reverse();
    let first = kept.first()?.part.clone();
    let mut startup = startups(&kept);
    let mut transactions: Vec<(usize, TransactionsCase)> = (0..)
        .zip(&kept)
        .flat_map(|(part, session)| session.transactions.iter().map(move |c| (part, c.clone())))
        .collect();
    transactions.sort_by_key(|(_, case)| label_order(&case.label));
    let mut parts: Vec<Part> = kept.into_iter().map(|session| session.part).collect();
    for (index, (part, _)) in startup.iter().enumerate() {
        parts[*part].startup.push(index);
    }
    for (index, (part, _)) in transactions.iter().enumerate() {
        parts[*part].transactions.push(index);
    }
    let mut startup: Vec<StartupCase> = startup.drain(..).map(|(_, case)| case).collect();
    for against in startup.iter_mut().filter_map(|case| case.against.as_mut()) {
        against.p_holm = None;
    }
    adjust(&mut startup);
    let mut notices: Vec<String> = Vec::new();
    for notice in all.iter().flat_map(|results| &results.notices) {
        if !notices.contains(notice) {
            notices.push(notice.clone());
        }
    }
    let one = &all[0];
    Some(Results {
        schema: one.schema.clone(),
        run_id: first.run().to_owned(),
        started: first.started.clone(),
        tool: one.tool.clone(),
        seed: first.seed,
        machine: first.machine,
        session: together(&parts),
        startup,
        transactions: transactions.into_iter().map(|(_, case)| case).collect(),
        sentinel: unsteadiest(&parts).cloned(),
        notices,
        parts,
    })
}

/// A session with its own cases.
struct Session {
    part: Part,
    startup: Vec<StartupCase>,
    transactions: Vec<TransactionsCase>,
}

impl Session {
    /// A second attempt at a session is named as the first, with its number behind an '@'; results
    /// that are given twice are the same session.
    fn is_replaced_by(&self, later: &Self) -> bool {
        let name = |session: &Self| -> String {
            let id = &session.part.run_id;
            id.split('@').next().unwrap_or_default().to_owned()
        };
        name(self) == name(later) && self.part.machine.is(&later.part.machine)
    }
}

/// The sessions of results: themselves, or those that they were merged from.
fn split(results: &Results) -> Vec<Session> {
    if results.parts.is_empty() {
        let part = Part {
            run_id: results.run_id.clone(),
            started: results.started.clone(),
            seed: results.seed,
            machine: results.machine.clone(),
            session: results.session.clone(),
            sentinel: results.sentinel.clone(),
            startup: Vec::new(),
            transactions: Vec::new(),
        };
        return vec![Session {
            part,
            startup: results.startup.clone(),
            transactions: results.transactions.clone(),
        }];
    }
    let session = |part: &Part| Session {
        // An index that is out of range names no case; a file can hold anything.
        startup: pick(&results.startup, &part.startup),
        transactions: pick(&results.transactions, &part.transactions),
        part: Part { startup: Vec::new(), transactions: Vec::new(), ..part.clone() },
    };
    results.parts.iter().map(session).collect()
}

fn pick<T: Clone>(all: &[T], indices: &[usize]) -> Vec<T> {
    indices.iter().filter_map(|&index| all.get(index).cloned()).collect()
}

/// Every start-up with the number of its session. What joined is left out where the same machine
/// measured it for itself, or has it already.
fn startups(sessions: &[Session]) -> Vec<(usize, StartupCase)> {
    let mut rows: Vec<(usize, StartupCase)> = Vec::new();
    for joined in [false, true] {
        for (part, session) in sessions.iter().enumerate() {
            let machine = &session.part.machine;
            for case in session.startup.iter().filter(|case| case.joined == joined) {
                let known = |(other, row): &(usize, StartupCase)| {
                    row.id == case.id && sessions[*other].part.machine.is(machine)
                };
                if !joined || !rows.iter().any(known) {
                    rows.push((part, case.clone()));
                }
            }
        }
    }
    let references: BTreeSet<String> = rows
        .iter()
        .filter_map(|(_, case)| Some(case.against.as_ref()?.reference.clone()))
        .collect();
    rows.sort_by_key(|(_, case)| {
        let follows = !references.contains(&case.id);
        (label_order(&case.label), follows, case.id.clone())
    });
    rows
}

/// By number, and names after all numbers.
fn label_order(label: &str) -> (bool, Vec<u64>, String) {
    let numbers = label.parse::<Label>().ok().and_then(|l| l.numbers());
    (numbers.is_none(), numbers.unwrap_or_default(), label.to_owned())
}

/// What all sessions measured, in sum.
fn together(parts: &[Part]) -> SessionFacts {
    let sessions = || parts.iter().map(|part| &part.session);
    SessionFacts {
        blocks: sessions().map(|s| s.blocks).sum(),
        voided: sessions().flat_map(|s| s.voided.clone()).collect(),
        measured_ms: sessions().map(|s| s.measured_ms).sum(),
        wall_ms: sessions().map(|s| s.wall_ms).sum(),
        interrupted: sessions().any(|s| s.interrupted),
    }
}

/// The sentinel that says most against its session.
fn unsteadiest(parts: &[Part]) -> Option<&Sentinel> {
    let sentinels = parts.iter().filter_map(|part| part.sentinel.as_ref());
    sentinels.max_by(|a, b| {
        let weight = |s: &Sentinel| (s.invalid, s.ratio.estimate.ln().abs());
        let (a, b) = (weight(a), weight(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}
