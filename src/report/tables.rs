//! Everything that was measured: the tables of start-ups and of transactions.

use super::doc::Doc;
use super::{notes, startup, transactions};
use crate::model::results::Results;

/// The tables of everything that was measured.
pub(crate) fn document(results: &Results) -> Doc {
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
