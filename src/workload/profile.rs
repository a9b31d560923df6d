//! How much is measured.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::workload::arms::Arm;
use crate::workload::cases::Workload;

/// How thorough a measurement is. Both load the same documents, with a unique index, and interleave their arms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Ten macro-iterations of the five main arms, and up to thirty while a limit is undecided: for a gate.
    #[default]
    Quick,
    /// Twenty longer ones of every arm, and up to fifty.
    Fair,
}

/// How often what is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Macro-iterations that count, before the first look at them; one more comes first and warms up.
    pub macros: u32,
    /// At most so many, where the looks before them decide nothing.
    pub max_macros: u32,
    /// Iterations of a macro-iteration of a workload whose calls concern single documents.
    pub single: usize,
    /// The same for [`Operation::MANY`](super::Operation::MANY) documents a call.
    pub many: usize,
    /// The arms: each macro-iteration has every one, in random order.
    pub arms: Vec<Arm>,
    /// Decides the order.
    pub seed: u64,
}

impl Profile {
    const ALL: [Self; 2] = [Self::Quick, Self::Fair];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Fair => "fair",
        }
    }

    /// What it means.
    pub fn plan(self, seed: u64) -> Plan {
        match self {
            Self::Quick => Plan {
                macros: 10,
                max_macros: 30,
                single: 20,
                many: 3,
                arms: vec![Arm::A, Arm::B, Arm::C, Arm::D, Arm::E],
                seed,
            },
            Self::Fair => Plan {
                macros: 20,
                max_macros: 50,
                single: 30,
                many: 10,
                arms: Arm::ALL.to_vec(),
                seed,
            },
        }
    }
}

impl Plan {
    /// Iterations of this workload in a macro-iteration of one arm.
    pub fn iterations(&self, workload: &Workload) -> usize {
        if workload.size() > 1 {
            self.many
        } else {
            self.single
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|profile| profile.as_str() == text).ok_or_else(|| {
            Error::usage(format!(
                "{text:?} is no profile: it is \"quick\" or \"fair\""
            ))
        })
    }
}
