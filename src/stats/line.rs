//! A straight line through times: what is paid once, and what each piece costs.

/// `fixed + each * x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The value at 0.
    pub fixed: f64,
    /// What one more of x adds.
    pub each: f64,
}

/// The line through points (x, y) by least squares of the relative errors: what is least is the sum
/// of `((y - fixed - each * x) / y)²`.
///
/// Times err in proportion to their size, so that without the weights the longest alone would
/// decide, and the fixed part would be its noise. Weighted least squares: Draper and Smith, Applied
/// Regression Analysis, 3rd ed., section 9.2, with weights 1 / y².
///
/// `None` for points with fewer than two different x, and for a y that is not above 0 and finite.
pub fn fit_line(points: &[(f64, f64)]) -> Option<Line> {
    let [w, wx, wy, wxx, wxy] = sums(points)?;
    let spread = w * wxx - wx * wx;
    if spread <= f64::EPSILON * w * wxx {
        return None;
    }
    let each = (w * wxy - wx * wy) / spread;
    let fixed = (wy - each * wx) / w;
    (each.is_finite() && fixed.is_finite()).then_some(Line { fixed, each })
}

/// As [`fit_line`], for a line without a fixed part: what each piece costs.
///
/// `None` for no points but at x = 0, and for a y that is not above 0 and finite.
pub fn fit_proportional(points: &[(f64, f64)]) -> Option<f64> {
    let [_, _, _, wxx, wxy] = sums(points)?;
    let each = wxy / wxx;
    each.is_finite().then_some(each)
}

/// The sums of w, wx, wy, wx² and wxy with w = 1 / y².
fn sums(points: &[(f64, f64)]) -> Option<[f64; 5]> {
    let mut sums = [0.0; 5];
    for &(x, y) in points {
        if !(y.is_finite() && y > 0.0 && x.is_finite()) {
            return None;
        }
        let w = (y * y).recip();
        for (sum, term) in sums.iter_mut().zip([1.0, x, y, x * x, x * y]) {
            *sum += w * term;
        }
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [(f64, f64); 4] =
        [(1.0, 1500.0), (10.0, 4100.0), (100.0, 30_500.0), (1000.0, 280_000.0)];

    /// `numpy.polyfit(x, y, 1, w=1 / y)` (NumPy 2.4.6; its weights multiply the residuals,
    /// unsquared), and for the other `sum(x / y) / sum(x² / y²)`.
    #[test]
    fn agrees_with_numpy() {
        let line = fit_line(&POINTS).unwrap();
        assert!((line.fixed / NUMPY[0] - 1.0).abs() < 1e-9, "{line:?}");
        assert!((line.each / NUMPY[1] - 1.0).abs() < 1e-9, "{line:?}");
        let each = fit_proportional(&POINTS).unwrap();
        assert!((each / NUMPY[2] - 1.0).abs() < 1e-9, "{each}");
    }

    const NUMPY: [f64; 3] = [1219.00144129, 285.71221384, 332.990386718];

    #[test]
    fn points_on_a_line_give_that_line() {
        let points = [1.0, 10.0, 1000.0].map(|x| (x, 700.0 + 300.0 * x));
        let line = fit_line(&points).unwrap();
        assert!((line.fixed - 700.0).abs() < 1e-6 && (line.each - 300.0).abs() < 1e-9);
    }

    #[test]
    fn what_makes_no_line_gives_none() {
        for points in [
            &[][..],
            &[(1.0, 5.0)],
            &[(2.0, 5.0), (2.0, 6.0)],
            &[(1.0, 0.0), (2.0, 1.0)],
            &[(1.0, f64::NAN), (2.0, 1.0)],
        ] {
            assert_eq!(fit_line(points), None, "{points:?}");
        }
        assert_eq!(fit_proportional(&[(0.0, 5.0)]), None);
    }
}
