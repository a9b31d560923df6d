//! Integration tests, in one binary: real mongods, real files, the real command line.

mod advise;
mod calibrate;
mod cli;
#[cfg(target_os = "linux")]
mod cold;
mod config;
mod dbpath;
mod decide;
mod gate;
// These two find processes in /proc.
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod guard;
mod guide;
mod harness;
mod install;
mod launch;
mod locate;
mod matrix;
mod runners;
mod runs;
mod session;
mod startup;
// By LD_PRELOAD.
#[cfg(target_os = "linux")]
mod slow_fsync;
mod stats;
mod support;
#[cfg(target_os = "linux")]
mod together;
mod transactions;
