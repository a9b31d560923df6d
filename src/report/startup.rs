//! The table of start-ups, and what explains it.

use super::cells::{ends, verdict, without_figures};
use super::conditions;
use super::doc::{Cell, Column, Doc, Keep, Table};
use super::sessions::Marks;
use crate::figures::{milliseconds, ratio};
use crate::model::Topology;
use crate::model::results::{Against, Results, StartupCase, Status};

/// Adds the table and the notes that it needs: what the ratio refers to, what is unavailable and
/// why.
pub(super) fn add(doc: &mut Doc, results: &Results) {
    let mut title = String::from("start-up, spawn to first ping, in ms");
    let is_set = |case: &StartupCase| case.topology == Topology::ReplicaSet;
    if results.startup.iter().any(is_set) {
        title += "; replica_set: to the first acknowledged majority write";
    }
    doc.heading(2, title);
    let mut table = Table { columns: columns(), ..Table::default() };
    let marks = Marks::of(results);
    // References that joined come last in the results; here they stand with their version.
    let label_of = |case: &StartupCase| results.startup.iter().position(|c| c.label == case.label);
    let mut rows: Vec<&StartupCase> = results.startup.iter().collect();
    rows.sort_by_key(|case| label_of(case));
    for cases in rows.chunk_by(|a, b| a.label == b.label) {
        let first = cases[0];
        let version = first.version.as_ref().unwrap_or(&first.label);
        // One row is enough where a whole version has one reason.
        let has_reason = |case: &&StartupCase| {
            case.summary.is_none() && case.reason.is_some() && case.reason == first.reason
        };
        if cases.iter().all(has_reason) {
            let why = without_figures(doc, Status::Unavailable, first.reason.as_deref());
            table.group_with(version, Some(why));
            continue;
        }
        table.group(version);
        for case in cases {
            let mut cells = row(doc, case);
            if let Some(mark) = marks.mark(case) {
                cells[0].text += &format!(" {mark}");
            }
            table.row(cells);
        }
    }
    doc.table(table.without_empty_columns());
    doc.notes.extend(explanations(results));
}

fn columns() -> Vec<Column> {
    const SIZES: &str = "RSS, data: memory and dbPath of one server in MiB";
    let figure = |title: &str| Column::figure(title);
    vec![
        Column::text("engine"),
        Column::text("dbPath"),
        Column::text("how"),
        figure("n"),
        figure("median"),
        figure("95 %"),
        figure("min").keep(Keep::IfItFits),
        figure("p95").keep(Keep::IfItFits),
        figure("ratio"),
        figure("95 %"),
        figure("last"),
        figure("RSS").keep(Keep::IfWide).about(SIZES),
        figure("data").keep(Keep::IfWide).about(SIZES),
        Column::text("verdict").keep(Keep::IfWide),
    ]
}

fn row(doc: &mut Doc, case: &StartupCase) -> Vec<Cell> {
    let place = match &case.db_path.file_system {
        Some(name) => format!("{} {name}", case.db_path.kind),
        None => case.db_path.kind.to_string(),
    };
    let engine = Cell::new(case.engine.to_string());
    let Some(summary) = case.summary.as_ref().filter(|_| case.status == Status::Measured) else {
        let why = without_figures(doc, Status::Unavailable, case.reason.as_deref());
        return vec![engine, why, how(case).into()];
    };
    let (against, ci95) = match &case.against {
        Some(against) => {
            let mark = if is_same(against) { "~" } else { "" };
            (format!("{mark}{}", ratio(against.ratio.estimate)), ends(against.ratio.ci95, ratio))
        }
        None => ("ref".to_owned(), String::new()),
    };
    let figures = [
        place,
        how(case),
        summary.n.to_string(),
        milliseconds(summary.median),
        ends(summary.ci95, milliseconds),
        milliseconds(summary.min),
        milliseconds(summary.p95),
        against,
        ci95,
    ];
    let figures = figures.into_iter().chain(conditions::cells(case)).map(Cell::from);
    [engine].into_iter().chain(figures).chain([verdict(&case.verdict)]).collect()
}

/// What the id of a case adds to version, engine and dbPath kind.
fn how(case: &StartupCase) -> String {
    let parts: Vec<&str> = case.id.split("::").skip(4).collect();
    parts.join(" ")
}

/// Whether no difference is shown: by the adjusted test, or by the interval where the session is
/// too short for that test.
fn is_same(against: &Against) -> bool {
    match against.p_holm {
        Some(p) => p >= 0.05,
        None => against.ratio.ci95.is_none_or(|[lower, upper]| lower <= 1.0 && 1.0 <= upper),
    }
}

fn explanations(results: &Results) -> Vec<String> {
    let mut notes = Vec::new();
    let against = || results.startup.iter().filter_map(|case| case.against.as_ref());
    if against().any(|a| !a.substitute) {
        let alike = match results.startup.iter().any(|case| !how(case).is_empty()) {
            true => "version and topology",
            false => "version",
        };
        notes.push(format!(
            "ratio: to the row marked ref of the same {alike} (wiredTiger on disk), block by block"
        ));
    }
    if against().any(is_same) {
        let adjusted = against().filter(|a| a.p_holm.is_some()).count();
        let by = match adjusted {
            0 => {
                "the interval contains 1; for a claim over all rows at once there are too few \
                    blocks"
            }
            _ if adjusted == against().count() => "signed-rank test at 5 %, by Holm for all rows",
            _ => {
                "signed-rank test at 5 %, by Holm for all rows with enough blocks for it; of the \
                    others the interval contains 1"
            }
        };
        notes.push(format!("~: no difference from the ref is shown ({by})"));
    }
    if let Some(a) = against().find(|a| a.substitute) {
        notes.push(format!("ratio: to {}, since the usual reference cannot run here", a.reference));
    }
    notes.extend(conditions::notes(&results.startup, results.machine.cores));
    notes
}

#[cfg(test)]
mod tests;
