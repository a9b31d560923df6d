//! Advice for a terminal: for each kind of suite what to use and what the others cost, then why.

mod sections;
mod words;

use std::collections::BTreeSet;

use comfy_table::{Cell, CellAlignment, Table};

use crate::advise::{Advice, Advised, Missing, Need, OfServer};
use crate::figures::{milliseconds, percent};
use crate::model::results::Results;
use crate::report::advise::words::{cell, name, narrow_name, recipe, size, takes};
use crate::report::notes::context;
use crate::report::table::{Style, titled, wrap};

/// From this width on a configuration's name fits into one line of a table.
const WIDE: u16 = 100;

/// Everything that the advice says; `results` are those that it comes from.
pub fn render(advice: &Advice, results: &Results, style: Style) -> String {
    let mut text = Text::new(style, advice.blocks as usize);
    if advice.invalid {
        text.say(
            "The machine was not steady: the sentinel below differs from itself. What follows \
            does not hold; measure again when it is quiet.",
        );
    }
    for server in &advice.servers {
        of_server(&mut text, server, advice, results.machine.cores);
    }
    sections::versions(&mut text, &advice.versions);
    missing(&mut text, &advice.unavailable);
    text.title("how it was measured");
    text.say(
        "[a-b]: 95 % interval. times: how long it takes against what it is compared with, \
        block by block. A difference is claimed where the interval \
              excludes 1 and the signed-rank test agrees, by Holm over each table. Memory and \
              dbPath are those of one empty server.",
    );
    for note in context(results) {
        text.say(&note);
    }
    text.text
}

fn of_server(text: &mut Text, server: &OfServer, advice: &Advice, cores: usize) {
    let version = server.version.as_deref().unwrap_or(&server.label);
    text.head(&format!(
        "What to use with mongod {version} on this machine ({} blocks in one session)",
        advice.blocks
    ));
    if (1..text.blocks).contains(&server.blocks) {
        text.say(&format!(
            "The first {} blocks have every configuration, the later ones those that show what a \
                flag does.",
            server.blocks
        ));
    }
    let tolerance = advice.tolerance;
    text.say(&format!(
        "Recommended is the simplest configuration than which no other is shown to be faster by \
            more than {} and {} ms. Simplest first: default arguments on \
         disk; one option of mongod (another engine, or arguments); a RAM disk; both; a template, \
         on disk or on a RAM disk.",
        percent(tolerance.share),
        tolerance.floor_ms
    ));
    for advised in &server.needs {
        need(text, advised);
    }
    sections::effects(text, &server.effects);
    sections::ram_disk(text, server);
    sections::cold(text, server);
    sections::together(text, server, cores);
}

/// The letter and the name of a kind of suite.
fn letter(need: Need) -> &'static str {
    match need {
        Need::Plain => "(a)",
        Need::Transactions => "(b)",
        Need::Production => "(c)",
    }
}

fn need(text: &mut Text, advised: &Advised) {
    let (title, rule) = match advised.need {
        Need::Plain => (
            "unit tests without transactions",
            "A standalone server, any engine; ready with its first ping.",
        ),
        Need::Transactions => (
            "tests that need transactions",
            "A replica set of one member on wiredTiger; ready with its first acknowledged majority \
                write.",
        ),
        Need::Production => (
            "integration tests as in production",
            "The same with default arguments, so that the server does what it does in production; \
                only where its data lies may differ. A template needs another \
             journal, so it is none of these.",
        ),
    };
    text.title(&format!("{} {title}", letter(advised.need)));
    text.say(rule);
    let recommended = &advised.recommended;
    text.item(&format!("=> {}: {}", name(&recommended.id), takes(recommended)));
    text.item(&format!("run as: {}", recipe(&recommended.id)));
    if advised.alternatives.is_empty() {
        text.item("nothing else could be measured");
        return;
    }
    let mut table = text.table(&["instead of it", "median", "difference", "memory", "dbPath"]);
    for other in &advised.alternatives {
        let mark = match other.figures.id == advised.fastest {
            true => "*",
            false => "",
        };
        table.add_row([
            Cell::new(text.name(&other.figures.id.replacen("::replica_set", "", 1))),
            Cell::new(format!("{}{mark}", milliseconds(other.figures.median_ms))),
            Cell::new(cell(&other.against)),
            Cell::new(size(other.figures.rss_mb)),
            Cell::new(size(other.figures.folder_mb)),
        ]);
    }
    text.draw(table, &[1, 3, 4]);
    let differences = advised.alternatives.iter().map(|other| &other.against);
    let blocks = differences.map(|compared| compared.blocks);
    text.over(blocks.chain([recommended.blocks]));
    let quicker = advised.alternatives.iter().find(|other| other.figures.id == advised.fastest);
    if let Some(quicker) = quicker {
        let why = match quicker.against.shown {
            true => "by too little to be worth more effort",
            false => "and no difference is shown",
        };
        text.say(&format!("In ms and MiB. *: the least median of all, {why}."));
    } else {
        text.say("In ms and MiB.");
    }
}

fn missing(text: &mut Text, unavailable: &[Missing]) {
    if unavailable.is_empty() {
        return;
    }
    text.title("what could not be measured here");
    let mut reasons: Vec<&str> = Vec::new();
    for missing in unavailable {
        if !reasons.contains(&missing.reason.as_str()) {
            reasons.push(&missing.reason);
        }
    }
    // What has one reason stands together.
    for reason in reasons {
        let of_reason = unavailable.iter().filter(|missing| missing.reason == reason);
        let names: Vec<&str> = of_reason.map(|missing| missing.what.as_str()).collect();
        text.item(&format!("{}: {reason}", names.join(", ")));
    }
}

/// A text that grows, within the width of the terminal.
struct Text {
    text: String,
    style: Style,
    /// Those of the session.
    blocks: usize,
}

impl Text {
    fn new(style: Style, blocks: usize) -> Self {
        Self { text: String::new(), style, blocks }
    }

    /// Says on how many blocks a table rests, where these are not all of the session's, as its head
    /// says.
    fn over(&mut self, blocks: impl IntoIterator<Item = usize>) {
        let blocks: BTreeSet<usize> = blocks.into_iter().collect();
        let Some((&least, &most)) = blocks.first().zip(blocks.last()) else {
            return;
        };
        if least < self.blocks {
            self.say(&match least == most {
                true => format!("Over {least} blocks."),
                false => {
                    format!("Over {least} blocks; a difference over {most} where both have these.")
                }
            });
        }
    }

    /// A heading of the first rank.
    fn head(&mut self, title: &str) {
        self.title(title);
        let length = title.chars().count().min(self.style.width.into());
        self.text += &"═".repeat(length);
        self.text.push('\n');
    }

    /// A heading, with an empty line before it.
    fn title(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.say(title);
    }

    /// A paragraph.
    fn say(&mut self, paragraph: &str) {
        self.text += &wrap(paragraph, self.style.width.into());
        self.text.push('\n');
    }

    /// A paragraph under a heading.
    fn item(&mut self, paragraph: &str) {
        let within = usize::from(self.style.width).saturating_sub(2);
        for line in wrap(paragraph, within).lines() {
            self.text += &format!("  {line}\n");
        }
    }

    fn table(&self, header: &[&str]) -> Table {
        titled(header, self.style)
    }

    /// A configuration's name for the first column of a table.
    fn name(&self, id: &str) -> String {
        let name = match self.style.width < WIDE {
            true => narrow_name(id),
            false => name(id),
        };
        format!(" {name}")
    }

    /// A table, with these columns to the right.
    fn draw(&mut self, mut table: Table, right: &[usize]) {
        // A space stands between columns as it is.
        let gap = if self.style.width < WIDE { 0 } else { 1 };
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, gap));
            if right.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self.text += &table.trim_fmt();
        self.text.push('\n');
    }
}
