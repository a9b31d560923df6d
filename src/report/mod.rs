//! Results as text for people and machines. Reports do no I/O.

pub mod calibration;
mod figures;
pub mod json;
pub mod table;
