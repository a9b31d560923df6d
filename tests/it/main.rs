//! Integration tests, in one binary: real mongods, real files, the real command line.

mod dbpath;
mod failures;
mod guard;
mod install;
mod launch;
mod stats;
mod support;
