//! The tables of what has lanes or crowds of its own.

use super::{change, changes, name, version};
use crate::advise::claims::crossover;
use crate::figures::{milliseconds as three_digits, ratio};
use crate::model::results::{Figure, LaneTimes, Results, TransactionsCase};
use crate::report::cells::ends;
use crate::report::doc::{Align, Doc, Table};

/// Adds the tables and sentences that the results call for; nothing where none has lanes or crowds.
pub(super) fn add(doc: &mut Doc, results: &Results) {
    let cases = || results.transactions.iter();
    let laned: Vec<_> = cases().filter(|case| !case.lanes.is_empty()).collect();
    if !laned.is_empty() {
        lanes(doc, &laned);
    }
    if laned.iter().any(|case| !case.comparisons.is_empty()) {
        comparisons(doc, &laned);
    }
    for case in &laned {
        if let Some(found) = &case.crossover {
            doc.say(format!("{}: {}", version(case), crossover(found)));
        }
    }
    for case in cases().filter(|case| !case.crowds.is_empty()) {
        crowds(doc, case);
    }
}

fn lanes(doc: &mut Doc, cases: &[&TransactionsCase]) {
    doc.heading(2, format!("lanes, medians in us, profile {}", cases[0].profile));
    let mut table = Table::new(&["lane", "median", "95 %", "syncs", "oplog"]);
    for case in cases {
        table.group(format!("{} {}", version(case), name(case)));
        case.lanes.iter().for_each(|lane| table.row(lane_row(lane)));
    }
    doc.table(table);
    doc.say("syncs: of the journal, oplog: entries; both an iteration");
}

fn lane_row(lane: &LaneTimes) -> [String; 5] {
    let each = |samples: &[f64]| {
        Figure::of(samples.to_vec()).map_or("-".into(), |f| three_digits(f.median))
    };
    [
        lane.name.clone(),
        three_digits(lane.summary.median),
        ends(lane.summary.ci95, three_digits),
        each(&lane.syncs),
        each(&lane.oplog_entries),
    ]
}

fn comparisons(doc: &mut Doc, cases: &[&TransactionsCase]) {
    doc.heading(2, "lanes compared, cost in %, paired by macro-iteration");
    let mut table = Table::new(&["lane", "against", "cost", "95 %"]);
    table.columns[1].align = Align::Left;
    for case in cases.iter().filter(|case| !case.comparisons.is_empty()) {
        table.group(format!("{} {}", version(case), name(case)));
        for pair in &case.comparisons {
            let cost = change(Some(&pair.overhead));
            let ci95 = changes(pair.overhead.ratio.ci95);
            table.row([pair.one.clone(), pair.other.clone(), cost, ci95]);
        }
    }
    doc.table(table);
}

fn crowds(doc: &mut Doc, case: &TransactionsCase) {
    const HEADER: [&str; 7] =
        ["clients", "document", "sent as", "commits/s", "95 %", "retries", "p99 us"];
    let version = version(case);
    doc.heading(2, format!("{version} conflicts: clients that each add 1 to a document"));
    let mut table = Table::new(&HEADER);
    table.columns[1..3].iter_mut().for_each(|column| column.align = Align::Left);
    for crowd in &case.crowds {
        table.row([
            crowd.clients.to_string(),
            if crowd.hot { "one, hot" } else { "one each" }.to_owned(),
            if crowd.transaction { "transaction" } else { "plain" }.to_owned(),
            three_digits(crowd.commits_per_s.median),
            ends(crowd.commits_per_s.ci95, three_digits),
            ratio(crowd.retries.median),
            three_digits(crowd.p99_us.median),
        ]);
    }
    doc.table(table);
    doc.say(
        "retries: a commit; the clients' own in transactions, the server's without. All writes \
        are w:majority, all figures medians over macro-iterations.",
    );
}
