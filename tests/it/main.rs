//! Integration tests, in one binary: real mongods, real files, the real command line.

mod calibrate;
mod dbpath;
mod install;
mod launch;
mod stats;
mod support;
