//! Version labels (what the configuration calls a server) and versions (what the binary says it
//! is).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::model::text;

/// What a binary says of itself: "6.0.27".
pub type Version = semver::Version;

/// What the configuration calls a server: "6.0", "6.0.27", or a name of the user's own for a path
/// of theirs. Stable in test names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct Label(String);

impl Label {
    /// The label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The numbers of the label: `[6, 0]` for "6.0"; `None` for a name such as "patched".
    pub fn numbers(&self) -> Option<Vec<u64>> {
        self.0.split('.').map(|part| part.parse().ok()).collect()
    }

    /// Whether a binary of this version answers to the label: "6.0" takes every 6.0.x, "6.0.5" only
    /// itself, and a name takes what its path holds.
    pub fn accepts(&self, version: &Version) -> bool {
        let Some(numbers) = self.numbers() else {
            return true;
        };
        let parts = [version.major, version.minor, version.patch];
        numbers.len() <= parts.len() && parts.starts_with(&numbers)
    }

    /// The label inside an environment variable's name: "6_0".
    pub fn variable(&self) -> String {
        format!("MONGATE_MONGOD_{}", self.0.to_ascii_uppercase().replace(['.', '-'], "_"))
    }
}

impl FromStr for Label {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(allowed) {
            return Err(Error::usage(format!("{text:?} is not a version label")).help(
                "use a version such as \"6.0\" or \"6.0.27\", or a name of letters, digits, \
                    '.', '_' and '-'",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        text::of_text(deserializer, str::parse)
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
