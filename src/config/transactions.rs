//! `[transactions]`: what is measured of transactions.

use std::path::Path;

use serde::{Deserialize, Deserializer};

use crate::config::place::{self, line_in, place};
use crate::config::{Config, twice};
use crate::dbpath::Kind;
use crate::error::{Error, Result};
use crate::mongod::Label;
use crate::workload::Profile;

/// `[transactions]`: which servers, how thoroughly, and where their data goes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transactions {
    /// Labels of `[mongod]`; default those under its `versions`.
    pub versions: Option<Vec<Label>>,
    /// Default `"quick"`.
    #[serde(deserialize_with = "profile")]
    pub profile: Profile,
    /// Default `"disk"`.
    pub db_path: Kind,
}

impl Default for Transactions {
    fn default() -> Self {
        Self {
            versions: None,
            profile: Profile::default(),
            db_path: Kind::Disk,
        }
    }
}

impl Config {
    /// The labels whose transactions are measured.
    pub fn transaction_versions(&self) -> &[Label] {
        let own = self.transactions.versions.as_ref();
        own.unwrap_or(&self.mongod.versions)
    }

    /// A list that is empty, names one thing twice or something that `[mongod]` does not have.
    pub(super) fn check_transactions(&self, text: &str, file: &Path) -> Result<()> {
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
        let at = place(file, line_in(text, "transactions", "versions"));
        Err(Error::usage(format!("{at}: {message}")))
    }
}

fn profile<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Profile, D::Error> {
    place::of_text(deserializer, str::parse)
}
