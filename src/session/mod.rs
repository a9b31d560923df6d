//! Blocks measured together: prepared, locked, run, kept.

mod image;
pub mod lock;
mod observer;
pub mod obtain;
pub mod prepare;
mod run;
mod sample;
mod schedule;
mod store;

pub use observer::Observer;
pub use prepare::{Arm, Fetch};
pub use run::{Measured, Plan, Voided, pilot, run};
pub use sample::{Sample, Together};
pub use schedule::Schedule;
pub use store::{Store, target_folder};
