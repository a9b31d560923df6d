//! Which tolerance and how many blocks catch a change of a given size.

use serde::{Deserialize, Serialize};

use crate::judge::Tolerance;
use crate::judge::calibrate::EFFECTS;
use crate::judge::calibrate::resample::{Outcomes, Session};

/// What must be caught, as a share of sessions.
pub const CAUGHT: f64 = 0.95;

/// What may fail without a cause, as a share of sessions.
pub const FALSE_ALARMS: f64 = 0.01;

/// What may stay undecided without a cause, as a share of sessions: a gate that often cannot decide
/// is soon ignored.
pub const INCONCLUSIVE: f64 = 0.05;

/// Tolerances to try, in tenths of the change.
const TENTHS: [f64; 5] = [5.0, 4.0, 3.0, 2.0, 1.0];

/// How to catch a change of one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The change that must be caught, as a fraction.
    pub effect: f64,
    /// The tolerance for that, with a floor that leaves it so.
    pub tolerance: Tolerance,
    /// The longest session, in blocks.
    pub blocks: usize,
    /// Whether that is enough: the change is caught in at least [`CAUGHT`] of the sessions; of
    /// those of identical arms at most [`FALSE_ALARMS`] are said to be slower, and at most
    /// [`INCONCLUSIVE`] stay undecided. If not, this is what half the change as tolerance and the
    /// most blocks do.
    pub enough: bool,
    /// The share of sessions in which the change is caught.
    pub caught: f64,
    /// The share of sessions of identical arms that stay inconclusive.
    pub inconclusive: f64,
}

/// Advice for each effect above 0, from sessions by their length in blocks, ascending.
///
/// The largest tolerance wins, from half the change downwards, and then the fewest blocks: a
/// smaller tolerance catches more, and leaves more sessions of identical arms inconclusive, which
/// more blocks mend. The floor is lowered where it would exceed the tolerance.
pub fn advise(resampled: &[(usize, Vec<Session>)], median_ms: f64, floor_ms: f64) -> Vec<Advice> {
    let effects = EFFECTS.into_iter().filter(|effect| *effect > 0.0);
    let attempt = |(blocks, sessions): &(usize, Vec<Session>), effect: f64, tenths: f64| {
        let share = effect * tenths / 10.0;
        // To a tenth of a millisecond, downwards: a value that a person would write.
        let room_ms = (median_ms * share * 10.0).floor() / 10.0;
        let tolerance = Tolerance { share, floor_ms: floor_ms.min(room_ms) };
        let identical = Outcomes::count(sessions, 0.0, tolerance);
        let caught = Outcomes::count(sessions, effect, tolerance).caught();
        let inconclusive = identical.inconclusive as f64 / sessions.len().max(1) as f64;
        Advice {
            effect,
            tolerance,
            blocks: *blocks,
            enough: caught >= CAUGHT
                && identical.caught() <= FALSE_ALARMS
                && inconclusive <= INCONCLUSIVE,
            caught,
            inconclusive,
        }
    };
    effects
        .filter_map(|effect| {
            TENTHS
                .iter()
                .flat_map(|&tenths| resampled.iter().map(move |row| attempt(row, effect, tenths)))
                .find(|advice| advice.enough)
                .or_else(|| Some(attempt(resampled.last()?, effect, TENTHS[0])))
        })
        .collect()
}
