//! A report in Markdown, as GitHub and GitLab show it: for a job's summary or a pull request.

use super::doc::{Align, Block, Cell, Chart, Doc, Row, Table, Tone};
use crate::figures::milliseconds;

/// What must be known first, the tables, and the notes folded away.
pub(crate) fn render(doc: &Doc) -> String {
    let mut text = String::new();
    for sentence in &doc.summary {
        text += &format!("**{}**\n\n", escaped(sentence));
    }
    let mut blocks = doc.blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        match block {
            Block::Heading(rank, title) => {
                text += &format!("{} {}\n", "#".repeat(usize::from(*rank) + 1), escaped(title));
            }
            Block::Text(paragraph) => text += &format!("{}\n", escaped(paragraph)),
            Block::Item(item) => text += &format!("- {}\n", escaped(item)),
            Block::Table(found) => text += &table(found),
            Block::Chart(found) => text += &chart(found),
        }
        // A list is one block.
        if !matches!((block, blocks.peek()), (Block::Item(_), Some(Block::Item(_)))) {
            text.push('\n');
        }
    }
    let notes: String = doc.all_notes().map(|note| format!("- {}\n", escaped(&note))).collect();
    if !notes.is_empty() {
        text += &format!("<details><summary>Notes</summary>\n\n{notes}\n</details>\n");
    }
    text
}

fn table(table: &Table) -> String {
    let titles: Vec<String> = table.columns.iter().map(|c| escaped(&c.title)).collect();
    let rules = table.columns.iter().map(|column| match column.align {
        Align::Left => "---",
        Align::Right => "--:",
    });
    let mut text = line(&titles) + &line(&rules.map(str::to_owned).collect::<Vec<_>>());
    for row in &table.rows {
        text += &line(&cells(row, table.columns.len()));
    }
    let mut about: Vec<&str> = table.columns.iter().map(|column| column.about).collect();
    about.retain(|text| !text.is_empty());
    about.dedup();
    about.iter().for_each(|about| text += &format!("\n{}\n", escaped(about)));
    text
}

fn cells(row: &Row, columns: usize) -> Vec<String> {
    let mut cells: Vec<String> = row.cells.iter().map(cell).collect();
    if let Some(name) = cells.first_mut() {
        name.insert_str(0, &"&emsp;".repeat(row.depth.into()));
    }
    cells.resize(columns, String::new());
    cells
}

fn cell(cell: &Cell) -> String {
    let text = escaped(&cell.full());
    match cell.tone {
        Tone::Strong | Tone::Bad if !text.is_empty() => format!("**{text}**"),
        _ => text,
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The figures of the bars, since there are no pictures here.
fn chart(chart: &Chart) -> String {
    let mut text = format!("{}, in {}\n\n", escaped(&chart.title), chart.unit);
    for bar in &chart.bars {
        let parts = chart.parts.iter().zip(&bar.values);
        let parts: Vec<String> = parts
            .filter_map(|(part, value)| {
                Some(format!("{} {}", part.trim(), milliseconds((*value)?)))
            })
            .collect();
        text += &format!("- {}: {}\n", escaped(&bar.name), escaped(&parts.join(", ")));
    }
    text
}

/// What Markdown would take for itself, and lines of a log as one line.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for part in text.lines() {
        if !line.is_empty() {
            line += "<br>";
        }
        for letter in part.trim().chars() {
            match letter {
                '<' => line += "&lt;",
                '>' => line += "&gt;",
                '&' => line += "&amp;",
                '*' | '_' | '`' | '|' | '[' | ']' | '~' | '\\' | '#' => {
                    line.extend(['\\', letter]);
                }
                _ => line.push(letter),
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole_and_what_markdown_reads_is_escaped() {
        let mut doc = Doc::new("t");
        doc.summary.push("regressed: 1 of 2".to_owned());
        doc.heading(2, "start-up");
        let mut table = Table::new(&["case", "median", "95 %"]);
        table.group("6.0.27");
        table.deep_row(1, ["a|b", "158", "150-160"]);
        let number = doc.footnote("no \"mongod\",\n  help: <fetch> it | or not");
        table.row([Cell::new("c"), Cell::new("unavailable").note(number)]);
        doc.table(table);
        doc.item("one");
        doc.item("two");
        assert_eq!(
            render(&doc),
            "**regressed: 1 of 2**\n\n### start-up\n\n\
            | case | median | 95 % |\n| --- | --: | --: |\n| **6.0.27** |  |  |\n\
            | &emsp;a\\|b | 158 | 150-160 |\n| c | unavailable \\[1\\] |  |\n\n\
            - one\n- two\n\n<details><summary>Notes</summary>\n\n\
            - \\[1\\] no \"mongod\",<br>help: &lt;fetch&gt; it \\| or not\n\n</details>\n"
        );
    }
}
