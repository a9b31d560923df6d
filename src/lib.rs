//! Measures how long mongod takes to start and what a transaction costs, as test cases.

pub mod advise;
pub mod baselines;
pub mod calibrate;
pub mod cases;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod config;
pub mod dbpath;
pub mod error;
mod figures;
pub mod gate;
pub mod harness;
pub mod launch;
pub mod machine;
pub mod measure;
pub mod mongod;
pub mod profile;
pub mod report;
pub mod results;
pub mod runs;
pub mod session;
pub mod startup;
pub mod stats;
pub mod workload;

pub use error::{Error, Result};
