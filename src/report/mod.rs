//! Results as text for people and machines. Reports do no I/O.

pub mod calibration;
pub mod comparison;
#[cfg(feature = "cli")]
pub mod csv;
pub mod json;
pub mod markdown;
pub mod sessions;
pub mod table;
pub mod transactions;
