//! What a transaction costs: the same operations with and without one, on a replica set of one member.
//!
//! A [`Workload`] is a list of operations, an [`Arm`] a way to send them, a [`Plan`] how often. [`measure()`] runs them and checks on every
//! iteration that what was meant to happen happened: what fails a check is an error and never becomes a number.

mod arms;
mod cases;
mod dataset;
mod profile;
mod runner;

pub use arms::{Arm, ReadLevel};
pub use cases::{Operation, Step, TransactionCase, WORKLOADS, Workload, all};
pub use profile::{Plan, Profile};
pub use runner::{Checks, Measured, Times, measure};

use crate::error::Error;

/// What the driver or the server said, as an error of ours.
fn driver(error: mongodb::error::Error) -> Error {
    Error::environment(error.to_string())
}
