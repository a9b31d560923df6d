//! Measures how long mongod takes to start and what a transaction costs, as test cases.

// What only the commands use is still built, and checked, without them.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

pub mod advise;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod dbpath;
pub mod error;
mod figures;
// Documentation, not code.
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod harness;
pub mod host;
pub mod job;
pub mod judge;
pub mod launch;
pub mod measure;
pub mod model;
pub mod mongod;
pub mod plan;
pub mod report;
pub mod stats;

pub use error::{Error, Result};
