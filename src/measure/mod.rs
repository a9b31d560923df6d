//! From a plan to samples, and from samples to results: blocks of everything once, in random order.

mod engine;
mod launch;
pub mod results;
mod run;
mod sample;
mod schedule;
mod store;
#[cfg(test)]
mod tests;
pub mod transactions;
mod usage;

pub use launch::pilot;
pub use run::{Measured, Plan, run};
pub use schedule::Schedule;
pub use store::Store;
pub(crate) use store::write_whole;
