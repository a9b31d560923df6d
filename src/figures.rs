//! How figures are written: three digits that mean something.

/// Milliseconds without the unit: 1,313, 158, 36.2, 4.21.
pub(crate) fn milliseconds(value: f64) -> String {
    if value >= 999.5 {
        count(value.round() as usize)
    } else if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A count: 7, 1,313, 1,067,051.
pub(crate) fn count(mut whole: usize) -> String {
    let mut text = String::new();
    while whole >= 1000 {
        text = format!(",{:03}{text}", whole % 1000);
        whole /= 1000;
    }
    format!("{whole}{text}")
}

/// Microseconds with a unit that suits them: 870 us, 3.87 ms.
pub(crate) fn short_time(us: f64) -> String {
    match us {
        ..1000.0 => format!("{us:.0} us"),
        _ => format!("{} ms", milliseconds(us / 1e3)),
    }
}

/// A size in MiB without the unit: a digit after the point below 10, and none above.
pub(crate) fn size(mb: f64) -> String {
    match mb {
        ..9.95 => format!("{mb:.1}"),
        ..999.5 => format!("{mb:.0}"),
        _ => milliseconds(mb),
    }
}

/// How often something happens: one decimal, and 100 % only where it is always.
pub(crate) fn rate(share: f64) -> String {
    let tenths = match (share * 1e3).round() {
        tenths if share < 1.0 => tenths.min(999.0),
        tenths => tenths,
    };
    match tenths {
        1000.0 => "100 %".to_owned(),
        _ => format!("{:.1} %", tenths / 10.0),
    }
}

/// A change in per cent, whole and with its sign, without the unit: +123.
pub(crate) fn change_percent(percent: f64) -> String {
    // A rounded -0.4 is no minus.
    format!("{:+.0}", percent.round() + 0.0)
}

/// A ratio as such a change.
pub(crate) fn signed_change(ratio: f64) -> String {
    change_percent((ratio - 1.0) * 100.0)
}

/// An interval of ratios as such changes: -5..+12.
pub(crate) fn signed_changes(ends: [f64; 2]) -> String {
    let [low, high] = ends.map(signed_change);
    format!("{low}..{high}")
}

/// A difference of times with its sign, without the unit: +24,680.
pub(crate) fn signed(difference: f64) -> String {
    let sign = if difference < 0.0 { "-" } else { "+" };
    format!("{sign}{}", milliseconds(difference.abs()))
}

/// A ratio: 0.22, 1.00, 12.3.
pub(crate) fn ratio(value: f64) -> String {
    if value >= 9.995 { format!("{value:.1}") } else { format!("{value:.2}") }
}

/// An interval with its ends written by `figure`: 151-163.
pub(crate) fn interval(ends: [f64; 2], figure: fn(f64) -> String) -> String {
    format!("{}-{}", figure(ends[0]), figure(ends[1]))
}

/// A share in per cent: 5 %, 2.5 %, -0.4 %.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", hundredths(share))
}

/// How much longer or shorter a time is that is `ratio` times another: "14 % slower", "3.2 %
/// faster".
pub(crate) fn slower(ratio: f64) -> String {
    change(ratio, "faster", "slower")
}

/// How much more or less something costs that costs `ratio` times another: "123 % more", "3.2 %
/// less".
pub(crate) fn dearer(ratio: f64) -> String {
    change(ratio, "less", "more")
}

fn change(ratio: f64, less: &str, more: &str) -> String {
    let word = if ratio < 1.0 { less } else { more };
    format!("{} {word}", percent((ratio - 1.0).abs()))
}

/// An interval of ratios as a change in per cent: "-2 to 3.1 %".
pub(crate) fn percent_interval(ratios: [f64; 2]) -> String {
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
    fn units_and_signs() {
        assert_eq!([3870.4, 12.3].map(short_time), ["3.87 ms", "12 us"]);
        assert_eq!([0.26, 9.96, 300.2, 1200.0].map(size), ["0.3", "10", "300", "1,200"]);
        assert_eq!([0.0, 0.9996, 1.0].map(rate), ["0.0 %", "99.9 %", "100 %"]);
        assert_eq!(signed_changes([0.996, 2.23]), "+0..+123");
        assert_eq!([-12.3, 24_680.0].map(signed), ["-12.3", "+24,680"]);
        assert_eq!([7, 1313, 1_067_051].map(count), ["7", "1,313", "1,067,051"]);
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
