//! What gets measured: every case has an id, which is also its name as a test.

mod any;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::dbpath::Kind;
use crate::error::{Error, Result};
use crate::mongod::Label;

pub use any::{AnyCase, distinct};

/// A storage engine, spelt as mongod spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Engine {
    /// The default engine since 3.2.
    #[serde(rename = "wiredTiger")]
    WiredTiger,
    /// The engine made for tests, up to 6.0.
    #[serde(rename = "ephemeralForTest")]
    EphemeralForTest,
    /// Enterprise and Percona builds only.
    #[serde(rename = "inMemory")]
    InMemory,
}

impl Engine {
    /// Every engine that mongate knows.
    pub const ALL: [Self; 3] = [Self::WiredTiger, Self::EphemeralForTest, Self::InMemory];

    /// The name that mongod's `--storageEngine` takes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WiredTiger => "wiredTiger",
            Self::EphemeralForTest => "ephemeralForTest",
            Self::InMemory => "inMemory",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|engine| engine.as_str() == text)
            .ok_or_else(|| Error::usage(format!("unknown storage engine {text:?}")))
    }
}

/// One start-up to be measured: `startup::<label>::<engine>::<dbPath kind>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// What the configuration calls the server.
    pub label: Label,
    /// The storage engine.
    pub engine: Engine,
    /// Where the data goes.
    pub db_path: Kind,
}

impl Case {
    /// The id, also the name of the test.
    pub fn id(&self) -> String {
        format!("startup::{}::{}::{}", self.label, self.engine, self.db_path)
    }

    /// The case that this one is compared with: the same label, wiredTiger on disk.
    pub fn reference(&self) -> Self {
        Self {
            label: self.label.clone(),
            engine: Engine::WiredTiger,
            db_path: Kind::Disk,
        }
    }
}

impl FromStr for Case {
    type Err = Error;

    /// Reads an id.
    fn from_str(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split("::").collect();
        let ["startup", label, engine, db_path] = parts[..] else {
            return Err(Error::usage(format!(
                "{text:?} is no case: write startup::<version>::<engine>::<disk or ramdisk>"
            )));
        };
        Ok(Self {
            label: label.parse()?,
            engine: engine.parse()?,
            db_path: db_path.parse()?,
        })
    }
}

/// The cases of a configuration in the order of its lists: labels, then engines, then dbPath kinds.
pub fn all(config: &Config) -> Vec<Case> {
    let labels = config.mongod.versions.iter().chain(&config.mongod.optional);
    let mut cases = Vec::new();
    for label in labels {
        for &engine in &config.startup.engines {
            for &db_path in &config.startup.db_paths {
                cases.push(Case {
                    label: label.clone(),
                    engine,
                    db_path,
                });
            }
        }
    }
    cases
}

/// The cases that a filter means: an id, a pattern in which `*` stands for anything, or a part of an id.
///
/// # Errors
/// It matches none: the message names the nearest id.
pub fn select(cases: Vec<Case>, filter: Option<&str>) -> Result<Vec<Case>> {
    pick(cases, Case::id, filter, "`mongate list` shows")
}

/// As [`select`], for cases of any kind that have ids; `shows` is who has all of them.
///
/// # Errors
/// As for [`select`].
pub fn pick<T>(
    cases: Vec<T>,
    id: fn(&T) -> String,
    filter: Option<&str>,
    shows: &str,
) -> Result<Vec<T>> {
    let Some(filter) = filter else {
        return Ok(cases);
    };
    let ids: Vec<String> = cases.iter().map(id).collect();
    let exact = ids.iter().any(|id| id == filter);
    let chosen = |id: &str| match (exact, filter.contains('*')) {
        (true, _) => id == filter,
        (false, true) => matches(filter, id),
        (false, false) => id.contains(filter),
    };
    let selected: Vec<T> = cases.into_iter().filter(|case| chosen(&id(case))).collect();
    if !selected.is_empty() {
        return Ok(selected);
    }
    let nearest = ids
        .iter()
        .max_by(|a, b| strsim::jaro(a, filter).total_cmp(&strsim::jaro(b, filter)));
    let help = match nearest {
        Some(id) => format!("the nearest is {id}; {shows} all {}", ids.len()),
        None => "the configuration has no cases: name at least one of `versions` under [mongod]"
            .to_owned(),
    };
    Err(Error::usage(format!("no case matches {filter:?}")).help(help))
}

/// Whether `text` as a whole fits `pattern`, in which `*` stands for any text, the empty one included.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    // split yields at least one piece.
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    let mut rest = rest;
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_stands_for_anything() {
        let id = "startup::6.0::wiredTiger::ramdisk";
        for pattern in [
            "*",
            id,
            "startup::*",
            "*::ramdisk",
            "startup::*::wiredTiger::*",
            "st*rt*p*disk",
            "startup::6.0::wiredTiger::ramdisk*",
        ] {
            assert!(matches(pattern, id), "{pattern}");
        }
        for pattern in [
            "",
            "startup",
            "startup::*::disk",
            "*::4.2::*",
            "*ramdisk*ramdisk",
            "x*",
        ] {
            assert!(!matches(pattern, id), "{pattern}");
        }
    }
}
