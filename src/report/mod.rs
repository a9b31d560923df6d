//! Results as text for people and machines. Reports do no I/O.

pub mod calibration;
pub mod comparison;
mod conditions;
pub mod json;
pub mod table;
pub mod transactions;
