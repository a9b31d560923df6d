//! Results as documents, and documents as text for people and machines. Reports do no I/O.
//!
//! Each command has a function that makes its [`doc::Doc`]; each format has one renderer.

pub(crate) mod advice;
pub(crate) mod calibration;
mod cells;
pub(crate) mod claims;
pub(crate) mod comparison;
mod conditions;
#[cfg(feature = "cli")]
pub(crate) mod csv;
pub(crate) mod doc;
#[cfg(feature = "cli")]
pub(crate) mod html;
pub(crate) mod json;
#[cfg(feature = "cli")]
pub(crate) mod markdown;
mod notes;
pub(crate) mod phases;
mod sessions;
mod startup;
pub(crate) mod tables;
pub(crate) mod terminal;
mod transactions;
