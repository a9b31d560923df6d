//! `[transactions]`: what is measured of transactions.

use std::path::Path;

use serde::{Deserialize, Deserializer};

use crate::config::place::{self, line_in, place};
use crate::config::{Config, twice};
use crate::dbpath::Kind;
use crate::error::{Error, Result};
use crate::mongod::Label;
use crate::workload::{self, Profile};

/// `[transactions]`: which servers and workloads, how thoroughly, and where their data goes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transactions {
    /// Labels of `[mongod]`; default those under its `versions`.
    pub versions: Option<Vec<Label>>,
    /// Workloads: names, patterns with `*`, or parts of names; default the twelve of the article.
    pub cases: Option<Vec<String>>,
    /// Default `"quick"`.
    #[serde(deserialize_with = "profile")]
    pub profile: Profile,
    /// Default `"disk"`.
    pub db_path: Kind,
    /// The configuration has this table, so that its cases are tests; without it only `mongate transactions` measures them.
    #[serde(skip)]
    pub as_tests: bool,
}

impl Default for Transactions {
    fn default() -> Self {
        Self {
            versions: None,
            cases: None,
            profile: Profile::default(),
            db_path: Kind::Disk,
            as_tests: false,
        }
    }
}

impl Config {
    /// The labels whose transactions are measured.
    pub fn transaction_versions(&self) -> &[Label] {
        let own = self.transactions.versions.as_ref();
        own.unwrap_or(&self.mongod.versions)
    }

    /// Lists that are empty, name one thing twice or something that there is not.
    pub(super) fn check_transactions(&self, text: &str, file: &Path) -> Result<()> {
        let wrong = |key, message: String| {
            let at = place(file, line_in(text, "transactions", key));
            Error::usage(format!("{at}: {message}"))
        };
        if let Some(cases) = &self.transactions.cases {
            if cases.is_empty() {
                return Err(wrong(
                    "cases",
                    "`cases` is empty, so there is nothing to measure".into(),
                ));
            }
            for pattern in cases {
                workload::workloads(pattern).map_err(|e| wrong("cases", e.to_string()))?;
            }
        }
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
    Ok(Transactions {
        as_tests: true,
        ..Transactions::deserialize(deserializer)?
    })
}

fn profile<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Profile, D::Error> {
    place::of_text(deserializer, str::parse)
}
