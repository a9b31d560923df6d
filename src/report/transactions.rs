//! The table of transactions for a terminal.

use comfy_table::{Attribute, Cell};

use crate::figures::milliseconds as three_digits;
use crate::report::lanes;
use crate::report::table::{Style, align, footnote, paint, places, titled, wrap};
use crate::results::{Overhead, Results, TransactionsCase};

const HEADER: [&str; 7] = ["case", "plain", "trans.", "cost", "95 %", "first", "commit"];

/// The table, and what a reader needs beside it. Times are in microseconds.
pub fn render(results: &Results, style: Style) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut table = titled(&HEADER, style);
    // What has lanes or crowds of its own has a table of its own.
    let rows = results
        .transactions
        .iter()
        .filter(|case| case.lanes.is_empty() && case.crowds.is_empty());
    let rows: Vec<&TransactionsCase> = rows.collect();
    for cases in rows.chunk_by(|a, b| a.label == b.label) {
        let version = cases[0].version.as_deref().unwrap_or(&cases[0].label);
        table.add_row([paint(Cell::new(version), style, Attribute::Bold)]);
        for case in cases {
            table.add_row(row(case, style, &mut reasons));
        }
    }
    align(&mut table, 1);
    let profile = results.transactions.first().map(|case| case.profile);
    let profile = profile.map_or(String::new(), |profile| format!(", profile {profile}"));
    let mut text = format!("transactions, medians in us, cost in %{profile}\n");
    if !rows.is_empty() {
        text += &table.trim_fmt();
        text.push('\n');
    }
    text += &lanes::render(results, style);
    for note in notes(results, &reasons) {
        text.push_str(&wrap(&note, usize::from(style.width)));
        text.push('\n');
    }
    text
}

fn row<'a>(case: &'a TransactionsCase, style: Style, reasons: &mut Vec<&'a str>) -> Vec<Cell> {
    let mut cells = vec![Cell::new(format!(" {}", broken(workload_of(case))))];
    let (Some(plain), Some(transaction), Some(overhead)) = (
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
    let [figure, interval] = cost(overhead);
    cells.extend([
        Cell::new(three_digits(plain.summary.median_us)),
        Cell::new(three_digits(transaction.summary.median_us)),
        Cell::new(figure),
        Cell::new(interval),
        Cell::new(three_digits(transaction.first_us)),
        Cell::new(transaction.commit_us.map_or("-".into(), three_digits)),
    ]);
    cells
}

/// The workload of a case: the last part of its id.
pub(super) fn workload_of(case: &TransactionsCase) -> &str {
    case.id.rsplit("::").next().unwrap_or_default()
}

/// A comparison in per cent, and its interval.
pub(super) fn cost(overhead: &Overhead) -> [String; 2] {
    let percent = |ratio: f64| format!("{:+.0}", (ratio - 1.0) * 100.0);
    let interval = overhead.ci95.map_or("-".to_owned(), |[low, high]| {
        format!("{}..{}", percent(low), percent(high))
    });
    let mark = if overhead.significant { "" } else { "~" };
    [format!("{mark}{}", percent(overhead.ratio)), interval]
}

/// A long name on several lines, two operations each.
fn broken(name: &str) -> String {
    let parts: Vec<&str> = name.split('+').collect();
    let lines: Vec<String> = parts.chunks(2).map(|pair| pair.join("+")).collect();
    lines.join("+\n ")
}

fn notes(results: &Results, reasons: &[&str]) -> Vec<String> {
    let mut notes: Vec<String> = (1..)
        .zip(reasons)
        .map(|(number, why)| format!("[{number}] {why}"))
        .collect();
    let measured = || results.transactions.iter().filter(|c| c.checks.is_some());
    if measured().any(|c| !c.arms.is_empty()) {
        notes.push(
            "plain: w:majority (B); trans.: the same in one transaction, snapshot, majority (E), of which first operation and commit; cost: E \
             over B, paired by macro-iteration"
                .to_owned(),
        );
    }
    let compared = |c: &TransactionsCase| {
        let lanes = c.comparisons.iter().map(|pair| &pair.overhead);
        lanes
            .chain(c.overhead.get("E_vs_B"))
            .any(|cost| !cost.significant)
    };
    if measured().any(compared) {
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
