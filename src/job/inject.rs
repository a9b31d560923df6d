//! A known slowdown of one side, to see the gate fire.

use std::time::Duration;

use crate::error::Result;
use crate::measure::pilot;
use crate::plan::PlannedCase;

/// Launches from which the time of one side is estimated before a slowdown is injected.
const PILOT: u32 = 9;

/// Delays the launches of each second side by a share of what the first takes, both under the same
/// wrapper; returns a sentence a pair.
///
/// # Errors
/// A launch failed while the first side's time was estimated.
pub fn inject(arms: &mut [PlannedCase], share: f64, timeout: Duration) -> Result<Vec<String>> {
    let mut said = Vec::new();
    for pair in arms.chunks_mut(2) {
        let [a, b] = pair else { continue };
        if a.ready.is_err() {
            continue;
        }
        a.delay = Some(Duration::ZERO);
        let delay_ms = pilot(a, PILOT, timeout)? * share;
        b.delay = Some(Duration::from_secs_f64(delay_ms / 1e3));
        said.push(format!(
            "injected: {} waits {delay_ms:.1} ms before mongod, {:.0} % of the median of {PILOT} \
                launches of {}",
            b.case.id(),
            share * 100.0,
            a.case.id()
        ));
    }
    Ok(said)
}
