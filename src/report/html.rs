//! A report as one page that needs no network: light and dark, for screens of any width and for
//! paper.

mod chart;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::doc::{Align, Block, Cell, Doc, Row, Table, Tone};

/// The whole page.
pub(crate) fn render(doc: &Doc) -> String {
    let is_item = |block: &Block| matches!(block, Block::Item(_));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "mongate: " (doc.title) }
                style { (PreEscaped(include_str!("html/style.css"))) }
            }
            body { main {
                h1 { (doc.title) }
                @if !doc.summary.is_empty() {
                    div.summary { @for sentence in &doc.summary { p { (sentence) } } }
                }
                @for blocks in doc.blocks.chunk_by(|a, b| is_item(a) && is_item(b)) {
                    @if is_item(&blocks[0]) {
                        ul { @for item in blocks { (block(item)) } }
                    } @else {
                        (block(&blocks[0]))
                    }
                }
                (notes(doc))
            } }
        }
    };
    page.into_string() + "\n"
}

fn notes(doc: &Doc) -> Markup {
    let notes: Vec<String> = doc.all_notes().collect();
    html! {
        @if !notes.is_empty() {
            details open {
                summary { "Notes" }
                ul {
                    @for (index, note) in notes.iter().enumerate() {
                        li id={ "note-" (index + 1) } { (note) }
                    }
                }
            }
        }
    }
}

fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Heading(1, title) => h2 { (title) },
            Block::Heading(_, title) => h3 { (title) },
            Block::Text(text) => p { (text) },
            Block::Item(text) => li { (text) },
            Block::Table(found) => (table(found)),
            Block::Chart(found) => (chart::render(found)),
        }
    }
}

fn table(table: &Table) -> Markup {
    let right = |index: usize| table.columns.get(index).is_some_and(|c| c.align == Align::Right);
    let about = table.columns.iter().map(|column| column.about).filter(|text| !text.is_empty());
    let mut about: Vec<&str> = about.collect();
    about.dedup();
    html! {
        // A keyboard scrolls what has the focus.
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for (index, column) in table.columns.iter().enumerate() {
                        th scope="col" class=[right(index).then_some("right")] { (column.title) }
                    }
                } }
                tbody { @for found in &table.rows { (row(found, table.columns.len(), &right)) } }
            }
        }
        @for about in about { p { (about) } }
    }
}

fn row(row: &Row, columns: usize, right: &dyn Fn(usize) -> bool) -> Markup {
    // A short row's last cell takes what is left.
    let span = |index: usize| {
        let left = columns.saturating_sub(index);
        (index + 1 == row.cells.len() && left > 1).then_some(left)
    };
    html! {
        tr class=[row.is_group.then_some("group")] {
            @for (index, cell) in row.cells.iter().enumerate() {
                @if index == 0 {
                    th scope="row" class=[(!row.is_group).then(|| format!("d{}", row.depth))]
                        colspan=[span(index)] { (text(cell)) }
                } @else {
                    @let is_right = right(index) && span(index).is_none();
                    td class=[is_right.then_some("right")] colspan=[span(index)] { (text(cell)) }
                }
            }
        }
    }
}

fn text(cell: &Cell) -> Markup {
    let class = match cell.tone {
        Tone::Plain => None,
        Tone::Strong => Some("strong"),
        Tone::Good => Some("good"),
        Tone::Warning => Some("warn"),
        Tone::Bad => Some("bad"),
    };
    html! {
        span class=[class] { (cell.text) }
        @if let Some(number) = cell.note {
            " " a href={ "#note-" (number) } { "[" (number) "]" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_escaped_and_nothing_is_fetched() {
        let mut doc = Doc::new("a <b>");
        doc.say("1 < 2 & \"3\"");
        doc.item("<script>");
        doc.item("two");
        let mut table = Table::new(&["case", "median", "95 %"]);
        let number = doc.footnote("no <mongod>");
        table.group("6.0.27");
        table.row([Cell::new("x"), Cell::new("unavailable").tone(Tone::Warning).note(number)]);
        doc.table(table);
        let page = render(&doc);
        for words in [
            "<h1>a &lt;b&gt;</h1>",
            "<p>1 &lt; 2 &amp; &quot;3&quot;</p>",
            "<ul><li>&lt;script&gt;</li><li>two</li></ul>",
            "<td colspan=\"2\"><span class=\"warn\">unavailable</span> <a href=\"#note-1\">[1]</a>",
            "<li id=\"note-1\">[1] no &lt;mongod&gt;</li>",
            "prefers-color-scheme: dark",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        for fetched in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(fetched), "the page needs {fetched}");
        }
    }
}
