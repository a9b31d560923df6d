//! The result of `mongate transactions --explain`: claims, then the tables that they rest on.

use super::doc::Doc;
use crate::advise::claims::Claim;
use crate::model::results::Results;

/// The claims, each with what was measured for it.
pub(crate) fn document(claims: &[Claim], results: &Results) -> Doc {
    let mut doc = Doc::new("what is said of transactions");
    for (number, claim) in (1..).zip(claims) {
        doc.heading(2, format!("{number}. \"{}\": {}", claim.claim, claim.finding));
        doc.item(claim.criterion);
        doc.item(format!("measured: {}", claim.measured));
    }
    let tables = super::tables::document(results);
    doc.append(tables);
    doc
}
