//! Blocks measured together: prepared, locked, run, kept.

pub mod lock;
mod observer;
pub mod obtain;
pub mod prepare;
mod run;
mod sample;
mod schedule;
mod store;
mod usage;

pub use observer::Observer;
pub use prepare::{Arm, Fetch};
pub use run::{Measured, Plan, Voided, pilot, run};
pub use sample::Sample;
pub use schedule::Schedule;
pub use store::{Store, target_folder};
