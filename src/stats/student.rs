//! Student's t distribution where statrs is exact, and what to do where it is not.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Above this many degrees of freedom statrs 0.19 gives a wrong quantile (1e5) or never returns
/// (1e7).
const QUANTILE_DF_MAX: f64 = 1e4;

/// Above this many degrees of freedom statrs 0.19 loses digits of the tail faster than the
/// distribution differs from the normal one.
const TAIL_DF_MAX: f64 = 1e8;

/// The probability of a magnitude of at least |t|; `None` for NaN, and unless `df` is above 0.
pub(super) fn two_sided_p(t: f64, df: f64) -> Option<f64> {
    if t.is_nan() {
        return None;
    }
    let df = if df > TAIL_DF_MAX { f64::INFINITY } else { df };
    Some(2.0 * StudentsT::new(0.0, 1.0, df).ok()?.sf(t.abs()))
}

/// The 97.5 % quantile, the half width of a two-sided 95 % interval in standard errors; `None`
/// unless `df` is at least 1.
pub(super) fn t975(df: f64) -> Option<f64> {
    const P: f64 = 0.975;
    if df.is_nan() || df < 1.0 {
        return None;
    }
    if df > QUANTILE_DF_MAX {
        // The first term of the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5); the next
        // one is below 1e-7.
        let z = Normal::standard().inverse_cdf(P);
        return Some(z + (z.powi(3) + z) / (4.0 * df));
    }
    Some(StudentsT::new(0.0, 1.0, df).ok()?.inverse_cdf(P))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of scipy.stats.t (SciPy 1.17.1): `t.ppf(0.975, df)` and `2 * t.sf(2.5, df)`, on both
    /// sides of each of our limits.
    const SCIPY: [(f64, f64, f64); 7] = [
        (1.0, 12.706204736175, 0.242237883182),
        (9999.0, 1.960201263621, 0.012435221140),
        (10001.0, 1.960201216165, 0.012435217961),
        (1000000.0, 1.959966356814, 0.012419489502),
        (100000000.0, 1.959964008263, 0.012419332240),
        (100000001.0, 1.959964008263, 0.012419332240),
        (1000000000000.0, 1.959963984542, 0.012419330652),
    ];

    #[test]
    fn agrees_with_scipy_where_statrs_does_not() {
        for (df, quantile, p) in SCIPY {
            let (our_quantile, our_p) = (t975(df).unwrap(), two_sided_p(-2.5, df).unwrap());
            assert!((our_quantile / quantile - 1.0).abs() < 1e-7, "t975({df}) is {our_quantile}");
            assert!((our_p / p - 1.0).abs() < 1e-6, "two_sided_p(-2.5, {df}) is {our_p}");
        }
    }

    #[test]
    fn what_is_no_number_of_degrees_has_no_answer() {
        for df in [f64::NAN, -1.0, 0.0] {
            assert_eq!((t975(df), two_sided_p(1.0, df)), (None, None), "{df}");
        }
        assert_eq!(two_sided_p(f64::NAN, 5.0), None);
        assert_eq!(two_sided_p(0.0, 5.0), Some(1.0));
    }
}
