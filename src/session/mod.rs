//! Blocks measured together: prepared, locked, run, kept.

mod image;
mod launch;
pub mod lock;
mod observer;
pub mod obtain;
pub mod prepare;
mod run;
mod sample;
mod schedule;
mod store;
mod template;
mod usage;

pub use launch::pilot;
pub use observer::Observer;
pub use prepare::{Arm, Fetch};
pub use run::{Measured, Plan, Voided, run};
pub use sample::{Sample, Single, Together};
pub use schedule::Schedule;
pub(crate) use store::write_whole;
pub use store::{Store, results_folder, target_folder};
pub use template::Template;
