//! Limits on this session, and the tolerance of a comparison.

use serde::{Deserialize, Serialize};

use crate::config::{Bound, Limit};
use crate::figures::{dearer, interval, milliseconds, percent, percent_interval, ratio, slower};
use crate::judge::Finding;
use crate::model::Case;
use crate::model::Outcome;
use crate::model::paired;
use crate::model::results::{Results, StartupCase, TransactionsCase};
use crate::stats;

/// How much slower a case may be than what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// As a share: 0.05 is 5 %.
    pub share: f64,
    /// But never less than this, in ms.
    pub floor_ms: f64,
}

impl Tolerance {
    /// The share that applies where the other side takes `base_ms`.
    pub fn over(self, base_ms: f64) -> f64 {
        let floor = self.floor_ms / base_ms;
        // A base of 0 or NaN leaves the share.
        if floor.is_finite() { self.share.max(floor) } else { self.share }
    }

    /// The tolerance in words: "tolerance 5 %", or with the floor that raised it.
    pub(super) fn words(self, base_ms: f64) -> String {
        let share = self.over(base_ms);
        if share > self.share {
            format!(
                "tolerance {} (the floor of {} ms)",
                percent(share),
                milliseconds(self.floor_ms)
            )
        } else {
            format!("tolerance {}", percent(share))
        }
    }
}

/// Judges a start-up by a limit; nothing where the limit is for transactions.
pub(super) fn by_limit(case: &StartupCase, limit: &Limit, results: &Results) -> Option<Finding> {
    match &limit.bound {
        Bound::Median(max) => Some(by_median(case, *max)),
        Bound::Ratio(max, against) => {
            let named = against.as_ref().map(Case::id);
            let own = || Some(case.against.as_ref()?.reference.clone());
            Some(match named.or_else(own) {
                Some(other) => by_ratio(case, *max, &other, results),
                None => nothing_to_compare(
                    max_ratio(*max),
                    &format!("{} is its own reference; name another with `against`", case.id),
                ),
            })
        }
        Bound::Overhead(_) => None,
    }
}

/// Judges what a transaction costs by a limit, E against B; nothing where the limit is for
/// start-ups, or the case has no arms but measures of its own.
pub(super) fn by_overhead(case: &TransactionsCase, limit: &Limit) -> Option<Finding> {
    let Bound::Overhead(max) = limit.bound else {
        return None;
    };
    if case.arms.is_empty() {
        return None;
    }
    let limit = percent(max);
    let rule = format!("max_overhead = {limit}");
    let both = case.overhead.get("E_vs_B").zip(case.arms.get("E"));
    let Some((overhead, transaction)) = both else {
        return Some(nothing_to_compare(
            rule,
            &format!("{} was not measured both in a transaction (E) and without one (B)", case.id),
        ));
    };
    let n = transaction.summary.n;
    let Some(ci) = overhead.ratio.ci95 else {
        return Some(too_few(&case.id, n, rule));
    };
    let measured = format!(
        "a transaction of {} costs {} than the same operations without one (95 %: {})",
        case.id,
        dearer(overhead.ratio.estimate),
        percent_interval(ci)
    );
    Some(bounded(rule, &measured, ci, 1.0 + max, &limit, n))
}

fn by_median(case: &StartupCase, max: f64) -> Finding {
    let limit = format!("{} ms", milliseconds(max));
    let rule = format!("max = {limit}");
    let Some((summary, ci)) = case.summary.as_ref().and_then(|s| Some((s, s.ci95?))) else {
        return too_few(&case.id, case.samples.len(), rule);
    };
    let measured = format!(
        "start-up of {} takes {} ms (95 %: {} ms)",
        case.id,
        milliseconds(summary.median),
        interval(ci, milliseconds)
    );
    bounded(rule, &measured, ci, max, &limit, summary.n)
}

fn by_ratio(case: &StartupCase, max: f64, other: &str, results: &Results) -> Finding {
    let rule = format!("{} against {other}", max_ratio(max));
    let against = results.startup.iter().find(|c| c.id == other && c.summary.is_some());
    let Some(against) = against else {
        let why = results.startup.iter().find(|c| c.id == other).and_then(|c| c.reason.as_deref());
        return nothing_to_compare(
            max_ratio(max),
            &format!("{other} was not measured: {}", why.unwrap_or("it is not in the session")),
        );
    };
    let compared = paired::compare(&case.samples, &against.samples);
    let Some((compared, ci)) = compared.and_then(|found| Some((found, found.ratio.ci95?))) else {
        return too_few(&case.id, case.samples.len(), rule);
    };
    let measured = format!(
        "start-up of {} takes {} times (95 %: {}) as long as that of {other}",
        case.id,
        ratio(compared.ratio.estimate),
        interval(ci, ratio)
    );
    bounded(rule, &measured, ci, max, &ratio(max), compared.blocks)
}

/// Judges an interval by a limit, which `limit` writes with its unit.
fn bounded(
    rule: String,
    measured: &str,
    [lower, upper]: [f64; 2],
    max: f64,
    limit: &str,
    n: usize,
) -> Finding {
    let (outcome, detail) = if lower > max {
        (Outcome::Regressed, format!("{measured}, more than its limit of {limit}"))
    } else if upper <= max {
        (Outcome::Ok, format!("{measured}, within its limit of {limit}"))
    } else {
        (
            Outcome::Inconclusive,
            format!("{measured}: its limit of {limit} lies within the interval, n = {n}"),
        )
    };
    finding(outcome, rule, detail)
}

/// Judges a case of `mongate compare` by the tolerance against its other side.
pub(super) fn by_pair(
    case: &StartupCase,
    tolerance: Tolerance,
    results: &Results,
) -> Option<Finding> {
    let against = case.against.as_ref()?;
    let rule = "compare".to_owned();
    if against.substitute {
        return Some(Finding {
            outcome: Outcome::Invalid,
            rule,
            detail: format!("{} has no other side: it could not be measured", case.id),
            strict: true,
        });
    }
    let base = results.startup.iter().find(|c| c.id == against.reference)?.summary.as_ref()?.median;
    let Some(ci) = against.ratio.ci95 else {
        return Some(too_few(&case.id, case.samples.len(), rule));
    };
    let outcome = stats::classify(ci, tolerance.over(base)).into();
    let named = |id: &str| {
        let case = results.startup.iter().find(|c| c.id == id);
        let version = case.and_then(|c| c.version.as_deref());
        format!("{id} ({})", version.unwrap_or("-"))
    };
    let detail = format!(
        "B, {}, is {} than A, {} (95 %: {}), {}",
        named(&case.id),
        slower(against.ratio.estimate),
        named(&against.reference),
        percent_interval(ci),
        tolerance.words(base)
    );
    Some(finding(outcome, rule, detail))
}

fn finding(outcome: Outcome, rule: String, detail: String) -> Finding {
    Finding { outcome, rule, detail, strict: false }
}

fn too_few(id: &str, n: usize, rule: String) -> Finding {
    let detail =
        format!("{id} has {n} samples: fewer than 6 give no 95 % interval, and nothing is decided");
    finding(Outcome::Inconclusive, rule, detail)
}

fn max_ratio(max: f64) -> String {
    format!("max_ratio = {}", ratio(max))
}

fn nothing_to_compare(rule: String, why: &str) -> Finding {
    Finding {
        outcome: Outcome::Invalid,
        rule,
        detail: format!("its limit cannot be judged: {why}"),
        strict: true,
    }
}
