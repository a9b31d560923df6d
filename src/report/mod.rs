//! Results as documents, and documents as text for people and machines. Reports do no I/O.
//!
//! Each command has a function that makes its [`doc::Doc`]; each format has one renderer.

mod advice;
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
pub(crate) mod terminal;
mod transactions;

pub(crate) use advice::document as advice;

use crate::model::results::Results;
use doc::Doc;

/// The tables of everything that was measured.
pub(crate) fn results(results: &Results) -> Doc {
    let is_startup = !results.startup.is_empty() || results.transactions.is_empty();
    let mut doc = Doc::new(match (is_startup, results.transactions.is_empty()) {
        (true, true) => "start-up of mongod",
        (false, _) => "what transactions cost",
        (true, false) => "start-up of mongod, and what transactions cost",
    });
    if is_startup {
        startup::add(&mut doc, results);
    }
    if !results.transactions.is_empty() {
        transactions::add(&mut doc, results);
    }
    doc.summary.extend(notes::gate(results));
    doc.notes.extend(notes::verdicts(results));
    doc.notes.extend(results.notices.iter().map(|notice| format!("note: {notice}")));
    doc.notes.extend(notes::context(results));
    doc
}
