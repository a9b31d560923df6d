//! Values of the configuration that are more than a number or a word.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};
use crate::model::text;

/// An extra argument of mongod that does not contradict what mongate sets itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(pub String);

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        text::of_text(deserializer, str::parse)
    }
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let name = text.split('=').next().unwrap_or_default();
        // mongod takes a long option with one dash, too.
        let dashed = [name, &format!("-{name}")];
        if OWN_OPTIONS.iter().any(|own| dashed.contains(own)) {
            return Err(format!("{name} is set by mongate itself and cannot be given"));
        }
        Ok(Self(text.to_owned()))
    }
}

/// How many blocks a session measures: it looks first at `min` and stops at `max` at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Blocks {
    /// At least so many.
    pub min: u32,
    /// At most so many.
    pub max: u32,
}

impl Blocks {
    /// Fewer give no 95 % interval.
    pub const FEWEST: u32 = 6;
    const MOST: u32 = 10_000;
}

impl FromStr for Blocks {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (min, max) = text.split_once("..").unwrap_or((text, text));
        let number = |part: &str| part.trim().parse::<u32>().ok();
        match (number(min), number(max)) {
            (Some(min), Some(max))
                if (Self::FEWEST..=Self::MOST).contains(&min)
                    && min <= max
                    && max <= Self::MOST =>
            {
                Ok(Self { min, max })
            }
            _ => Err(Error::usage(format!(
                "{text:?} is not a valid number of blocks: write N or MIN..MAX, each from {} to {}",
                Self::FEWEST,
                Self::MOST
            ))),
        }
    }
}

impl TryFrom<toml::Value> for Blocks {
    type Error = Error;

    fn try_from(value: toml::Value) -> Result<Self> {
        match value {
            toml::Value::String(text) => text.parse(),
            other => other.to_string().parse(),
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            write!(f, "{}", self.min)
        } else {
            write!(f, "{}..{}", self.min, self.max)
        }
    }
}

/// A length of time: "60s", "1500ms".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Time(pub Duration);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let number = |unit: &str| text.strip_suffix(unit)?.trim().parse::<u64>().ok();
        number("ms")
            .map(Duration::from_millis)
            .or_else(|| number("s").map(Duration::from_secs))
            .filter(|limit| !limit.is_zero())
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a valid time: write \"60s\" or \"1500ms\""))
    }
}

/// A share: "5%" is 0.05.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = text.strip_suffix('%').map(str::trim).map(str::parse::<f64>);
        match number {
            Some(Ok(percent)) if percent.is_finite() && percent >= 0.0 => Ok(Self(percent / 100.0)),
            _ => Err(Error::usage(format!(
                "{text:?} is not a valid share: write \"5%\" or \"2.5%\""
            ))),
        }
    }
}

impl TryFrom<String> for Share {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

/// A length of time in milliseconds: "5ms", "0.5ms", "1.2s".
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Milliseconds(pub f64);

impl FromStr for Milliseconds {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |unit: &str| text.strip_suffix(unit)?.trim().parse::<f64>().ok();
        number("ms")
            .or_else(|| number("s").map(|seconds| seconds * 1e3))
            .filter(|ms| ms.is_finite() && *ms >= 0.0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a valid time: write \"250ms\" or \"1.5s\""))
    }
}

impl TryFrom<String> for Milliseconds {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

/// Options that every launch sets itself; as extra arguments they would contradict it.
pub const OWN_OPTIONS: [&str; 15] = [
    "--bind_ip",
    "--bind_ip_all",
    "--config",
    "--dbpath",
    "--fork",
    "--logappend",
    "--logpath",
    "--nounixsocket",
    "--port",
    "--repair",
    "--replSet",
    "--shutdown",
    "--storageEngine",
    "--syslog",
    "-f",
];
