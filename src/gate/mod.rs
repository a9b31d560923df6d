//! From results to verdicts: which rule each case keeps or breaks, in words. Pure; knows no process
//! and no file.
//!
//! A rule is broken only where the whole interval lies beyond it, kept where the whole interval
//! lies inside, and inconclusive otherwise.

pub mod baseline;
mod judge;
mod threshold;
mod verdict;

pub use judge::{Rules, judge, judge_transactions};
pub use threshold::Tolerance;
pub use verdict::{Outcome, Verdict};
