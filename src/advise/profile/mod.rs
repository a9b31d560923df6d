//! What a start consists of, and what it waits for: from the samples of a session to figures and
//! findings.

pub(crate) mod diagnosis;
mod difference;
pub mod figures;

pub use diagnosis::diagnose;
pub use difference::{Difference, differences};
pub use figures::{Figures, Row, Stretch};
