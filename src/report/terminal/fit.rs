//! Makes a table fit a terminal: by its gaps, then by what it can do without, then by breaking the
//! names of its rows.

use crate::report::doc::{Cell, Keep, Row, Table};

/// A table with the columns and lines that the terminal has room for.
#[derive(Debug)]
pub(super) struct Fitted {
    pub table: Table,
    /// Spaces between columns.
    pub gap: usize,
}

/// The table as it fits; in several parts where its sections do not fit beside each other.
pub(super) fn sections(table: &Table, width: usize) -> Vec<Fitted> {
    let mut parts = Vec::new();
    let mut rest = indented(table);
    while let Some(section) =
        (1..rest.columns.len()).contains(&rest.section).then_some(rest.section)
    {
        // As many sections as fit with gaps of two, and at least one.
        let all = (rest.columns.len() - 1) / section;
        let fits = |count: &usize| needed(&columns(&rest, |i| i <= count * section), 2) <= width;
        let count = (1..=all).rev().find(fits).unwrap_or(1);
        parts.push(fitted(columns(&rest, |i| i <= count * section), width));
        rest = columns(&rest, |i| i == 0 || i > count * section);
        if rest.columns.len() == 1 {
            return parts;
        }
    }
    parts.push(fitted(rest, width));
    parts
}

fn fitted(table: Table, width: usize) -> Fitted {
    let fits = |table: &Table, gap| needed(table, gap) <= width;
    if fits(&table, 3) {
        return Fitted { table, gap: 3 };
    }
    let keeps = |table: &Table, index: usize| table.columns[index].keep != Keep::IfWide;
    let mut table = columns(&table, |index| keeps(&table, index));
    for gap in [3, 2, 1] {
        if fits(&table, gap) {
            return Fitted { table, gap };
        }
    }
    while let Some(spare) = table.columns.iter().position(|c| c.keep == Keep::IfItFits) {
        table = columns(&table, |index| index != spare);
        if fits(&table, 1) {
            return Fitted { table, gap: 1 };
        }
    }
    let [close, wider] = [1, 2].map(|gap| with_broken_names(&table, gap, width));
    // More room between columns is not worth more lines.
    match fits(&wider, 2) && lines(&wider) == lines(&close) {
        true => Fitted { table: wider, gap: 2 },
        false => Fitted { table: close, gap: 1 },
    }
}

fn lines(table: &Table) -> usize {
    let names = table.rows.iter().filter_map(|row| row.cells.first());
    names.map(|name| name.text.lines().count()).sum()
}

/// Columns of the widest lines, with so much between each two.
fn needed(table: &Table, gap: usize) -> usize {
    let widths = (0..table.columns.len()).map(|index| width_of(table, index) + gap);
    widths.sum::<usize>().saturating_sub(gap)
}

fn width_of(table: &Table, index: usize) -> usize {
    let cells = table.rows.iter().filter_map(|row| row.cells.get(index));
    let widths = cells.map(|cell| {
        let text = cell.full();
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    });
    let title = table.columns[index].title.chars().count();
    widths.fold(title, usize::max)
}

/// The table with these columns alone.
fn columns(table: &Table, keeps: impl Fn(usize) -> bool) -> Table {
    let kept = |row: &Row| {
        let cells = row.cells.iter().enumerate().filter(|(index, _)| keeps(*index));
        Row { cells: cells.map(|(_, cell)| cell.clone()).collect(), ..row.clone() }
    };
    let columns = table.columns.iter().enumerate().filter(|(index, _)| keeps(*index));
    Table {
        columns: columns.map(|(_, column)| column.clone()).collect(),
        rows: table.rows.iter().map(kept).collect(),
        section: table.section,
    }
}

/// Names moved to the right by their depth, and by one more where groups have headings.
fn indented(table: &Table) -> Table {
    let has_groups = table.rows.iter().any(|row| row.is_group);
    let mut table = table.clone();
    for row in table.rows.iter_mut().filter(|row| !row.is_group) {
        let by = usize::from(has_groups) + 2 * usize::from(row.depth);
        if let Some(name) = row.cells.first_mut() {
            name.text.insert_str(0, &" ".repeat(by));
        }
    }
    table
}

/// The table whose names take what the other columns leave, in as many lines as they need.
fn with_broken_names(table: &Table, gap: usize, width: usize) -> Table {
    let others = columns(table, |index| index > 0);
    let room = width.saturating_sub(needed(&others, gap) + gap);
    let mut table = table.clone();
    for row in &mut table.rows {
        if let Some(name) = row.cells.first_mut() {
            *name = Cell { text: broken(&name.text, room), ..name.clone() };
        }
    }
    table
}

/// Breaks a name at spaces, and behind plus and minus signs; what follows is indented by one more.
fn broken(name: &str, room: usize) -> String {
    let start = name.len() - name.trim_start().len();
    let (indent, name) = name.split_at(start);
    let mut lines = vec![indent.to_owned()];
    for piece in name.split_inclusive([' ', '+', '-']) {
        let line = lines.last().map_or("", String::as_str);
        let is_empty = line.trim().is_empty();
        if !is_empty && line.chars().count() + piece.trim_end().chars().count() > room {
            lines.push(format!("{indent} "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_breaks_where_a_reader_expects_it() {
        assert_eq!(broken("insertOne+updateOne+find", 20), "insertOne+updateOne+\n find");
        assert_eq!(broken(" updateOne-no-match", 12), " updateOne-\n  no-match");
        assert_eq!(broken("wiredTiger disk x2", 99), "wiredTiger disk x2");
        assert_eq!(broken("wiredTiger disk", 1), "wiredTiger\n disk");
    }
}
