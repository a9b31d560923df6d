//! Results as text for people and machines. Reports do no I/O.

pub mod calibration;
pub mod comparison;
pub mod explain;
pub mod json;
pub mod lanes;
pub mod table;
pub mod transactions;
