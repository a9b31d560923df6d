//! Blocks measured together: prepared, locked, run, kept.

pub mod lock;
mod observer;
pub mod prepare;
mod run;
mod sample;
mod schedule;
mod store;

pub use observer::Observer;
pub use prepare::{Arm, Fetch};
pub use run::{Measured, Plan, Voided, pilot, run};
pub use sample::Sample;
pub use schedule::Schedule;
pub(crate) use store::write_whole;
pub use store::{Store, results_folder, target_folder};
