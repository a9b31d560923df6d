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

/// What the server said, in its own words, else what the driver did, as an error of ours.
fn driver(error: mongodb::error::Error) -> Error {
    let answer = error.server_response();
    let said = answer.and_then(|answer| answer.get_str("errmsg").ok());
    Error::environment(match said {
        Some(said) => format!("mongod: {said}"),
        None => error.to_string(),
    })
}
