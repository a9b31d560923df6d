//! What is said of transactions, and what a run's measurements say of that.

mod findings;

use std::fmt;

use serde::Serialize;

use crate::model::results::{Results, TransactionsCase};
pub(crate) use findings::crossover;
use findings::{batching, contention, default_concern, durability, read_only, single, syncs};

/// What the measurement says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Finding {
    /// The whole interval is on the claim's side.
    Held,
    /// The whole interval is on the other side.
    Refuted,
    /// The interval has both sides in it, or a measurement is missing.
    Undecided,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Held => "held",
            Self::Refuted => "did not hold",
            Self::Undecided => "could not be decided",
        })
    }
}

/// A claim, what was measured for it, and what that says.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Claim {
    /// What is said.
    pub claim: &'static str,
    /// What it takes, in words.
    pub criterion: &'static str,
    /// What was measured, with intervals; or what is missing.
    pub measured: String,
    /// What that says.
    pub finding: Finding,
}

/// The measurement and the finding; nothing where a measurement is missing.
type Judged = Option<(String, Finding)>;

/// Judges every claim by what was measured on the version with this label, and the one on the
/// server's default by all versions of the results.
pub(crate) fn claims(results: &Results, label: &str) -> Vec<Claim> {
    let case = |name: &str| {
        let id = format!("transactions::{label}::{name}");
        results.transactions.iter().find(|case| case.id == id)
    };
    let concerns = || case("writeConcern");
    let claim = |claim, criterion, needs: &str, judged: Judged| {
        let (measured, finding) =
            judged.unwrap_or_else(|| (missing(case(needs), needs), Finding::Undecided));
        Claim { claim, criterion, measured, finding }
    };
    vec![
        claim(
            "that transactions are slow is mostly durability",
            "a plain majority write takes longer than a w:1 transaction of the same write",
            "writeConcern",
            concerns().and_then(durability),
        ),
        claim(
            "the sync of the journal dominates a durable write",
            "the server spends more than half of a majority write's time on syncs",
            "writeConcern",
            concerns().and_then(syncs),
        ),
        claim(
            "several majority writes are faster as one transaction",
            "the fitted lines cross within the 1,000 operations that were measured",
            "insertOne-xN",
            case("insertOne-xN").and_then(batching),
        ),
        claim(
            "a transaction of one operation is waste",
            "it takes longer than the same write with w:majority alone",
            "writeConcern",
            concerns().and_then(single),
        ),
        claim(
            "a transaction that only reads costs a write",
            "every read-only transaction leaves an entry in the oplog, and a plain find none",
            "readOnly",
            case("readOnly").and_then(read_only),
        ),
        claim(
            "what got slower from 4.4 to 5.0 is the default write concern",
            "without a write concern, a write behaves as w:1 below 5.0 and as majority from 5.0 on",
            "writeConcern",
            default_concern(results),
        ),
        claim(
            "contention is what hurts, not the overhead of transactions",
            "many clients on one document lose more by being on one than by being in transactions",
            "conflicts",
            case("conflicts").and_then(contention),
        ),
    ]
}

fn missing(case: Option<&TransactionsCase>, needs: &str) -> String {
    match case.and_then(|case| case.reason.as_ref()) {
        Some(why) => format!("nothing, since {needs} could not be measured: {why}"),
        None => format!("nothing: {needs} was not measured, or with too few macro-iterations"),
    }
}

#[cfg(test)]
mod tests;
