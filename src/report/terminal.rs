//! A report for a terminal: tables that fit its width, and colours only where they are asked for.

mod fit;

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

use super::doc::{Align, Block, Cell, Chart, Doc, Tone};
use crate::figures::milliseconds;

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Its columns.
    pub width: u16,
    /// Whether colours and bold type are welcome.
    pub color: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

/// Marks of a styled text while it is laid out. Both take no room, and stand in no text.
const OPEN: [(Tone, char, &str); 4] = [
    (Tone::Strong, '\u{2061}', "\x1b[1m"),
    (Tone::Good, '\u{2062}', "\x1b[32m"),
    (Tone::Warning, '\u{2063}', "\x1b[33m"),
    (Tone::Bad, '\u{2064}', "\x1b[31m"),
];
const CLOSE: (char, &str) = ('\u{2060}', "\x1b[0m");

/// Colours that tell the bars of a chart apart.
const COLORS: [&str; 6] = ["\x1b[34m", "\x1b[33m", "\x1b[32m", "\x1b[35m", "\x1b[36m", "\x1b[31m"];

/// The whole report.
pub(crate) fn render(doc: &Doc, style: Style) -> String {
    let width = usize::from(style.width);
    let mut text = String::new();
    let say = |text: &mut String, paragraph: &str| {
        *text += &wrap(paragraph, width);
        text.push('\n');
    };
    let mut about = Vec::new();
    for block in &doc.blocks {
        match block {
            Block::Heading(rank, title) => {
                space(&mut text);
                say(&mut text, title);
                if *rank == 1 {
                    text += &"═".repeat(title.chars().count().min(width));
                    text.push('\n');
                }
            }
            Block::Text(paragraph) => say(&mut text, paragraph),
            Block::Item(paragraph) => {
                for line in wrap(paragraph, width.saturating_sub(2)).lines() {
                    text += &format!("  {line}\n");
                }
            }
            Block::Table(table) => {
                for part in fit::sections(table, width) {
                    text += &draw(&part, style);
                    let shown = part.table.columns.iter().map(|column| column.about);
                    about.extend(shown.filter(|about| !about.is_empty()));
                }
            }
            Block::Chart(chart) => {
                space(&mut text);
                text += &bars(chart, style);
            }
        }
    }
    about.dedup();
    for paragraph in about {
        say(&mut text, paragraph);
    }
    for note in doc.all_notes() {
        say(&mut text, &note);
    }
    for (index, sentence) in doc.summary.iter().enumerate() {
        if index == 0 {
            space(&mut text);
        }
        say(&mut text, sentence);
    }
    if style.unicode { text } else { ascii(&text) }
}

/// An empty line, but not at the top.
fn space(text: &mut String) {
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
}

fn plain_table() -> comfy_table::Table {
    const RULE: LineStyle = LineStyle::none().fill('─').junction('─');
    const RULES: TableStyle = TableStyle::new().header_separator(RULE).bottom_border(RULE);
    let mut table = comfy_table::Table::new();
    table.load_style(RULES).set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn draw(part: &fit::Fitted, style: Style) -> String {
    let mut drawn = plain_table();
    let titles = part.table.columns.iter().map(|column| Cell::new(&column.title));
    drawn.set_header(titles.map(|title| marked(&title.tone(Tone::Strong))));
    for row in &part.table.rows {
        drawn.add_row(row.cells.iter().map(marked));
    }
    for (column, of) in drawn.column_iter_mut().zip(&part.table.columns) {
        // A space stands between columns as it is, and nothing behind the last one.
        let is_last = column.index + 1 == part.table.columns.len();
        column.set_padding((0, if is_last { 0 } else { part.gap as u16 - 1 }));
        if of.align == Align::Right {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    styled(&drawn.trim_fmt(), style) + "\n"
}

fn marked(cell: &Cell) -> String {
    let text = cell.full();
    match OPEN.iter().find(|(tone, ..)| *tone == cell.tone) {
        Some((_, mark, _)) => format!("{mark}{text}{}", CLOSE.0),
        None => text,
    }
}

/// Turns the marks into what the terminal understands.
fn styled(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let code = match OPEN.iter().find(|(_, mark, _)| *mark == letter) {
            Some((.., code)) => code,
            None if letter == CLOSE.0 => CLOSE.1,
            None => {
                out.push(letter);
                continue;
            }
        };
        if style.color {
            out += code;
        }
    }
    out
}

/// For each part a bar of each, all on one scale.
fn bars(chart: &Chart, style: Style) -> String {
    let all = chart.bars.iter().flat_map(|bar| bar.values.iter().flatten());
    let most = all.copied().fold(0.0, f64::max);
    let name = |names: &mut dyn Iterator<Item = &String>| {
        names.map(|name| name.chars().count()).max().unwrap_or(0)
    };
    let parts = name(&mut chart.parts.iter());
    let names = name(&mut chart.bars.iter().map(|bar| &bar.name));
    // Three spaces between, and a figure such as 11,313.
    let width = usize::from(style.width).saturating_sub(parts + names + 12).max(8);
    let mut text = wrap(&format!("{}, in {}", chart.title, chart.unit), style.width.into());
    text.push('\n');
    for (part, title) in chart.parts.iter().enumerate() {
        for (index, bar) in chart.bars.iter().enumerate() {
            let value = bar.values.get(part).copied().flatten();
            let title = if index == 0 { title } else { "" };
            let drawn = bar_of(value.unwrap_or(0.0), most, width);
            let drawn = match style.color && !drawn.is_empty() {
                true => format!("{}{drawn}{}", COLORS[index % COLORS.len()], CLOSE.1),
                false => drawn,
            };
            let gap = if drawn.is_empty() { "" } else { " " };
            let figure = value.map_or("-".to_owned(), milliseconds);
            text += &format!("{title:parts$} {:names$} {drawn}{gap}{figure}\n", bar.name);
        }
    }
    text
}

/// A bar of at most `width` columns for `value`, where `most` fills all of them; in eighths of a
/// column. Anything above 0 shows.
fn bar_of(value: f64, most: f64, width: usize) -> String {
    const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if !(value > 0.0 && most > 0.0) {
        return String::new();
    }
    let eighths = (value / most * 8.0 * width as f64).round().max(1.0) as usize;
    let eighths = eighths.min(8 * width);
    let mut bar = "█".repeat(eighths / 8);
    if let Some(rest) = (eighths % 8).checked_sub(1) {
        bar.push(EIGHTHS[rest]);
    }
    bar
}

/// What a terminal without UTF-8 can show.
fn ascii(text: &str) -> String {
    let letter = |letter: char| match letter {
        '─' => '-',
        '═' => '=',
        '█' | '▉' | '▊' | '▋' | '▌' | '▍' => '#',
        '▎' | '▏' => '|',
        letter if letter.is_ascii() => letter,
        _ => '?',
    };
    text.chars().map(letter).collect()
}

/// Breaks a paragraph at spaces; what follows the first line is indented. Lines of a log in it stay
/// lines.
fn wrap(text: &str, width: usize) -> String {
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
