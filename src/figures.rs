//! How figures are written: three digits that mean something.

/// Milliseconds without the unit: 1,313, 158, 36.2, 4.21.
pub fn milliseconds(value: f64) -> String {
    if value >= 999.5 {
        let mut whole = value.round() as u64;
        let mut text = String::new();
        while whole >= 1000 {
            text = format!(",{:03}{text}", whole % 1000);
            whole /= 1000;
        }
        format!("{whole}{text}")
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
    if value >= 9.995 { format!("{value:.1}") } else { format!("{value:.2}") }
}

/// An interval with its ends written by `figure`: 151-163.
pub fn interval(ends: [f64; 2], figure: fn(f64) -> String) -> String {
    format!("{}-{}", figure(ends[0]), figure(ends[1]))
}

/// A share in per cent: 5 %, 2.5 %, -0.4 %.
pub fn percent(share: f64) -> String {
    format!("{} %", hundredths(share))
}

/// How much longer or shorter a time is that is `ratio` times another: "14 % slower", "3.2 %
/// faster".
pub fn slower(ratio: f64) -> String {
    change(ratio, "faster", "slower")
}

/// How much more or less something costs that costs `ratio` times another: "123 % more", "3.2 %
/// less".
pub fn dearer(ratio: f64) -> String {
    change(ratio, "less", "more")
}

fn change(ratio: f64, less: &str, more: &str) -> String {
    let word = if ratio < 1.0 { less } else { more };
    format!("{} {word}", percent((ratio - 1.0).abs()))
}

/// An interval of ratios as a change in per cent: "-2 to 3.1 %".
pub fn percent_interval(ratios: [f64; 2]) -> String {
    let [lower, upper] = ratios.map(|ratio| hundredths(ratio - 1.0));
    format!("{lower} to {upper} %")
}

/// Two digits, and no more than one after the point.
fn hundredths(share: f64) -> String {
    let value = share * 100.0;
    let text = if value.abs() >= 9.95 { format!("{value:.0}") } else { format!("{value:.1}") };
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let written =
            [4.2071, 9.996, 36.24, 99.96, 157.6, 999.6, 11_195.2, 1_067_051.4].map(milliseconds);
        assert_eq!(written, ["4.21", "10.0", "36.2", "100", "158", "1,000", "11,195", "1,067,051"]);
        assert_eq!(interval([0.2049, 12.34], ratio), "0.20-12.3");
    }

    #[test]
    fn changes_in_per_cent() {
        let written = [0.05, 0.025, -0.004, 0.0, -0.0004, 1.5, 0.0996].map(percent);
        assert_eq!(written, ["5 %", "2.5 %", "-0.4 %", "0 %", "0 %", "150 %", "10 %"]);
        assert_eq!(slower(1.142), "14 % slower");
        assert_eq!(slower(0.968), "3.2 % faster");
        assert_eq!(dearer(2.23), "123 % more");
        assert_eq!(dearer(0.67), "33 % less");
        assert_eq!(percent_interval([0.98, 1.031]), "-2 to 3.1 %");
    }
}
