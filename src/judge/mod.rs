//! From results to verdicts: which rule each case keeps or breaks, in words. Pure; knows no process
//! and no file.
//!
//! A rule is broken only where the whole interval lies beyond it, kept where the whole interval
//! lies inside, and inconclusive otherwise.

pub mod baseline;
pub mod calibrate;
mod finding;
mod rules;
#[cfg(test)]
mod tests;
mod threshold;

pub(crate) use finding::Finding;
pub use rules::{Rules, judge, judge_transactions};
pub use threshold::Tolerance;
