//! What a transaction costs: the same operations with and without one, on a replica set of one
//! member.
//!
//! A [`Workload`] is a list of operations, an [`Arm`] a way to send them, a [`Plan`] how often;
//! some workloads have lanes or crowds of their own in the place of arms. [`measure()`] runs them
//! and checks on every iteration that what was meant to happen happened: what fails a check is an
//! error and never becomes a number.

mod article;
mod conflicts;
mod dataset;
mod lane;
mod lane_results;
mod lanes;
mod measured;
mod operations;
mod results;
mod rounds;
mod runner;
mod server;
#[cfg(test)]
mod tests;
mod ways;

pub use lane::LaneSample;
pub use measured::{Crowd, CrowdSample, Measured, MeasuredArm, Times, Work};
pub use rounds::measure;

use mongodb::error::ErrorKind;

use crate::error::Error;

/// What the server said, or what the driver did, as an error of ours.
fn driver(error: mongodb::error::Error) -> Error {
    Error::environment(match &*error.kind {
        // For this code the driver puts advice on retryable writes in the place of mongod's words.
        ErrorKind::Command(said)
            if said.code == 20 && said.message.contains("retryable writes") =>
        {
            "mongod refuses a transaction (code 20): that takes a member of a replica set, on an \
                engine that locks documents"
                .to_owned()
        }
        ErrorKind::Command(said) => format!("mongod: {}", said.message),
        _ => error.to_string(),
    })
}
