//! Measures how long mongod takes to start and what a transaction costs, as test cases.

// What only the commands use is still built, and checked, without them.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

mod advise;
#[cfg(feature = "cli")]
pub mod cli;
mod config;
mod dbpath;
mod error;
mod figures;
// Documentation, not code.
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod harness;
mod host;
mod job;
mod judge;
mod launch;
mod measure;
mod model;
mod mongod;
mod plan;
mod report;
mod stats;
#[cfg(test)]
mod testing;

pub use config::Config;
pub use error::{Error, Result};
