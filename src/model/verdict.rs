//! What is said of a case.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stats;

/// What is said of a case, in ascending order of weight: where several rules are for one case, the
/// heaviest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// No rule is for it.
    Measured,
    /// The whole interval lies inside the rule.
    Ok,
    /// The whole interval lies below what the tolerance allows downwards.
    Improved,
    /// The interval contains the limit.
    Inconclusive,
    /// The session says nothing: identical cases differed in it, or there is nothing to compare
    /// with.
    Invalid,
    /// It could not be measured.
    Unavailable,
    /// The whole interval lies beyond the rule.
    Regressed,
    /// It was tried, and a check or the server said no.
    Failed,
}

impl From<stats::Decision> for Outcome {
    fn from(outcome: stats::Decision) -> Self {
        match outcome {
            stats::Decision::Regressed => Self::Regressed,
            stats::Decision::Improved => Self::Improved,
            stats::Decision::Ok => Self::Ok,
            stats::Decision::Inconclusive => Self::Inconclusive,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Ok => "ok",
            Self::Improved => "improved",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
            Self::Unavailable => "unavailable",
            Self::Regressed => "regressed",
            Self::Failed => "failed",
        })
    }
}

/// A verdict, with its rule and the numbers that decided it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What is said.
    pub outcome: Outcome,
    /// The rule that decided, as it stands in the configuration; nothing where none is for the
    /// case.
    pub rule: Option<String>,
    /// What decided, in words: a line a rule, the deciding one first.
    pub detail: Option<String>,
    /// Whether the gate fails.
    pub fails: bool,
}

impl Verdict {
    /// No rule is for the case.
    pub(crate) fn measured() -> Self {
        Self { outcome: Outcome::Measured, rule: None, detail: None, fails: false }
    }

    /// The case has no numbers that a rule could be for.
    pub(crate) fn without_numbers(outcome: Outcome, why: Option<&str>, fails: bool) -> Self {
        Self { outcome, rule: None, detail: why.map(str::to_owned), fails }
    }
}

/// "regressed: " and what decided.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}: {detail}", self.outcome),
            None => self.outcome.fmt(f),
        }
    }
}
