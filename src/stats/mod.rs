//! What measured numbers say: pure functions from slices of numbers to estimates, intervals and
//! outcomes.
//!
//! One launch, or one macro-iteration, gives one number; nothing finer enters a test. Cases of a
//! session are compared by the differences of their logarithms within a block: [`log_differences`],
//! then [`hodges_lehmann`] for the size and [`signed_rank_p`] for a claim that two cases differ,
//! with [`holm`] over a family of such claims. [`classify`] turns an interval into an [`Decision`].
//!
//! Values may be in any unit; results are in the same one. Bad input (nothing, NaN, infinities)
//! gives `None` or the value that the function documents, never a panic.

mod binomial;
mod dip;
mod holm;
mod line;
mod looks;
mod prediction;
mod signed_rank;
mod student;
mod summary;
#[cfg(test)]
mod tests;
mod tukey;
mod welch;

pub use binomial::upper_bound;
pub use dip::{dip, has_two_modes};
pub use holm::holm_of_pairs;
pub use line::{Line, fit_line, fit_proportional};
pub use looks::{Decision, LOOKS, classify, looks, sentinel_invalid};
pub use prediction::{MIN_SESSIONS, prediction_interval};
pub use signed_rank::{Ratio, hodges_lehmann, log_differences};
pub use summary::{Summary, quantile};
pub use tukey::tukey_fences;
pub use welch::welch;
