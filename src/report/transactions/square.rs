//! The four ways to send the same writes: with and without a transaction, durable or not.

use comfy_table::Cell;

use super::{change, table, three_digits};
use crate::model::results::TransactionsCase;
use crate::report::table::Style;

const HEADER: [&str; 8] = ["case", "A", "B", "D", "E", "B/A", "E/D", "D/A"];

/// The table of the cases that have all four; nothing where none has.
pub(super) fn render(cases: &[TransactionsCase], style: Style) -> String {
    let arms = ["A", "B", "D", "E"];
    let complete: Vec<TransactionsCase> = cases
        .iter()
        .filter(|case| arms.iter().all(|arm| case.arms.contains_key(*arm)))
        .cloned()
        .collect();
    if complete.is_empty() {
        return String::new();
    }
    let square = table(&HEADER, &complete, style, |case| {
        let times = arms.iter().map(|arm| &case.arms[*arm].summary);
        let changes = ["B_vs_A", "E_vs_D", "D_vs_A"];
        times
            .map(|summary| three_digits(summary.median_us))
            .chain(changes.map(|key| change(case.overhead.get(key))))
            .map(Cell::new)
            .collect()
    });
    format!(
        "transaction (D, E) or none (A, B), w:1 (A, D) or majority (B, E); changes in %\n{square}\n"
    )
}
