//! Which tolerance and how many blocks catch a change of a given size.

use serde::{Deserialize, Serialize};

use crate::calibrate::EFFECTS;
use crate::calibrate::resample::{Outcomes, Session, Tolerance};

/// What must be caught, as a share of sessions.
pub const CAUGHT: f64 = 0.95;

/// What may fail without a cause, as a share of sessions.
pub const FALSE_ALARMS: f64 = 0.01;

/// How to catch a change of one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The change that must be caught, as a fraction.
    pub effect: f64,
    /// The tolerance for that: half the change, with a floor that leaves it so.
    pub tolerance: Tolerance,
    /// The shortest of the longest sessions that catches it in at least [`CAUGHT`] of sessions, with at most [`FALSE_ALARMS`] of those of identical
    /// arms said to be slower; none where no session of the record does.
    pub blocks: Option<usize>,
    /// The share of sessions in which that, or else the longest one, catches it.
    pub caught: f64,
}

/// Advice for each effect above 0, from sessions by their length in blocks, ascending; the floor is lowered to what the effect leaves room for.
pub fn advise(
    resampled: &[(usize, Vec<Session>)],
    median_ms: f64,
    floor_ms: f64,
) -> Vec<Advice> {
    let effects = EFFECTS.into_iter().filter(|effect| *effect > 0.0);
    effects
        .map(|effect| {
            let fraction = effect / 2.0;
            // To a tenth of a millisecond, downwards: a value that a person would write.
            let room_ms = (median_ms * fraction * 10.0).floor() / 10.0;
            let tolerance = Tolerance {
                fraction,
                floor_ms: floor_ms.min(room_ms),
            };
            let mut advice = Advice {
                effect,
                tolerance,
                blocks: None,
                caught: 0.0,
            };
            for (blocks, sessions) in resampled {
                advice.caught = Outcomes::count(sessions, effect, tolerance).caught();
                let wrong = Outcomes::count(sessions, 0.0, tolerance).caught();
                if advice.caught >= CAUGHT && wrong <= FALSE_ALARMS {
                    advice.blocks = Some(*blocks);
                    break;
                }
            }
            advice
        })
        .collect()
}
