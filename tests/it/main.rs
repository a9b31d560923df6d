//! Integration tests, in one binary: real mongods, real files, the real command line.

mod cli;
mod config;
mod dbpath;
mod harness;
mod install;
mod launch;
mod locate;
mod session;
mod stats;
mod support;
