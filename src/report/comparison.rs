//! The result of `mongate compare`: two lines and a sentence a pair.

use std::fmt::Write as _;

use crate::figures::{interval, milliseconds};
use crate::model::results::{Results, StartupCase};
use crate::report::notes::context;
use crate::report::table::{Style, wrap};

/// Each pair with its times and its verdict, and the notes that it needs.
pub fn render(results: &Results, style: Style) -> String {
    let mut text = String::new();
    for pair in results.startup.chunks(2) {
        for (name, case) in ["A", "B"].iter().zip(pair) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name} {}", times(case));
        }
        if let Some(judged) = pair.last() {
            let verdict = &judged.verdict;
            let said = match &verdict.detail {
                Some(detail) => format!("{}: {detail}", verdict.outcome),
                None => verdict.outcome.to_string(),
            };
            text += &wrap(&said, usize::from(style.width));
            text += "\n\n";
        }
    }
    for note in context(results) {
        text += &wrap(&note, usize::from(style.width));
        text.push('\n');
    }
    text
}

/// The case, its version, and its median with interval and count.
pub(super) fn times(case: &StartupCase) -> String {
    let version = case.version.as_deref().unwrap_or("-");
    let Some(summary) = &case.summary else {
        return format!("{} ({version}): unavailable", case.id);
    };
    let ci = summary
        .ci95_ms
        .map_or(String::new(), |ci| format!(" (95 %: {} ms)", interval(ci, milliseconds)));
    format!(
        "{} ({version}): {} ms{ci}, n = {}",
        case.id,
        milliseconds(summary.median_ms),
        summary.n
    )
}
