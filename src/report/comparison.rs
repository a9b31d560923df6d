//! The result of `mongate compare`: two lines and a sentence for each pair.

use super::cells::{letter, times};
use super::doc::Doc;
use super::notes;
use crate::model::results::Results;

/// Each pair with its times and its verdict, and the notes that it needs.
pub(crate) fn document(results: &Results) -> Doc {
    let mut doc = Doc::new("one server against another");
    for pair in results.startup.chunks(2) {
        for (index, case) in pair.iter().enumerate() {
            doc.say(format!("{} {}", letter(index), times(case)));
        }
        if let Some(judged) = pair.last() {
            doc.say(judged.verdict.to_string());
        }
    }
    doc.summary.extend(notes::gate(results));
    doc.notes = notes::context(results);
    doc
}
