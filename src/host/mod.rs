//! This computer: what it is, its signals, the helper programs that run on it, the files that
//! lock it.

mod folders;
pub mod guard;
pub mod locale;
pub mod lock;
mod machine;
pub mod tool;
pub mod write;

pub use folders::{results_folder, target_folder};
pub use machine::now;
