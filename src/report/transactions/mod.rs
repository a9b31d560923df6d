//! The tables of transactions.

mod article;
mod lanes;
mod notes;

use super::cells::without_figures;
use super::doc::{Cell, Doc, Table};
use crate::figures::{milliseconds as three_digits, signed, signed_change, signed_changes};
use crate::model::TransactionProfile;
use crate::model::results::{Overhead, Results, TransactionsCase};

const COSTS: [&str; 9] = ["case", "plain", "trans.", "us", "%", "95 %", "first", "commit", "E/A"];

/// The four ways to send the same writes, and what each step costs.
const SQUARE: [&str; 8] = ["case", "A", "B", "D", "E", "B/A", "E/D", "D/A"];

/// Adds the tables, and what a reader needs beside them. Times are in microseconds.
pub(super) fn add(doc: &mut Doc, results: &Results) {
    let cases = &results.transactions;
    // What has lanes or crowds of its own has tables of its own.
    let rows = |case: &&TransactionsCase| case.lanes.is_empty() && case.crowds.is_empty();
    let rows: Vec<&TransactionsCase> = cases.iter().filter(rows).collect();
    match rows.first().map(|case| case.profile) {
        None => {}
        Some(TransactionProfile::Article) => article::add(doc, &rows),
        Some(profile) => {
            doc.heading(
                2,
                format!("transactions, medians in us, cost in us and %, profile {profile}"),
            );
            let costs = table(&COSTS, &rows, |case| costs(doc, case));
            doc.table(costs);
            square(doc, &rows);
        }
    }
    lanes::add(doc, results);
    doc.notes.extend(notes::all(results));
}

/// A table with a heading for each version; `row` gives the cells after the name.
fn table(
    header: &[&str],
    cases: &[&TransactionsCase],
    mut row: impl FnMut(&TransactionsCase) -> Vec<Cell>,
) -> Table {
    let mut table = Table::new(header);
    for group in cases.chunk_by(|a, b| a.label == b.label) {
        table.group(version(group[0]));
        for case in group {
            table.row([Cell::new(name(case))].into_iter().chain(row(case)));
        }
    }
    table
}

/// The version of the server; where it is unknown, its label.
fn version(case: &TransactionsCase) -> &str {
    case.version.as_deref().unwrap_or(&case.label)
}

/// The last part of a case's id.
fn name(case: &TransactionsCase) -> &str {
    case.id.rsplit("::").next().unwrap_or_default()
}

fn costs(doc: &mut Doc, case: &TransactionsCase) -> Vec<Cell> {
    let (Some(plain), Some(transaction), Some(cost)) =
        (case.arms.get("B"), case.arms.get("E"), case.overhead.get("E_vs_B"))
    else {
        return vec![without_figures(doc, case.status, case.reason.as_deref())];
    };
    let steady = case.sentinel.as_ref().is_none_or(|s| !s.invalid);
    let mark = if steady { "" } else { "?" };
    let cells = [
        three_digits(plain.summary.median),
        three_digits(transaction.summary.median),
        signed(cost.difference_us),
        format!("{mark}{}", change(Some(cost))),
        changes(cost.ratio.ci95),
        three_digits(transaction.first_us),
        transaction.commit_us.map_or("-".into(), three_digits),
        change(case.overhead.get("E_vs_A")),
    ];
    cells.map(Cell::from).to_vec()
}

/// The table of the cases that have all four ways; nothing where none has.
fn square(doc: &mut Doc, cases: &[&TransactionsCase]) {
    let arms = ["A", "B", "D", "E"];
    let has_all = |case: &&TransactionsCase| arms.iter().all(|arm| case.arms.contains_key(*arm));
    let complete: Vec<&TransactionsCase> = cases.iter().copied().filter(has_all).collect();
    if complete.is_empty() {
        return;
    }
    doc.heading(
        2,
        "transaction (D, E) or none (A, B), w:1 (A, D) or majority (B, E); changes in %",
    );
    doc.table(table(&SQUARE, &complete, |case| {
        let times = arms.map(|arm| three_digits(case.arms[arm].summary.median));
        let costs = ["B_vs_A", "E_vs_D", "D_vs_A"].map(|key| change(case.overhead.get(key)));
        times.into_iter().chain(costs).map(Cell::from).collect()
    }));
}

/// A ratio as a change in per cent, marked where its interval includes none.
fn change(overhead: Option<&Overhead>) -> String {
    overhead.map_or("-".to_owned(), |overhead| {
        let mark = if overhead.significant { "" } else { "~" };
        format!("{mark}{}", signed_change(overhead.ratio.estimate))
    })
}

/// The ends of an interval of ratios as changes.
fn changes(ci95: Option<[f64; 2]>) -> String {
    ci95.map_or("-".to_owned(), signed_changes)
}

#[cfg(test)]
mod tests;
