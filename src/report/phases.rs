//! The result of `mongate profile` for a terminal: a table of phases, bars, and findings.

use comfy_table::{Attribute, Cell, CellAlignment, Color};

use crate::advise::profile::{Difference, Figures, Row, Stretch, diagnose, differences};
use crate::figures::{interval, milliseconds, percent, percent_interval};
use crate::model::Phase;
use crate::model::results::{Results, StartupCase};
use crate::report::chart::bar;
use crate::report::comparison::times;
use crate::report::notes::context;
use crate::report::table::{Style, paint, plain, titled, wrap};

/// Columns that one case takes in the table, at its widest.
const CASE: usize = 27;

/// Columns of the names of phases, and of what comes before a bar and after it.
const NAME: usize = 20;

/// What the row of the sums is called.
pub(super) const WHOLE: &str = "whole start";

/// Colours that tell cases apart in bars.
const COLORS: [Color; 6] =
    [Color::Blue, Color::Yellow, Color::Green, Color::Magenta, Color::Cyan, Color::Red];

/// A case with its phases and the name that it has in this report.
struct Column<'a> {
    name: String,
    case: &'a StartupCase,
    figures: Figures,
}

/// The phases of all cases side by side, as bars, and what they mean. Cases that do not fit beside
/// each other stand in a table of their own.
pub fn render(results: &Results, style: Style) -> String {
    let columns: Vec<Column<'_>> = results
        .startup
        .iter()
        .enumerate()
        .map(|(index, case)| Column { name: name(index), figures: Figures::of(case), case })
        .collect();
    let mut text = String::from("phases of the start, in ms\n");
    for column in &columns {
        text += &wrap(&format!("{} {}", column.name, times(column.case)), style.width.into());
        text.push('\n');
    }
    let drawn: Vec<&Column<'_>> = columns.iter().filter(|c| !c.figures.rows.is_empty()).collect();
    let beside = (usize::from(style.width).saturating_sub(NAME) / CASE).max(1);
    for columns in drawn.chunks(beside) {
        text.push('\n');
        text += &table(columns, style);
    }
    if !drawn.is_empty() {
        text.push('\n');
        text += &bars(&drawn, style);
        text.push('\n');
    }
    for note in notes(results, &columns) {
        text += &wrap(&note, style.width.into());
        text.push('\n');
    }
    text
}

/// A letter, and beyond 26 cases a letter with a number.
pub(super) fn name(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// Every stretch that one of these has, in order.
pub(super) fn stretches<'a>(figures: impl IntoIterator<Item = &'a Figures>) -> Vec<Stretch> {
    let all = figures.into_iter().flat_map(|figures| figures.rows.keys());
    let mut all: Vec<Stretch> = all.copied().collect();
    // The parts stand under their phase.
    all.sort_by_key(|stretch| match stretch {
        Stretch::Phase(phase) => (*phase, None),
        Stretch::Part(part) => (Phase::EngineOpen, Some(*part)),
    });
    all.dedup();
    all
}

/// A stretch's name, indented by its rank.
pub(super) fn label(stretch: Stretch) -> String {
    match stretch {
        Stretch::Phase(phase) => format!(" {phase}"),
        Stretch::Part(part) => format!("   {part}"),
    }
}

fn table(columns: &[&Column<'_>], style: Style) -> String {
    let mut header = vec!["phase".to_owned()];
    for column in columns {
        header.extend([format!("{} median", column.name), "95 %".into(), "share".into()]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = titled(&header, style);
    for stretch in stretches(columns.iter().map(|column| &column.figures)) {
        let mut row = vec![Cell::new(label(stretch))];
        for column in columns {
            row.extend(cells(column.figures.rows.get(&stretch)).map(Cell::new));
        }
        table.add_row(row);
    }
    let mut whole = vec![paint(Cell::new(format!(" {WHOLE}")), style, Attribute::Bold)];
    for column in columns {
        let [median, ci95, share] = whole_start(column.case);
        whole.push(paint(Cell::new(median), style, Attribute::Bold));
        whole.extend([ci95, share].map(Cell::new));
    }
    table.add_row(whole);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index % 3 == 0 { 2 } else { 1 }));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{}\n", table.trim_fmt())
}

/// Median, interval and share.
pub(super) fn cells(row: Option<&Row>) -> [String; 3] {
    match row {
        None => ["-".into(), String::new(), String::new()],
        Some(row) => [
            milliseconds(row.median_ms),
            row.ci95_ms.map_or("-".into(), |ci| interval(ci, milliseconds)),
            percent(row.share),
        ],
    }
}

/// As [`cells`], of the start from its beginning to its end.
pub(super) fn whole_start(case: &StartupCase) -> [String; 3] {
    let Some(summary) = &case.summary else {
        return cells(None);
    };
    [
        milliseconds(summary.median_ms),
        summary.ci95_ms.map_or("-".into(), |ci| interval(ci, milliseconds)),
        percent(1.0),
    ]
}

/// For each phase a bar a case, all on one scale.
fn bars(columns: &[&Column<'_>], style: Style) -> String {
    let medians = |phase: Stretch| {
        let of = move |column: &&Column<'_>| Some(column.figures.rows.get(&phase)?.median_ms);
        columns.iter().map(of)
    };
    let phases = stretches(columns.iter().map(|column| &column.figures))
        .into_iter()
        .filter(|stretch| matches!(stretch, Stretch::Phase(_)));
    let phases: Vec<Stretch> = phases.collect();
    let all = phases.iter().flat_map(|phase| medians(*phase)).flatten();
    let most = all.fold(0.0, f64::max);
    // The case's name before the bar, the number behind it.
    let width = usize::from(style.width).saturating_sub(NAME + 14).max(8);
    let mut table = plain(style);
    for phase in phases {
        for (index, (column, median)) in columns.iter().zip(medians(phase)).enumerate() {
            let first = if index == 0 { label(phase) } else { String::new() };
            let cell = Cell::new(bar(median.unwrap_or(0.0), most, width));
            let cell = if style.color { cell.fg(COLORS[index % COLORS.len()]) } else { cell };
            let number = median.map_or("-".into(), milliseconds);
            table.add_row([Cell::new(first), Cell::new(&column.name), cell, Cell::new(number)]);
        }
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    format!("{}\n", table.trim_fmt())
}

fn notes(results: &Results, columns: &[Column<'_>]) -> Vec<String> {
    let mut notes = findings(results);
    if columns.iter().any(|column| !column.figures.rows.is_empty()) {
        notes.push(
            "share: of the mean start; what is indented is part of engine_open and not added. A \
                phase whose end the log does not show belongs to the next"
                .to_owned(),
        );
    }
    notes.extend(context(results));
    notes
}

/// What each case's start waits for and uses, what mongod itself says of it, and what makes two
/// engines differ: a sentence each.
pub(super) fn findings(results: &Results) -> Vec<String> {
    let mut found = Vec::new();
    for (index, case) in results.startup.iter().enumerate() {
        let figures = Figures::of(case);
        let of = |text: String| format!("{}: {text}", name(index));
        found.extend(case.reason.clone().map(of));
        found.extend(diagnose(case, &results.startup).map(|found| of(found.text)));
        found.extend(used(&figures).map(of));
        found.extend(own_account(&figures).map(of));
    }
    found.extend(differences(&results.startup).iter().map(explained));
    found
}

fn used(figures: &Figures) -> Option<String> {
    let time = |what: &str, ms: Option<f64>| Some(format!("{what} {} ms", milliseconds(ms?)));
    let written = figures.written_mb.map(|mb| format!("sent to a block device {mb:.1} MiB"));
    let parts = [
        time("CPU time", figures.cpu_ms),
        time("wait for a processor", figures.cpu_wait_ms),
        written,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{} (medians)", parts.join(", ")))
}

/// The largest steps that mongod names itself.
fn own_account(figures: &Figures) -> Option<String> {
    const SHOWN: usize = 4;
    let steps = figures.steps_ms.iter().filter(|(_, ms)| *ms >= 1.0).take(SHOWN);
    let steps: Vec<String> =
        steps.map(|(name, ms)| format!("{name} {}", milliseconds(*ms))).collect();
    (!steps.is_empty()).then(|| {
        format!(
            "mongod's own account (log id 8423403, coarse, steps overlap), the largest in ms: {}",
            steps.join("; ")
        )
    })
}

fn explained(difference: &Difference) -> String {
    let ci95 = difference.ci95.map_or(String::new(), |ci| {
        // Shares, written as the change that a ratio of 1 + share would be.
        format!(" (95 %: {})", percent_interval(ci.map(|share| 1.0 + share)))
    });
    format!(
        "engine_open explains {}{ci95} of the {} ms between {} and {}",
        percent(difference.share),
        milliseconds(difference.median_ms),
        name(difference.slower),
        name(difference.faster)
    )
}
