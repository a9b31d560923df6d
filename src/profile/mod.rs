//! What a start consists of, and what it waits for: from the samples of a session to figures and
//! findings.

mod diagnosis;
mod difference;
mod figures;
mod select;

pub use diagnosis::{Bound, Diagnosis, diagnose};
pub use difference::{Difference, differences};
pub use figures::{Figures, Row, Stretch};
pub use select::{Asked, arms, cases};
