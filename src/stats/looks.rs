//! When a session may stop, and what its interval then says.
//!
//! A look stops a session only when the whole interval lies on one side of the tolerance, never on
//! a p-value: peeking until something is significant finds a difference between identical cases in
//! 12 % of sessions. With a tolerance of 5 % and four looks, this rule finds a regression there in
//! less than 0.1 % of sessions where launch times vary by 6 %, and in about 1 % where they vary by
//! 15 % (simulated, with 5 % outliers).

/// After how many blocks a session is looked at by default.
pub const LOOKS: [usize; 4] = [10, 20, 30, 50];

/// What an interval says about a case, against a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The whole interval lies above the tolerance.
    Regressed,
    /// The whole interval lies below what the tolerance allows downwards.
    Improved,
    /// The whole interval lies below the tolerance.
    Ok,
    /// The interval contains the tolerance: more blocks may decide.
    Inconclusive,
}

impl Decision {
    /// Whether a session may stop at a look: everything but inconclusive is final.
    pub fn is_final(self) -> bool {
        self != Self::Inconclusive
    }
}

/// The looks of a session of `min` to `max` blocks, ascending: `min`, those of [`LOOKS`] between
/// the two, and `max`.
///
/// Only `max` when `min` is not below it. There is no look at 0 blocks: `looks(0, 15)` is 10, 15,
/// and `looks(0, 0)` is empty. Below 6 blocks there is no interval yet, so such a look decides
/// nothing.
pub fn looks(min: usize, max: usize) -> Vec<usize> {
    let between = LOOKS.into_iter().filter(|look| min < *look && *look < max);
    let mut looks: Vec<usize> = [min.min(max)].into_iter().chain(between).chain([max]).collect();
    looks.retain(|look| *look > 0);
    looks.dedup();
    looks
}

/// Judges the 95 % interval `ci` of a ratio (1 is no change) by a tolerance t as a fraction (0.05
/// is 5 %):
///
/// | outcome | rule |
/// |---|---|
/// | regressed | lower > 1 + t |
/// | improved | upper < 1 / (1 + t) |
/// | ok | upper < 1 + t |
/// | inconclusive | otherwise |
///
/// t is about half the change that one must catch. Inconclusive too when an end of the interval is
/// not finite, the ends are not in order, or the tolerance is below 0 or not finite.
pub fn classify(ci: [f64; 2], tolerance: f64) -> Decision {
    let [lower, upper] = ci;
    let limit = 1.0 + tolerance;
    if !is_interval(ci) || !is_tolerance(tolerance) {
        Decision::Inconclusive
    } else if lower > limit {
        Decision::Regressed
    } else if upper < 1.0 / limit {
        Decision::Improved
    } else if upper < limit {
        Decision::Ok
    } else {
        Decision::Inconclusive
    }
}

/// Whether the sentinel, a second copy of the reference, makes a session invalid: its 95 % interval
/// `ci` excludes the ratio 1, and its estimate is further from 1 than half the tolerance, above 1 +
/// t/2 or below 1 / (1 + t/2).
///
/// Ask once, at the look where the session stops: an interval of 95 % excludes 1 in about 5 % of
/// healthy sessions, and in about 10 % when each of four looks counts.
///
/// Identical servers that differ by that much mean that the machine, not the servers, made the
/// difference. Also `true` for input that is no estimate: NaN and infinities, ends not in order, a
/// tolerance below 0. A sentinel that cannot be read vouches for nothing.
pub fn sentinel_invalid(ci: [f64; 2], estimate_ratio: f64, tolerance: f64) -> bool {
    if !is_interval(ci) || !estimate_ratio.is_finite() || !is_tolerance(tolerance) {
        return true;
    }
    let [lower, upper] = ci;
    let limit = 1.0 + tolerance / 2.0;
    let excludes_one = lower > 1.0 || upper < 1.0;
    excludes_one && (estimate_ratio > limit || estimate_ratio < 1.0 / limit)
}

fn is_interval([lower, upper]: [f64; 2]) -> bool {
    lower.is_finite() && upper.is_finite() && lower <= upper
}

fn is_tolerance(tolerance: f64) -> bool {
    tolerance.is_finite() && tolerance >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_table() {
        let cases = [
            ([1.06, 1.20], Decision::Regressed),
            ([1.05, 1.20], Decision::Inconclusive), // on the limit is not beyond it
            ([0.90, 0.95], Decision::Improved),     // 1 / 1.05 = 0.952
            ([0.90, 0.953], Decision::Ok),
            ([0.90, 1.049], Decision::Ok),
            ([1.01, 1.04], Decision::Ok), // longer, yet within the tolerance
            ([0.90, 1.05], Decision::Inconclusive),
            ([1.20, 1.06], Decision::Inconclusive),
            ([1.06, f64::INFINITY], Decision::Inconclusive),
            ([f64::NAN, 1.0], Decision::Inconclusive),
        ];
        for (ci, outcome) in cases {
            assert_eq!(classify(ci, 0.05), outcome, "{ci:?}");
        }
        for tolerance in [f64::NAN, -0.1, f64::INFINITY] {
            assert_eq!(classify([0.9, 0.95], tolerance), Decision::Inconclusive);
        }
    }

    #[test]
    fn a_sentinel_must_differ_surely_and_by_enough() {
        assert!(sentinel_invalid([1.01, 1.06], 1.03, 0.05));
        assert!(sentinel_invalid([0.94, 0.99], 0.97, 0.05));
        assert!(!sentinel_invalid([1.01, 1.03], 1.02, 0.05), "small");
        assert!(!sentinel_invalid([0.97, 0.99], 0.98, 0.05), "small");
        assert!(!sentinel_invalid([1.0, 1.08], 1.04, 0.05), "may be none");
        assert!(sentinel_invalid([f64::NAN, 1.0], 1.0, 0.05), "unreadable");
        assert!(sentinel_invalid([1.1, 0.9], 1.0, 0.05), "unreadable");
        assert!(sentinel_invalid([0.9, 1.1], 1.0, f64::NAN), "unreadable");
    }

    #[test]
    fn looks_lie_between_the_first_and_the_last() {
        assert_eq!(looks(10, 50), LOOKS);
        assert_eq!(looks(6, 25), [6, 10, 20, 25]);
        assert_eq!(looks(30, 100), [30, 50, 100]);
        assert_eq!(looks(12, 13), [12, 13]);
        assert_eq!(looks(6, 9), [6, 9]);
        assert_eq!(looks(20, 20), [20]);
        assert_eq!(looks(40, 15), [15]);
        assert_eq!(looks(0, 15), [10, 15]);
        assert!(looks(0, 0).is_empty());
        assert_eq!(looks(usize::MAX, usize::MAX), [usize::MAX]);
    }
}
