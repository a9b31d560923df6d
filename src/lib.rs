//! Measures how long mongod takes to start and what a transaction costs, as test cases.
//!
//! A test target with `harness = false` and one line, [`main!`], turns the cases of
//! `.config/mongate.toml` into tests; [`run`] measures them from a program. The binary `mongate`
//! does the rest: it compares, profiles, advises and reports.

// What only the commands use is still built, and checked, without them.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

mod advise;
#[cfg(feature = "cli")]
mod cli;
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
pub use error::{Error, ErrorKind, Result};
pub use job::run;
pub use model::results::{Results, StartupCase, Status, TransactionsCase};
pub use model::{DbPathKind, Engine, Outcome, Verdict};
pub use stats::{Ratio, Summary};

/// The command line: what the binary runs.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn cli() -> std::process::ExitCode {
    cli::main()
}
