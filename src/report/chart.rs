//! Bars made of characters.

/// A bar of at most `width` columns for `value`, where `most` fills all of them; in eighths of a
/// column. Anything above 0 shows.
pub fn bar(value: f64, most: f64, width: usize) -> String {
    const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if !(value > 0.0 && most > 0.0) {
        return String::new();
    }
    let eighths = (value / most * 8.0 * width as f64).round().max(1.0) as usize;
    let eighths = eighths.min(8 * width);
    let mut bar = "█".repeat(eighths / 8);
    if let Some(rest) = (eighths % 8).checked_sub(1) {
        bar.push(EIGHTHS[rest]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let drawn = [0.0, 1e-9, 0.5, 0.55, 1.0, 7.0, f64::NAN].map(|value| bar(value, 1.0, 10));
        assert_eq!(drawn, ["", "▏", "█████", "█████▌", "██████████", "██████████", ""]);
        assert_eq!(bar(1.0, 0.0, 10), "");
        assert_eq!(bar(1.0, 2.0, 0), "");
    }
}
