//! Advice: for each kind of suite what to use and what the others cost, then why.

mod sections;
mod words;

use std::collections::BTreeSet;

use self::words::{cell, name, recipe, takes};
use super::doc::{Align, Doc, Table};
use super::notes;
use crate::advise::{Advice, Advised, Missing, Need, OfServer};
use crate::figures::{milliseconds, percent, size};
use crate::model::results::Results;

/// Everything that the advice says; `results` are those that it comes from.
pub(crate) fn document(advice: &Advice, results: &Results) -> Doc {
    let mut page = Page {
        doc: Doc::new("what to use for which kind of test suite"),
        blocks: advice.blocks as usize,
    };
    if advice.invalid {
        page.doc.say(
            "The machine was not steady: the sentinel below differs from itself. What follows \
            does not hold; measure again when it is quiet.",
        );
    }
    for server in &advice.servers {
        of_server(&mut page, server, advice, results.machine.cores);
    }
    sections::versions(&mut page, &advice.versions);
    missing(&mut page.doc, &advice.unavailable);
    page.doc.heading(2, "how it was measured");
    page.doc.say(
        "[a-b]: 95 % interval. times: how long it takes against what it is compared with, \
        block by block. A difference is claimed where the interval \
              excludes 1 and the signed-rank test agrees, by Holm over each table. Memory and \
              dbPath are those of one empty server.",
    );
    page.doc.notes = notes::context(results);
    page.doc
}

fn of_server(page: &mut Page, server: &OfServer, advice: &Advice, cores: usize) {
    let version = server.version.as_deref().unwrap_or(&server.label);
    page.doc.heading(
        1,
        format!(
            "What to use with mongod {version} on this machine ({} blocks in one session)",
            advice.blocks
        ),
    );
    if (1..page.blocks).contains(&server.blocks) {
        page.doc.say(format!(
            "The first {} blocks have every configuration, the later ones those that show what a \
                flag does.",
            server.blocks
        ));
    }
    let tolerance = advice.tolerance;
    page.doc.say(format!(
        "Recommended: the simplest configuration that no other beats by more than {} and {} ms. \
            Simplest first: default arguments on \
         disk; one option of mongod (another engine, or arguments); a RAM disk; both; a template, \
         on disk or on a RAM disk.",
        percent(tolerance.share),
        tolerance.floor_ms
    ));
    for advised in &server.needs {
        need(page, advised);
    }
    sections::effects(page, &server.effects);
    sections::ram_disk(page, server);
    sections::cold(page, server);
    sections::together(page, server, cores);
}

/// The letter and the name of a kind of suite.
fn letter(need: Need) -> &'static str {
    match need {
        Need::Plain => "(a)",
        Need::Transactions => "(b)",
        Need::Production => "(c)",
    }
}

fn need(page: &mut Page, advised: &Advised) {
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
    page.doc.heading(2, format!("{} {title}", letter(advised.need)));
    page.doc.say(rule);
    let recommended = &advised.recommended;
    page.doc.item(format!("=> {}: {}", name(&recommended.id), takes(recommended)));
    page.doc.item(format!("run as: {}", recipe(&recommended.id)));
    if advised.alternatives.is_empty() {
        page.doc.item("nothing else could be measured");
        return;
    }
    let mut table =
        table(&["instead of it", "median", "difference", "memory", "dbPath"], &[1, 3, 4]);
    for other in &advised.alternatives {
        let mark = match other.figures.id == advised.fastest {
            true => "*",
            false => "",
        };
        table.row([
            name(&other.figures.id.replacen("::replica_set", "", 1)),
            format!("{}{mark}", milliseconds(other.figures.median_ms)),
            cell(&other.against),
            size(other.figures.rss_mb),
            size(other.figures.folder_mb),
        ]);
    }
    page.doc.table(table);
    let differences = advised.alternatives.iter().map(|other| &other.against);
    let blocks = differences.map(|compared| compared.blocks);
    page.over(blocks.chain([recommended.blocks]));
    let quicker = advised.alternatives.iter().find(|other| other.figures.id == advised.fastest);
    if let Some(quicker) = quicker {
        let why = match quicker.against.shown {
            true => "by too little to be worth more effort",
            false => "and no difference is shown",
        };
        page.doc.say(format!("In ms and MiB. *: the least median of all, {why}."));
    } else {
        page.doc.say("In ms and MiB.");
    }
}

fn missing(doc: &mut Doc, unavailable: &[Missing]) {
    if unavailable.is_empty() {
        return;
    }
    doc.heading(2, "what could not be measured here");
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
        doc.item(format!("{}: {reason}", names.join(", ")));
    }
}

/// A document that grows, with the blocks of its session.
struct Page {
    doc: Doc,
    blocks: usize,
}

impl Page {
    /// Says on how many blocks a table rests, where these are not all of the session's, as its head
    /// says.
    fn over(&mut self, blocks: impl IntoIterator<Item = usize>) {
        let blocks: BTreeSet<usize> = blocks.into_iter().collect();
        let Some((&least, &most)) = blocks.first().zip(blocks.last()) else {
            return;
        };
        if least < self.blocks {
            self.doc.say(match least == most {
                true => format!("Over {least} blocks."),
                false => {
                    format!("Over {least} blocks; a difference over {most} where both have these.")
                }
            });
        }
    }
}

/// A table with these columns to the right, and all others to the left.
fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new(header);
    for (index, column) in table.columns.iter_mut().enumerate() {
        column.align = if right.contains(&index) { Align::Right } else { Align::Left };
    }
    table
}

#[cfg(test)]
mod tests;
