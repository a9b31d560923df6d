//! Reads what mongod says while it starts.

pub mod log;
