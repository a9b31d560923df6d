//! What a dbPath lies on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What a dbPath lies on, as far as the measurement is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DbPathKind {
    /// Whatever is not known to be RAM.
    Disk,
    /// A file system that is known to be RAM.
    Ramdisk,
}

impl fmt::Display for DbPathKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Disk => "disk",
            Self::Ramdisk => "ramdisk",
        })
    }
}

impl FromStr for DbPathKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "disk" => Ok(Self::Disk),
            "ramdisk" => Ok(Self::Ramdisk),
            _ => Err(Error::usage(format!("unknown dbPath kind '{text}'"))
                .help("the kinds are disk and ramdisk")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_one_spelling() {
        for (kind, word) in [(DbPathKind::Disk, "disk"), (DbPathKind::Ramdisk, "ramdisk")] {
            assert_eq!(kind.to_string(), word);
            assert_eq!(word.parse::<DbPathKind>().unwrap(), kind);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{word}\""));
        }
        let error = "floppy".parse::<DbPathKind>().unwrap_err().to_string();
        assert!(error.contains("'floppy'") && error.contains("disk and ramdisk"));
    }
}
