//! How thorough a measurement of transactions is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How thorough a measurement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransactionProfile {
    /// Ten macro-iterations of the four main arms and the sentinel, then up to thirty of the
    /// headline's alone while a limit is undecided: for a gate.
    #[default]
    Quick,
    /// Ten of every arm but the article's transaction; then the arms of the headline alone, until
    /// its interval is within 5 %.
    Fair,
    /// The article's own protocol: 100,000 documents without an index, blocks of 300 iterations of
    /// which the 101st to 200th count.
    Article,
}

impl fmt::Display for TransactionProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for TransactionProfile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|profile| profile.as_str() == text).ok_or_else(|| {
            Error::usage(format!(
                "{text:?} is not a valid profile: write \"quick\", \"fair\" or \"article\""
            ))
        })
    }
}

impl TransactionProfile {
    const ALL: [Self; 3] = [Self::Quick, Self::Fair, Self::Article];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Fair => "fair",
            Self::Article => "article",
        }
    }
}
