//! Integration tests, in one binary: real mongods, real files, the real command line.

mod calibrate;
mod cli;
mod config;
mod dbpath;
mod decide;
mod gate;
// These two find processes in /proc.
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod guard;
mod harness;
mod install;
mod launch;
mod locate;
mod runners;
mod runs;
mod session;
mod stats;
mod support;
mod transactions;
