//! Reads what mongod says while it starts, and divides the start into phases.

pub mod log;
mod phases;

pub use phases::{Client, Part, Phase, Profile, profile};
