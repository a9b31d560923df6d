//! How figures are written: three digits that mean something.

/// Milliseconds without the unit: 1,313, 158, 36.2, 4.21.
pub fn milliseconds(value: f64) -> String {
    if value >= 999.5 {
        let whole = value.round() as u64;
        format!("{},{:03}", whole / 1000, whole % 1000)
    } else if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A ratio: 0.22, 1.00, 12.3.
pub fn ratio(value: f64) -> String {
    if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// An interval with its ends written by `figure`: 151-163.
pub fn interval(ends: [f64; 2], figure: fn(f64) -> String) -> String {
    format!("{}-{}", figure(ends[0]), figure(ends[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let written = [4.2071, 9.996, 36.24, 99.96, 157.6, 999.6, 11_195.2].map(milliseconds);
        assert_eq!(
            written,
            ["4.21", "10.0", "36.2", "100", "158", "1,000", "11,195"]
        );
        assert_eq!(interval([0.2049, 12.34], ratio), "0.20-12.3");
    }
}
