//! The machine that was measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a reader must know of a machine to judge its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: usize,
    /// Memory in MiB.
    pub memory_mb: u64,
    /// The operating system and its version.
    pub os: String,
    /// The kernel's version.
    pub kernel: String,
    /// The load average over one minute when the session began; processes other than ours show
    /// here.
    pub load1: f64,
}

impl Machine {
    /// Whether both are the same machine, or one that nobody can tell from it: all but the load.
    pub fn is(&self, other: &Self) -> bool {
        let load1 = self.load1;
        *self == Self { load1, ..other.clone() }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, memory_mb, os, kernel, load1 } = self;
        let gib = *memory_mb as f64 / 1024.0;
        write!(f, "{cpu}, {cores} cores, {gib:.0} GiB, {os}, kernel {kernel}, load {load1:.1}")
    }
}
