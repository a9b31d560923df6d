//! The table of transactions for a terminal.

use comfy_table::{Attribute, Cell, CellAlignment};

use crate::figures::milliseconds as three_digits;
use crate::report::sessions;
use crate::report::table::{Style, footnote, paint, places, titled, wrap};
use crate::results::{Results, TransactionsCase};

const HEADER: [&str; 7] = ["case", "plain", "trans.", "cost", "95 %", "first", "commit"];

/// The table, and what a reader needs beside it. Times are in microseconds.
pub fn render(results: &Results, style: Style) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut table = titled(&HEADER, style);
    for cases in results.transactions.chunk_by(|a, b| a.label == b.label) {
        let version = cases[0].version.as_deref().unwrap_or(&cases[0].label);
        table.add_row([paint(Cell::new(version), style, Attribute::Bold)]);
        for case in cases {
            table.add_row(row(case, style, &mut reasons));
        }
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let profile = results.transactions.first().map(|case| case.profile);
    let profile = profile.map_or(String::new(), |profile| format!(", profile {profile}"));
    let mut text = format!(
        "transactions, medians in us, cost in %{profile}\n{}\n",
        table.trim_fmt()
    );
    for note in notes(results, &reasons) {
        text.push_str(&wrap(&note, usize::from(style.width)));
        text.push('\n');
    }
    text
}

fn row<'a>(case: &'a TransactionsCase, style: Style, reasons: &mut Vec<&'a str>) -> Vec<Cell> {
    let name = case.id.rsplit("::").next().unwrap_or_default();
    let mut cells = vec![Cell::new(format!(" {}", broken(name)))];
    let (Some(plain), Some(transaction), Some(cost)) = (
        case.arms.get("B"),
        case.arms.get("E"),
        case.overhead.get("E_vs_B"),
    ) else {
        cells.push(footnote(
            &case.status,
            case.reason.as_deref(),
            style,
            reasons,
        ));
        return cells;
    };
    let percent = |ratio: f64| format!("{:+.0}", (ratio - 1.0) * 100.0);
    let interval = cost.ci95.map_or("-".to_owned(), |[low, high]| {
        format!("{}..{}", percent(low), percent(high))
    });
    let mark = if cost.significant { "" } else { "~" };
    cells.extend([
        Cell::new(three_digits(plain.summary.median_us)),
        Cell::new(three_digits(transaction.summary.median_us)),
        Cell::new(format!("{mark}{}", percent(cost.ratio))),
        Cell::new(interval),
        Cell::new(three_digits(transaction.first_us)),
        Cell::new(transaction.commit_us.map_or("-".into(), three_digits)),
    ]);
    cells
}

/// A long name on several lines, two operations each.
fn broken(name: &str) -> String {
    let parts: Vec<&str> = name.split('+').collect();
    let lines: Vec<String> = parts.chunks(2).map(|pair| pair.join("+")).collect();
    lines.join("+\n ")
}

pub(super) fn notes(results: &Results, reasons: &[&str]) -> Vec<String> {
    let mut notes: Vec<String> = (1..)
        .zip(reasons)
        .map(|(number, why)| format!("[{number}] {why}"))
        .collect();
    let measured = || results.transactions.iter().filter(|c| c.checks.is_some());
    if measured().next().is_some() {
        notes.push(
            "plain: w:majority (B); trans.: the same in one transaction, snapshot, majority (E), of which first operation and commit; cost: E \
             over B, paired by macro-iteration"
                .to_owned(),
        );
    }
    if measured().any(|c| {
        c.overhead
            .get("E_vs_B")
            .is_some_and(|cost| !cost.significant)
    }) {
        notes.push("~: the interval includes 0".to_owned());
    }
    let retries: u64 = measured()
        .filter_map(|c| Some(c.checks.as_ref()?.retries))
        .sum();
    if retries > 0 {
        notes.push(format!("{retries} iterations or commands were sent again"));
    }
    notes.extend(places(
        results.transactions.iter().map(|case| &case.db_path),
    ));
    if !results.parts.is_empty() {
        notes.extend(sessions::notes(results));
        return notes;
    }
    if results.session.interrupted {
        notes.push(format!(
            "interrupted after {} cases",
            results.transactions.len()
        ));
    }
    notes.push(format!("machine: {}", results.machine));
    notes.push(format!("run: {}, seed {}", results.run_id, results.seed));
    notes
}
