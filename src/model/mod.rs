//! What every room speaks of: versions, cases, samples, verdicts, results. Data and its words; no
//! I/O.

pub mod case;
mod db_path_kind;
mod filter;
mod machine;
mod observer;
pub mod paired;
mod phase;
pub mod results;
pub mod sample;
pub mod text;
mod verdict;
mod version;
pub mod workload;

pub use case::{Cache, Case, Engine, Topology, VariantName};
pub use db_path_kind::DbPathKind;
pub use filter::{matches, pick, select};
pub use machine::Machine;
pub use observer::{Observer, Progress, Silent};
pub use phase::{Part, Phase};
pub use sample::{Sample, Single, Together, Voided};
pub use verdict::{Outcome, Verdict};
pub use version::{Label, Version};
pub use workload::TransactionProfile;
