//! The table of start-ups for a terminal.

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Table,
    TableStyle,
};

use crate::figures::{interval, milliseconds, ratio};
use crate::model::Topology;
use crate::model::results::{Against, Results, StartupCase, Status};
use crate::report::sessions::Marks;
use crate::report::{conditions, notes};

/// How the table is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Columns that the terminal has.
    pub width: u16,
    /// Whether colours and bold type are welcome.
    pub color: bool,
}

const RULE: LineStyle = LineStyle::none().fill('─').junction('─');
const RULES: TableStyle = TableStyle::new().header_separator(RULE).bottom_border(RULE);

const HEADER: [&str; 13] = [
    "engine", "dbPath", "how", "n", "median", "95 %", "min", "p95", "ratio", "95 %", "last", "RSS",
    "data",
];

/// What only a wide terminal shows.
const SIZES: [&str; 2] = ["RSS", "data"];

/// The column that tells cases of one engine and dbPath kind apart.
const HOW: usize = 2;

/// The table with the notes that it needs: what the ratio refers to, what is unavailable and why,
/// where the data went, the machine.
pub fn render(results: &Results, style: Style) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut table = titled(&HEADER, style);
    let marks = Marks::of(results);
    // References that joined come last in the results; here they stand with their version.
    let label_of = |case: &StartupCase| results.startup.iter().position(|c| c.label == case.label);
    let mut rows: Vec<&StartupCase> = results.startup.iter().collect();
    rows.sort_by_key(|case| label_of(case));
    for cases in rows.chunk_by(|a, b| a.label == b.label) {
        let mut heading = vec![paint(Cell::new(heading(cases[0])), style, Attribute::Bold)];
        // One row is enough where a whole version has one reason.
        let reason = cases[0].reason.as_ref().filter(|why| {
            cases.iter().all(|case| case.summary.is_none() && case.reason.as_ref() == Some(*why))
        });
        if reason.is_some() {
            heading.push(unavailable(cases[0], style, &mut reasons));
            table.add_row(heading);
            continue;
        }
        table.add_row(heading);
        for case in cases {
            let mut cells = row(case, style, &mut reasons);
            if let Some(mark) = marks.mark(case) {
                cells[0] = Cell::new(format!("{} {mark}", cells[0].content()));
            }
            table.add_row(cells);
        }
    }
    if results.startup.iter().all(|case| how(case).is_empty()) {
        hide(&mut table, "how");
    }
    if results.startup.iter().all(|case| case.at_once == 1) {
        hide(&mut table, "last");
    }
    let gap = fit(&mut table, usize::from(style.width));
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding(gap);
        if index > HOW {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut title = String::from("start-up, spawn to first ping, in ms");
    let is_set = |case: &StartupCase| case.topology == Topology::ReplicaSet;
    if results.startup.iter().any(is_set) {
        title += "; replica_set: to the first acknowledged majority write";
    }
    let sizes = index(SIZES[0]).and_then(|index| table.column(index));
    if sizes.is_some_and(|column| !column.is_hidden()) {
        title += "; memory and dbPath of one server in MiB";
    }
    let mut text = wrap(&title, usize::from(style.width)) + "\n";
    text += &table.trim_fmt();
    text.push('\n');
    for note in notes::all(results, &reasons) {
        text.push_str(&wrap(&note, usize::from(style.width)));
        text.push('\n');
    }
    text
}

/// Makes the table fit: with room between its columns, if need be without sizes; else close, if
/// need be without the figures that say least. Returns the padding.
fn fit(table: &mut Table, width: usize) -> (u16, u16) {
    let widths = table.column_max_content_widths();
    // The columns with so much between each two.
    let needed = |table: &Table, gap: usize| {
        let columns = table.column_iter().zip(&widths);
        let shown = columns.filter(|(column, _)| !column.is_hidden());
        shown.map(|(_, &w)| usize::from(w) + gap).sum::<usize>() - 1
    };
    if needed(table, 3) <= width {
        return (1, 1);
    }
    for title in SIZES {
        hide(table, title);
    }
    if needed(table, 3) <= width {
        return (1, 1);
    }
    for title in ["min", "p95"] {
        if needed(table, 1) > width {
            hide(table, title);
        }
    }
    (0, 0)
}

fn hide(table: &mut Table, title: &str) {
    if let Some(column) = index(title).and_then(|index| table.column_mut(index)) {
        column.set_constraint(ColumnConstraint::Hidden);
    }
}

/// The place of a column.
fn index(title: &str) -> Option<usize> {
    HEADER.iter().position(|name| *name == title)
}

/// An empty table with these titles, in the manner of every table here.
pub(super) fn titled(header: &[&str], style: Style) -> Table {
    let mut table = plain(style);
    let titles = header.iter();
    table.set_header(titles.map(|title| paint(Cell::new(title), style, Attribute::Bold)));
    table
}

/// An empty table without titles.
pub(super) fn plain(style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(RULES).set_content_arrangement(ContentArrangement::Disabled);
    if style.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

/// The columns from this one on to the right, and so many spaces after each beside the one that
/// parts them.
pub(super) fn align(table: &mut Table, from: usize, gap: u16) {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, gap));
        if index >= from {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

pub(super) fn paint(cell: Cell, style: Style, attribute: Attribute) -> Cell {
    if style.color { cell.add_attribute(attribute) } else { cell }
}

fn heading(case: &StartupCase) -> String {
    match &case.version {
        Some(version) => version.clone(),
        None => case.label.clone(),
    }
}

fn row<'a>(case: &'a StartupCase, style: Style, reasons: &mut Vec<&'a str>) -> Vec<Cell> {
    let place = match &case.db_path.file_system {
        Some(name) => format!("{} {name}", case.db_path.kind),
        None => case.db_path.kind.to_string(),
    };
    let engine = Cell::new(format!(" {}", case.engine));
    let mut cells = vec![engine, Cell::new(place), Cell::new(how(case))];
    let Some(summary) = case.summary.as_ref().filter(|_| case.status == Status::Measured) else {
        cells[1] = unavailable(case, style, reasons);
        return cells;
    };
    cells.push(Cell::new(summary.n));
    cells.push(Cell::new(milliseconds(summary.median_ms)));
    cells.push(Cell::new(summary.ci95_ms.map_or("-".into(), |ci| interval(ci, milliseconds))));
    cells.push(Cell::new(milliseconds(summary.min_ms)));
    cells.push(Cell::new(milliseconds(summary.p95_ms)));
    match &case.against {
        Some(against) => {
            let mark = if is_same(against) { "~" } else { "" };
            cells.push(Cell::new(format!("{mark}{}", ratio(against.ratio))));
            cells.push(Cell::new(against.ci95.map_or("-".into(), |ci| interval(ci, ratio))));
        }
        None => cells.extend(["ref", ""].map(Cell::new)),
    }
    cells.extend(conditions::cells(case).map(Cell::new));
    cells
}

/// What the id of a case adds to version, engine and dbPath kind.
pub(super) fn how(case: &StartupCase) -> String {
    let parts: Vec<&str> = case.id.split("::").skip(4).collect();
    parts.join(" ")
}

/// Whether no difference is shown: by the adjusted test, or by the interval where the session is
/// too short for that test.
pub(super) fn is_same(against: &Against) -> bool {
    match against.p_holm {
        Some(p) => p >= 0.05,
        None => against.ci95.is_none_or(|[lower, upper]| lower <= 1.0 && 1.0 <= upper),
    }
}

/// Where the dbPath would stand: comfy-table has no cell that spans columns.
fn unavailable<'a>(case: &'a StartupCase, style: Style, reasons: &mut Vec<&'a str>) -> Cell {
    footnote(&Status::Unavailable, case.reason.as_deref(), style, reasons)
}

/// What stands in the place of figures: the status, and the number of its reason, which is new or
/// has been given before.
pub(super) fn footnote<'a>(
    status: &Status,
    reason: Option<&'a str>,
    style: Style,
    reasons: &mut Vec<&'a str>,
) -> Cell {
    let why = reason.unwrap_or("no reason is recorded");
    let known = reasons.iter().position(|known| *known == why);
    let index = known.unwrap_or_else(|| {
        reasons.push(why);
        reasons.len() - 1
    });
    let cell = Cell::new(format!("{status} [{}]", index + 1));
    if style.color { cell.fg(Color::Yellow) } else { cell }
}

/// Breaks a note at spaces; what follows the first line is indented. Lines of a log in it stay
/// lines.
pub(super) fn wrap(text: &str, width: usize) -> String {
    const INDENT: &str = "    ";
    let mut lines: Vec<String> = Vec::new();
    for (number, paragraph) in text.lines().enumerate() {
        let mut line = if number == 0 { String::new() } else { INDENT.to_owned() };
        let mut empty = true;
        for word in paragraph.split_whitespace() {
            if !empty && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut line, INDENT.to_owned()));
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        lines.push(line);
    }
    lines.join("\n")
}
