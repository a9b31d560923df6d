//! Results as text for people and machines. Reports do no I/O.

pub mod advise;
pub mod calibration;
mod chart;
pub mod comparison;
mod conditions;
#[cfg(feature = "cli")]
pub mod csv;
pub mod explain;
pub mod html;
pub mod json;
pub mod lanes;
pub mod markdown;
mod notes;
pub mod phases;
pub mod sessions;
pub mod table;
#[cfg(test)]
mod tests;
pub mod transactions;
