//! Integration tests, in one binary: real mongods, real files, the real command line.

mod advise;
mod cli;
#[cfg(target_os = "linux")]
mod cold;
mod config;
mod decide;
// This one finds processes in /proc.
#[cfg(target_os = "linux")]
mod guard;
mod guide;
mod harness;
mod locate;
mod lock;
mod matrix;
mod profile;
mod ramdisk;
mod rooms;
mod runners;
mod runs;
mod session;
// By LD_PRELOAD.
#[cfg(target_os = "linux")]
mod slow_fsync;
mod support;
#[cfg(target_os = "linux")]
mod together;
mod transactions;
