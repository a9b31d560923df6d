//! `[transactions]`: what is measured of transactions.

use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use crate::config::place::{line_in, place};
use crate::config::{Config, twice};
use crate::error::{Error, Result};
use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::TransactionProfile;
use crate::model::matches;
use crate::model::text;
use crate::model::workload::{WORKLOADS, Workload};

/// `[transactions]`: which servers and workloads, how thoroughly, and where their data goes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transactions {
    /// Labels of `[mongod]`; default those under its `versions`.
    pub versions: Option<Vec<Label>>,
    /// Default `"quick"`.
    #[serde(deserialize_with = "profile")]
    pub profile: TransactionProfile,
    /// Macro-iterations of every arm, at least 2; default the profile's.
    pub macro_iterations: Option<MacroIterations>,
    /// Default `"disk"`.
    pub db_path: DbPathKind,
    /// Default `"article"`.
    pub cases: Cases,
    /// The configuration has this table, so that its cases are tests; without it only `mongate
    /// transactions` measures them.
    #[serde(skip)]
    pub as_tests: bool,
}

/// Which workloads are measured when nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Cases {
    /// The twelve of the article.
    #[default]
    Article,
    /// Those and all beyond.
    All,
    /// Those whose names these are, or fit a pattern of these in which `*` stands for anything.
    Named(Vec<String>),
}

impl Cases {
    /// Whether this workload is among them.
    pub fn include(&self, workload: &Workload) -> bool {
        match self {
            Self::Article => WORKLOADS.contains(workload),
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| matches(name, workload.name)),
        }
    }

    fn named(names: Vec<String>) -> Result<Self> {
        for name in &names {
            if !Workload::every().any(|workload| matches(name, workload.name)) {
                let near = |workload: &&Workload| strsim::jaro(workload.name, name);
                let nearest = Workload::every().max_by(|a, b| near(a).total_cmp(&near(b)));
                let nearest = nearest.map_or("", |workload| workload.name);
                return Err(Error::usage(format!("no workload matches {name:?}")).help(format!(
                    "the nearest is {nearest}; it can also be \"article\" or \"all\""
                )));
            }
        }
        if names.is_empty() {
            return Err(Error::usage("`cases` is empty, so there is nothing to measure"));
        }
        Ok(Self::Named(names))
    }
}

impl FromStr for Cases {
    type Err = Error;

    /// Reads "article", "all", or names and patterns with commas between them.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "article" => Ok(Self::Article),
            "all" => Ok(Self::All),
            names => Self::named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        }
    }
}

impl TryFrom<toml::Value> for Cases {
    type Error = Error;

    fn try_from(value: toml::Value) -> Result<Self> {
        match value {
            toml::Value::String(text) => text.parse(),
            other => match other.try_into() {
                Ok(names) => Self::named(names),
                Err(_) => Err(Error::usage(
                    "this is not a valid choice of cases: write \"article\", \"all\", or a list of names \
                        and patterns",
                )),
            },
        }
    }
}

/// How many macro-iterations: a whole number from 2 on, below which nothing varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct MacroIterations(pub u32);

impl TryFrom<u32> for MacroIterations {
    type Error = String;

    fn try_from(count: u32) -> std::result::Result<Self, String> {
        if count < 2 {
            return Err(format!("{count} macro-iterations are too few: write 2 or more"));
        }
        Ok(Self(count))
    }
}

impl FromStr for MacroIterations {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let count: u32 =
            text.parse().map_err(|_| format!("{text:?} is not a whole number of 2 or more"))?;
        count.try_into()
    }
}

impl Default for Transactions {
    fn default() -> Self {
        Self {
            versions: None,
            profile: TransactionProfile::default(),
            macro_iterations: None,
            db_path: DbPathKind::Disk,
            cases: Cases::default(),
            as_tests: false,
        }
    }
}

impl Config {
    /// The labels whose transactions are measured.
    pub(crate) fn transaction_versions(&self) -> &[Label] {
        let own = self.transactions.versions.as_ref();
        own.unwrap_or(&self.mongod.versions)
    }

    /// Lists that are empty, name one thing twice or something that there is not.
    pub(super) fn check_transactions(&self, text: &str, file: &Path) -> Result<()> {
        let wrong = |key, message: String| {
            let at = place(file, line_in(text, "transactions", key));
            Error::usage(format!("{at}: {message}"))
        };
        let Some(own) = &self.transactions.versions else {
            return Ok(());
        };
        let known = |label: &&Label| {
            self.mongod.versions.contains(label) || self.mongod.optional.contains(label)
        };
        let message = if own.is_empty() {
            "`versions` is empty, so there is nothing to measure".to_owned()
        } else if let Some(label) = twice(own) {
            format!("version {label} is listed twice")
        } else if let Some(label) = own.iter().find(|label| !known(label)) {
            format!("version {label} is under neither `versions` nor `optional` of [mongod]")
        } else {
            return Ok(());
        };
        Err(wrong("versions", message))
    }
}

/// Reads the table, and keeps that it was there.
pub(super) fn present<'de, D>(deserializer: D) -> std::result::Result<Transactions, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(Transactions { as_tests: true, ..Transactions::deserialize(deserializer)? })
}

fn profile<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<TransactionProfile, D::Error> {
    text::of_text(deserializer, str::parse)
}
