//! Results as text for people and machines. Reports do no I/O.

pub mod calibration;
mod chart;
pub mod comparison;
mod conditions;
pub mod explain;
pub mod html;
pub mod json;
pub mod lanes;
pub mod phases;
pub mod table;
pub mod transactions;
