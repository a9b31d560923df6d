//! The record of an A/A session: a JSON line that says where it comes from, then one a block.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::error::{Error, Result};
use crate::model::Machine;
use crate::model::results::{Results, Tool};

/// The schema that this release writes and reads.
pub const SCHEMA: &str = "mongate-record/1";

/// The first line of a record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// When the session began: RFC 3339, UTC.
    pub started: String,
    /// What measured.
    pub tool: Tool,
    /// The seed of the random order inside the blocks.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// What the other fields cannot say, for a record that mongate did not make itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Every further line: one block, in which each case was launched twice, as arm a and as arm b, all
/// of them in random order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Counted from 1, without gaps.
    pub block: u32,
    /// By the case's id: the times of its arms a and b in ms.
    pub cases: BTreeMap<String, [f64; 2]>,
}

/// Two identical arms of one case, in ms and in the order of the blocks.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Arms {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

/// A whole record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Where it comes from.
    pub header: Header,
    /// What was measured, by the case's id.
    pub cases: BTreeMap<String, Arms>,
    /// How many blocks every case has.
    pub blocks: usize,
    /// The last line was cut off, as by a crash, and is not part of `blocks`.
    pub cut: bool,
}

impl Header {
    /// The line of the file, with its end.
    pub fn line(&self) -> String {
        line(self)
    }
}

impl Block {
    /// The line of the file, with its end.
    pub fn line(&self) -> String {
        line(self)
    }
}

fn line(value: &impl Serialize) -> String {
    // Only maps with keys that are no strings can fail, and a record has none.
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The record of a session whose cases come in identical pairs; `None` where no pair was measured.
pub fn of_pairs(results: &Results) -> Option<String> {
    let header = Header {
        schema: SCHEMA.to_owned(),
        run_id: results.run_id.clone(),
        started: results.started.clone(),
        tool: results.tool.clone(),
        seed: results.seed,
        machine: results.machine.clone(),
        source: None,
    };
    let mut blocks: BTreeMap<u32, BTreeMap<String, [f64; 2]>> = BTreeMap::new();
    for pair in results.startup.chunks(2) {
        let [a, b] = pair else { continue };
        for (a_sample, b_sample) in a.samples.iter().zip(&b.samples) {
            let times = [a_sample.ready_ms, b_sample.ready_ms];
            let block = blocks.entry(a_sample.block).or_default();
            block.insert(a.id.clone(), times);
        }
    }
    let lines = blocks.into_iter().map(|(block, cases)| Block { block, cases }.line());
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| header.line() + &lines.concat())
}

impl Record {
    /// Reads a record from a text; `file` is its name in messages.
    ///
    /// # Errors
    /// With file and line: it is no record, or one of a newer schema; a line is no block; a block
    /// is missing, repeated or has other cases than the first; a time is not above 0. A last line
    /// that was cut off is no error: the block was not complete.
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        let at = |number: usize, what: &dyn std::fmt::Display| {
            Error::usage(format!("{}:{number}: {what}", file.display()))
        };
        let mut lines = (1..).zip(text.split_inclusive('\n'));
        let (_, first) = lines.next().unwrap_or((1, ""));
        let header = header(first).map_err(|(what, help)| at(1, &what).help(help))?;
        let mut record = Self { header, cases: BTreeMap::new(), blocks: 0, cut: false };
        for (number, line) in lines {
            match json::<Block>(line) {
                Ok(block) => record.push(block).map_err(|what| at(number, &what))?,
                Err(_) if !line.ends_with('\n') => record.cut = true,
                Err(what) => return Err(at(number, &format_args!("no block: {what}"))),
            }
        }
        Ok(record)
    }

    /// Appends a block, if it is the one that follows.
    fn push(&mut self, block: Block) -> std::result::Result<(), String> {
        let next = self.blocks + 1;
        if block.block as usize != next {
            return Err(format!(
                "block {} where {next} should stand: blocks must be consecutive",
                block.block
            ));
        }
        if block.cases.is_empty() {
            return Err(format!("block {next} has no cases"));
        }
        if self.blocks == 0 {
            let ids = block.cases.keys();
            self.cases = ids.map(|id| (id.clone(), Arms::default())).collect();
        }
        if !self.cases.keys().eq(block.cases.keys()) {
            return Err(format!("block {next} has other cases than block 1"));
        }
        for ((id, [a, b]), arms) in block.cases.into_iter().zip(self.cases.values_mut()) {
            if let Some(time) = [a, b].into_iter().find(|time| *time <= 0.0) {
                return Err(format!("{id} took {time} ms: a time is above 0"));
            }
            arms.a.push(a);
            arms.b.push(b);
        }
        self.blocks = next;
        Ok(())
    }
}

/// The header, or what is wrong and what helps.
fn header(line: &str) -> std::result::Result<Header, (String, String)> {
    #[derive(Deserialize)]
    struct Schema {
        schema: String,
    }
    const HELP: &str = "`mongate calibrate` makes a record";
    let Ok(Schema { schema }) = json(line) else {
        return Err((
            format!("no record: the first line lacks \"schema\":\"{SCHEMA}\""),
            HELP.to_owned(),
        ));
    };
    if schema == SCHEMA {
        return json(line).map_err(|what| (format!("no header: {what}"), HELP.to_owned()));
    }
    let what = format!("the schema is {schema:?}, and this mongate reads {SCHEMA:?}");
    let family = SCHEMA.trim_end_matches(char::is_numeric);
    Err(match schema.strip_prefix(family) {
        Some(_) => (what, "read it with a newer mongate".to_owned()),
        None => (what, HELP.to_owned()),
    })
}

/// Reads one line; the message says at which column it went wrong, not at which line: there is only
/// one.
fn json<T: DeserializeOwned>(line: &str) -> std::result::Result<T, String> {
    serde_json::from_str(line.trim_end()).map_err(|e| e.to_string().replace(" at line 1", ""))
}
