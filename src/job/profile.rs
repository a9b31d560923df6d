//! One session for the phases of cases.

use crate::config::Config;
use crate::error::Result;
use crate::job::{begin, new_run_id, rules, session};
use crate::model::Observer;
use crate::model::results::Results;
use crate::plan::profile::{Asked, arms};

/// Measures the cases that were asked for, interleaved and without rules, and keeps the results in
/// `target/mongate/<run id>/`.
///
/// # Errors
/// As for [`startup`](super::startup).
pub fn profile(config: &Config, asked: &[Asked], observer: &dyn Observer) -> Result<Results> {
    let _lock = begin(observer)?;
    let arms = arms(config, asked, observer)?;
    let (results, _) = session(config, arms, &rules(config), &new_run_id(), observer)?;
    Ok(results)
}
