//! One line for each series of times, for a spreadsheet or a plot: start-ups and the arms of
//! transactions alike.

use serde::Serialize;

use super::doc::{Block, Cell, Doc};
use crate::model::Machine;
use crate::model::Outcome;
use crate::model::results::{
    ArmTimes, DbPath, Overhead, Part, Results, StartupCase, Status, TransactionsCase,
};

/// The columns, in order. Missing figures are left empty.
#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    version: Option<&'a str>,
    db_path: String,
    file_system: Option<&'a str>,
    status: Status,
    /// "ready" of a start-up; the letter of an arm of transactions.
    series: &'a str,
    unit: &'static str,
    n: Option<usize>,
    median: Option<f64>,
    median_low: Option<f64>,
    median_high: Option<f64>,
    mean: Option<f64>,
    sd: Option<f64>,
    min: Option<f64>,
    p95: Option<f64>,
    /// The case or the arm that the ratio is to.
    against: Option<&'a str>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    verdict: Option<Outcome>,
    reason: Option<&'a str>,
    run: &'a str,
    cpu: &'a str,
    cores: usize,
    kernel: &'a str,
}

/// The tables of a document: a line for each row, after what the table is about and the titles of
/// its columns.
pub(crate) fn tables(doc: &Doc) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let mut title = doc.title.as_str();
    let mut write = |title: &str, group: &str, cells: Vec<String>| {
        // A Vec takes everything.
        let _ = writer.write_record([title, group].into_iter().chain(cells.iter().map(|c| &**c)));
    };
    for block in &doc.blocks {
        let table = match block {
            Block::Heading(_, heading) => {
                title = heading;
                continue;
            }
            Block::Table(table) => table,
            _ => continue,
        };
        write("table", "group", table.columns.iter().map(|c| c.title.clone()).collect());
        let mut group = "";
        for row in &table.rows {
            if row.is_group && row.cells.len() == 1 {
                group = &row.cells[0].text;
            } else {
                write(title, group, row.cells.iter().map(Cell::full).collect());
            }
        }
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// All of the results, with a line of titles.
pub(crate) fn results(results: &Results) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (index, case) in results.startup.iter().enumerate() {
        let origin = origin(results, |part| part.startup.contains(&index));
        // A Vec takes everything, and a row has no nested values.
        let _ = writer.serialize(startup(case, origin));
    }
    for (index, case) in results.transactions.iter().enumerate() {
        let origin = origin(results, |part| part.transactions.contains(&index));
        for row in transactions(case, origin) {
            let _ = writer.serialize(row);
        }
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The run and the machine that a case is of.
fn origin(results: &Results, is_of: impl Fn(&Part) -> bool) -> (&str, &Machine) {
    let part = results.parts.iter().find(|part| is_of(part));
    part.map_or((&results.run_id, &results.machine), |part| (&part.run_id, &part.machine))
}

fn blank<'a>(
    case: &'a str,
    version: Option<&'a str>,
    db_path: &'a DbPath,
    (run, machine): (&'a str, &'a Machine),
) -> Row<'a> {
    Row {
        case,
        version,
        db_path: db_path.kind.to_string(),
        file_system: db_path.file_system.as_deref(),
        status: Status::Measured,
        series: "ready",
        unit: "ms",
        n: None,
        median: None,
        median_low: None,
        median_high: None,
        mean: None,
        sd: None,
        min: None,
        p95: None,
        against: None,
        ratio: None,
        ratio_low: None,
        ratio_high: None,
        verdict: None,
        reason: None,
        run,
        cpu: &machine.cpu,
        cores: machine.cores,
        kernel: &machine.kernel,
    }
}

fn startup<'a>(case: &'a StartupCase, origin: (&'a str, &'a Machine)) -> Row<'a> {
    let summary = case.summary.as_ref();
    let against = case.against.as_ref();
    let [median_low, median_high] = ends(summary.and_then(|s| s.ci95));
    let [ratio_low, ratio_high] = ends(against.and_then(|a| a.ratio.ci95));
    Row {
        status: case.status,
        n: summary.map(|s| s.n),
        median: summary.map(|s| s.median),
        median_low,
        median_high,
        mean: summary.map(|s| s.mean),
        sd: summary.and_then(|s| s.sd),
        min: summary.map(|s| s.min),
        p95: summary.map(|s| s.p95),
        against: against.map(|a| a.reference.as_str()),
        ratio: against.map(|a| a.ratio.estimate),
        ratio_low,
        ratio_high,
        verdict: Some(case.verdict.outcome),
        reason: case.reason.as_deref(),
        ..blank(&case.id, case.version.as_deref(), &case.db_path, origin)
    }
}

/// A line for each arm; E stands against B, every other against nothing. One line where there are
/// no times.
fn transactions<'a>(case: &'a TransactionsCase, origin: (&'a str, &'a Machine)) -> Vec<Row<'a>> {
    let blank = || blank(&case.id, case.version.as_deref(), &case.db_path, origin);
    if case.arms.is_empty() {
        return vec![Row {
            status: case.status,
            series: "",
            unit: "us",
            reason: case.reason.as_deref(),
            ..blank()
        }];
    }
    let row = |(letter, arm): (&'a String, &'a ArmTimes)| {
        let cost: Option<&Overhead> = case.overhead.get("E_vs_B").filter(|_| letter == "E");
        let [median_low, median_high] = ends(arm.summary.ci95);
        let [ratio_low, ratio_high] = ends(cost.and_then(|cost| cost.ratio.ci95));
        Row {
            series: letter,
            unit: "us",
            n: Some(arm.summary.n),
            median: Some(arm.summary.median),
            median_low,
            median_high,
            mean: Some(arm.summary.mean),
            sd: arm.summary.sd,
            min: Some(arm.summary.min),
            p95: Some(arm.summary.p95),
            against: cost.map(|_| "B"),
            ratio: cost.map(|cost| cost.ratio.estimate),
            ratio_low,
            ratio_high,
            ..blank()
        }
    };
    case.arms.iter().map(row).collect()
}

fn ends(interval: Option<[f64; 2]>) -> [Option<f64>; 2] {
    interval.map_or([None, None], |ends| ends.map(Some))
}

#[cfg(test)]
mod tests {
    use super::super::doc::Table;
    use super::*;

    #[test]
    fn a_table_is_quoted_and_keeps_its_groups() {
        let mut doc = Doc::new("t");
        doc.heading(2, "start-up, in ms");
        let mut table = Table::new(&["case", "median"]);
        table.group("6.0.27");
        table.row(["a \"b\"", "1,313"]);
        doc.table(table);
        let text = "table,group,case,median\n\
            \"start-up, in ms\",6.0.27,\"a \"\"b\"\"\",\"1,313\"\n";
        assert_eq!(tables(&doc), text);
    }
}
