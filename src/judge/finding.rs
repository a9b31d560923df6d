//! What one rule says of a case.

use crate::model::Outcome;

/// What one rule says of a case.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub outcome: Outcome,
    pub rule: String,
    pub detail: String,
    /// Fails the gate whatever the policy for inconclusive verdicts is.
    pub strict: bool,
}
