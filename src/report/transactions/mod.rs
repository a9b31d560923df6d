//! The tables of transactions for a terminal.

mod article;
pub(super) mod notes;
mod square;

use comfy_table::{Attribute, Cell, Table};

use crate::figures::milliseconds as three_digits;
use crate::model::TransactionProfile;
use crate::model::results::{Overhead, Results, TransactionsCase};
use crate::report::lanes;
use crate::report::table::{Style, align, footnote, paint, titled, wrap};

const HEADER: [&str; 9] = ["case", "plain", "trans.", "us", "%", "95 %", "first", "commit", "E/A"];

/// The tables, and what a reader needs beside them. Times are in microseconds.
pub fn render(results: &Results, style: Style) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let cases = &results.transactions;
    // What has lanes or crowds of its own has tables of its own.
    let rows = |case: &&TransactionsCase| case.lanes.is_empty() && case.crowds.is_empty();
    let rows: Vec<&TransactionsCase> = cases.iter().filter(rows).collect();
    let mut text = match rows.first().map(|case| case.profile) {
        None => String::new(),
        Some(TransactionProfile::Article) => article::render(&rows, style, &mut reasons),
        Some(profile) => {
            let costs = table(&HEADER, rows, style, |case| row(case, style, &mut reasons));
            let title = format!("transactions, medians in us, cost in us and %, profile {profile}");
            format!("{title}\n{costs}\n{}", square::render(cases, style))
        }
    };
    text += &lanes::render(results, style);
    for note in notes::all(results, &reasons) {
        text.push_str(&wrap(&note, usize::from(style.width)));
        text.push('\n');
    }
    text
}

/// A table with a heading for each version; `row` gives the cells after the name. Long names break
/// into as many lines as make it fit.
fn table<'a>(
    header: &[&str],
    cases: impl IntoIterator<Item = &'a TransactionsCase>,
    style: Style,
    mut row: impl FnMut(&'a TransactionsCase) -> Vec<Cell>,
) -> String {
    let rows: Vec<(&TransactionsCase, Vec<Cell>)> =
        cases.into_iter().map(|case| (case, row(case))).collect();
    let mut made = titled(header, style);
    let mut gap = 0;
    // The first that fits, else the narrowest.
    for (operations, wider) in [(2, 1), (2, 0), (1, 0)] {
        gap = wider;
        made = titled(header, style);
        for group in rows.chunk_by(|(a, _), (b, _)| a.label == b.label) {
            let case = group[0].0;
            let version = case.version.as_deref().unwrap_or(&case.label);
            made.add_row([paint(Cell::new(version), style, Attribute::Bold)]);
            for (case, cells) in group {
                let name = Cell::new(format!(" {}", broken(name(case), operations)));
                made.add_row([name].into_iter().chain(cells.iter().cloned()));
            }
        }
        if width(&made, gap) <= usize::from(style.width) {
            break;
        }
    }
    align(&mut made, 1, gap);
    format!("{}\n", made.trim_fmt())
}

/// Of the columns, the space between each two, and so much more behind each.
fn width(table: &Table, gap: u16) -> usize {
    let columns = table.column_max_content_widths();
    columns.iter().map(|&w| usize::from(w + gap) + 1).sum::<usize>() - 1
}

/// The last part of a case's id.
pub(super) fn name(case: &TransactionsCase) -> &str {
    case.id.rsplit("::").next().unwrap_or_default()
}

/// A long name on several lines, so many operations each; where that is one, words that are
/// hyphenated break, too.
fn broken(name: &str, operations: usize) -> String {
    let parts: Vec<&str> = name.split('+').collect();
    let lines: Vec<String> =
        parts.chunks(operations).map(|operations| operations.join("+")).collect();
    let text = lines.join("+\n ");
    match text.split_once('-') {
        Some((word, rest)) if operations == 1 => format!("{word}-\n {rest}"),
        _ => text,
    }
}

fn row<'a>(case: &'a TransactionsCase, style: Style, reasons: &mut Vec<&'a str>) -> Vec<Cell> {
    let (Some(plain), Some(transaction), Some(cost)) =
        (case.arms.get("B"), case.arms.get("E"), case.overhead.get("E_vs_B"))
    else {
        return vec![footnote(&case.status, case.reason.as_deref(), style, reasons)];
    };
    let steady = case.sentinel.as_ref().is_none_or(|s| !s.invalid);
    let mark = if steady { "" } else { "?" };
    vec![
        Cell::new(three_digits(plain.summary.median_us)),
        Cell::new(three_digits(transaction.summary.median_us)),
        Cell::new(signed_us(cost.difference_us)),
        Cell::new(format!("{mark}{}", change(Some(cost)))),
        Cell::new(cost.ci95.map_or("-".to_owned(), interval)),
        Cell::new(three_digits(transaction.first_us)),
        Cell::new(transaction.commit_us.map_or("-".into(), three_digits)),
        Cell::new(change(case.overhead.get("E_vs_A"))),
    ]
}

/// A ratio as a change in per cent, marked where its interval includes none.
pub(super) fn change(overhead: Option<&Overhead>) -> String {
    overhead.map_or("-".to_owned(), |overhead| {
        let mark = if overhead.significant { "" } else { "~" };
        format!("{mark}{}", percent(overhead.ratio))
    })
}

/// A ratio as a change: +123.
fn percent(ratio: f64) -> String {
    whole((ratio - 1.0) * 100.0)
}

/// A change in per cent, whole and with its sign.
fn whole(percent: f64) -> String {
    // A rounded -0.4 is no minus.
    format!("{:+.0}", percent.round() + 0.0)
}

/// The ends of an interval of ratios as changes: -5..+12.
pub(super) fn interval(ends: [f64; 2]) -> String {
    let [low, high] = ends.map(percent);
    format!("{low}..{high}")
}

/// A difference of times with its sign.
fn signed_us(difference: f64) -> String {
    let sign = if difference < 0.0 { "-" } else { "+" };
    format!("{sign}{}", three_digits(difference.abs()))
}
