//! The parts of a start-up's id that are words of mongate's own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::model::DbPathKind;
use crate::model::text;

/// A storage engine, spelt as mongod spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
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
    pub(crate) const ALL: [Self; 3] = [Self::WiredTiger, Self::EphemeralForTest, Self::InMemory];

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

/// What the server is part of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// Nothing: ready when the first `ping` is answered.
    #[default]
    Standalone,
    /// A replica set of which it is the only member: ready when the first majority write is
    /// acknowledged.
    ReplicaSet,
}

impl Topology {
    /// Its name in ids and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standalone => "standalone",
            Self::ReplicaSet => "replica_set",
        }
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the page cache holds when a server starts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// The binary, from the launches before.
    #[default]
    Warm,
    /// Nothing of the binary: as on a machine that has just been set up.
    Cold,
}

impl Cache {
    /// Its name in ids and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

impl fmt::Display for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The name of a variant, which is a set of extra arguments: letters, digits, `.`, `_`, `-` and
/// `+`, and no other part of an id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantName(String);

impl VariantName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for VariantName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(allowed) {
            return Err(Error::usage(format!("{text:?} is not a valid name of a variant"))
                .help("use letters, digits, '.', '_', '-' and '+'"));
        }
        let words = [Topology::Standalone, Topology::ReplicaSet].map(Topology::as_str);
        let is_word = words.contains(&text)
            || [Cache::Warm, Cache::Cold].map(Cache::as_str).contains(&text)
            || text.parse::<DbPathKind>().is_ok();
        if is_word || is_count(text) {
            return Err(Error::usage(format!(
                "a variant cannot be called {text:?}, which is another part of an id"
            )));
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for VariantName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        text::of_text(deserializer, str::parse)
    }
}

impl fmt::Display for VariantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Whether a part of an id says how many servers start together: "x4".
pub(super) fn is_count(part: &str) -> bool {
    let digits = part.strip_prefix('x').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
