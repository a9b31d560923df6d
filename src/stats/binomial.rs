//! What a count of few events among many trials says about their probability.

use statrs::function::beta::beta_reg;

/// The largest probability of an event that `events` in `trials` do not contradict at 95 %,
/// one-sided (Clopper and Pearson, Biometrika 26, 1934): 0 in 60 gives 4.9 %, 0 in 300 gives 1.0 %.
///
/// It is the p at which so few events have a probability of 5 %. Neither number has to be whole:
/// trials that depend on each other may be counted as fewer, with events in proportion (Korn and
/// Graubard, Survey Methodology 24, 1998).
///
/// `None` unless 0 <= `events` <= `trials` and `trials` is above 0 and finite.
pub fn upper_bound(events: f64, trials: f64) -> Option<f64> {
    const TAIL: f64 = 0.05;
    if !(trials.is_finite() && trials > 0.0 && (0.0..=trials).contains(&events)) {
        return None;
    }
    if events == trials {
        return Some(1.0);
    }
    // P(at most `events`) falls from 1 to 0 as p rises; 60 halvings leave less than a double can
    // tell.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        if beta_reg(events + 1.0, trials - events, p) < 1.0 - TAIL {
            low = p;
        } else {
            high = p;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.beta.ppf(0.95, events + 1, trials - events)` (SciPy 1.17.1).
    const SCIPY: [(f64, f64, f64); 6] = [
        (0.0, 60.0, 0.0487029133101),
        (0.0, 300.0, 0.00993608194446),
        (0.0, 1000.0, 0.0029912495451),
        (3.0, 1000.0, 0.00773524471848),
        (0.29, 18.0, 0.179718237015),
        (980.0, 1000.0, 0.986706994465),
    ];

    #[test]
    fn agrees_with_scipy() {
        for (events, trials, expected) in SCIPY {
            let bound = upper_bound(events, trials).unwrap();
            assert!((bound / expected - 1.0).abs() < 1e-9, "{events} in {trials}: {bound}");
        }
    }

    #[test]
    fn what_is_no_count_has_no_bound() {
        assert_eq!(upper_bound(5.0, 5.0), Some(1.0));
        for (events, trials) in [(0.0, 0.0), (-1.0, 5.0), (6.0, 5.0), (f64::NAN, 5.0)] {
            assert_eq!(upper_bound(events, trials), None, "{events} in {trials}");
        }
    }
}
