//! What several tables write in the same way.

use super::doc::{Cell, Doc, Tone};
use crate::figures::{interval, milliseconds, ratio};
use crate::model::results::{StartupCase, Status};
use crate::model::{Outcome, Verdict};

/// An interval, or a dash where there are too few samples for one.
pub(super) fn ends(ci95: Option<[f64; 2]>, figure: fn(f64) -> String) -> String {
    ci95.map_or("-".to_owned(), |ci| interval(ci, figure))
}

/// An interval of ratios behind an estimate: " [0.98-1.02]"; nothing where there is none.
pub(super) fn bracketed(ci95: Option<[f64; 2]>) -> String {
    ci95.map_or(String::new(), |ci| format!(" [{}]", interval(ci, ratio)))
}

/// In the place of figures: the status, and the number of its reason.
pub(super) fn without_figures(doc: &mut Doc, status: Status, reason: Option<&str>) -> Cell {
    let number = doc.footnote(reason.unwrap_or("no reason is recorded"));
    Cell::new(status.to_string()).tone(Tone::Warning).note(number)
}

/// What the rules say; nothing where none is for the case.
pub(super) fn verdict(verdict: &Verdict) -> Cell {
    let tone = match verdict.outcome {
        Outcome::Measured => return Cell::default(),
        _ if verdict.fails => Tone::Bad,
        Outcome::Ok | Outcome::Improved => Tone::Good,
        _ => Tone::Warning,
    };
    Cell::new(verdict.outcome.to_string()).tone(tone)
}

/// The case, its version, and its median with interval and count.
pub(super) fn times(case: &StartupCase) -> String {
    let version = case.version.as_deref().unwrap_or("-");
    let Some(summary) = &case.summary else {
        return format!("{} ({version}): unavailable", case.id);
    };
    let ci = summary.ci95;
    let ci = ci.map_or(String::new(), |ci| format!(" (95 %: {} ms)", interval(ci, milliseconds)));
    let median = milliseconds(summary.median);
    format!("{} ({version}): {median} ms{ci}, n = {}", case.id, summary.n)
}

/// A to Z, and AA behind Z.
pub(super) fn letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    String::from(letter).repeat(index / 26 + 1)
}
