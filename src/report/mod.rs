//! Results as text for people and machines. Reports do no I/O.

pub mod advise;
pub mod calibration;
mod chart;
pub mod comparison;
mod conditions;
pub mod html;
pub mod json;
pub mod phases;
pub mod table;
pub mod transactions;
