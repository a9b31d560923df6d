//! The tables of what has lanes or crowds of its own, for a terminal.

use comfy_table::{Attribute, Cell};

use crate::figures::{interval, milliseconds as three_digits, ratio};
use crate::model::results::{Crossover, Figure, LaneTimes, Results, TransactionsCase};
use crate::report::table::{Style, align, paint, titled, wrap};
use crate::report::transactions::{change, interval as changes, name};

/// The tables and sentences that the results call for, an empty line before each; nothing where
/// none has lanes or crowds.
pub fn render(results: &Results, style: Style) -> String {
    let cases = || results.transactions.iter();
    let laned: Vec<_> = cases().filter(|case| !case.lanes.is_empty()).collect();
    let crowded: Vec<_> = cases().filter(|case| !case.crowds.is_empty()).collect();
    let mut text = String::new();
    if !laned.is_empty() {
        text += &lanes(&laned, style);
    }
    if laned.iter().any(|case| !case.comparisons.is_empty()) {
        text += &comparisons(&laned, style);
    }
    for case in &laned {
        if let Some(found) = &case.crossover {
            let said = format!("{}: {}", version(case), crossover(found));
            text += &format!("\n{}\n", wrap(&said, usize::from(style.width)));
        }
    }
    for case in crowded {
        text += &crowds(case, style);
    }
    text
}

fn version(case: &TransactionsCase) -> &str {
    case.version.as_deref().unwrap_or(&case.label)
}

fn lanes(cases: &[&TransactionsCase], style: Style) -> String {
    let mut table = titled(&["lane", "median", "95 %", "syncs", "oplog"], style);
    for case in cases {
        let heading = format!("{} {}", version(case), name(case));
        table.add_row([paint(Cell::new(heading), style, Attribute::Bold)]);
        for lane in &case.lanes {
            table.add_row(lane_row(lane));
        }
    }
    align(&mut table, 1, 1);
    let note = "syncs: of the journal, oplog: entries; both an iteration";
    let profile = cases[0].profile;
    format!("\nlanes, medians in us, profile {profile}\n{}\n{note}\n", table.trim_fmt())
}

fn lane_row(lane: &LaneTimes) -> [String; 5] {
    let each = |samples: &[f64]| {
        Figure::of(samples.to_vec()).map_or("-".into(), |f| three_digits(f.median))
    };
    let ci = lane.summary.ci95_us;
    [
        format!(" {}", lane.name),
        three_digits(lane.summary.median_us),
        ci.map_or("-".into(), |ci| interval(ci, three_digits)),
        each(&lane.syncs),
        each(&lane.oplog_entries),
    ]
}

fn comparisons(cases: &[&TransactionsCase], style: Style) -> String {
    let mut table = titled(&["lane", "against", "cost", "95 %"], style);
    for case in cases.iter().filter(|case| !case.comparisons.is_empty()) {
        let heading = format!("{} {}", version(case), name(case));
        table.add_row([paint(Cell::new(heading), style, Attribute::Bold)]);
        for pair in &case.comparisons {
            let ci = pair.overhead.ci95.map_or("-".to_owned(), changes);
            let cost = change(Some(&pair.overhead));
            table.add_row([format!(" {}", pair.one), pair.other.clone(), cost, ci]);
        }
    }
    align(&mut table, 2, 1);
    format!("\nlanes compared, cost in %, paired by macro-iteration\n{}\n", table.trim_fmt())
}

/// The two lines and where they cross, in a sentence.
pub fn crossover(found: &Crossover) -> String {
    let us = |figure: &Figure| {
        let ci =
            figure.ci95.map_or(String::new(), |ci| format!(" ({})", interval(ci, three_digits)));
        format!("{}{ci}", three_digits(figure.median))
    };
    let lines = format!(
        "one transaction of N inserts takes {} us + N times {} us, N majority writes N times {} us",
        us(&found.fixed_us),
        us(&found.each_us),
        us(&found.write_us)
    );
    let end = |operations: Option<u64>| operations.map_or("never".to_owned(), |n| n.to_string());
    let ci = found.ci95.map_or(String::new(), |[low, high]| {
        format!(" (95 %: {} to {}, one fit a macro-iteration)", end(low), end(high))
    });
    match found.operations {
        Some(n) => format!(
            "{lines}: from N = {n} operations on{ci}, one transaction is cheaper than that many \
                majority writes"
        ),
        None => format!("{lines}: one transaction is never cheaper{ci}"),
    }
}

fn crowds(case: &TransactionsCase, style: Style) -> String {
    const HEADER: [&str; 7] =
        ["clients", "document", "sent as", "commits/s", "95 %", "retries", "p99 us"];
    let mut table = titled(&HEADER, style);
    for crowd in &case.crowds {
        let ci = crowd.commits_per_s.ci95;
        table.add_row([
            crowd.clients.to_string(),
            if crowd.hot { "one, hot" } else { "one each" }.to_owned(),
            if crowd.transaction { "transaction" } else { "plain" }.to_owned(),
            three_digits(crowd.commits_per_s.median),
            ci.map_or("-".into(), |ci| interval(ci, three_digits)),
            ratio(crowd.retries.median),
            three_digits(crowd.p99_us.median),
        ]);
    }
    align(&mut table, 3, 1);
    let note = "retries: a commit; the clients' own in transactions, the server's without. All \
        writes are w:majority, all figures medians over \
                macro-iterations.";
    format!(
        "\n{} conflicts: clients that each add 1 to a document\n{}\n{}\n",
        version(case),
        table.trim_fmt(),
        wrap(note, usize::from(style.width))
    )
}
