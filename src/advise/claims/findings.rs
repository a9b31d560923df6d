//! From the cases of a run to what they say of each claim.

use std::fmt::Write as _;

use super::{Finding, Judged};
use crate::figures::{interval, milliseconds as three_digits, percent, ratio};
use crate::model::results::{
    Comparison, Crossover, CrowdTimes, Figure, LaneTimes, Results, TransactionsCase,
};
use crate::stats;

/// Held where the whole interval is above `bar`, refuted where it is below.
fn above(ends: [f64; 2], bar: f64) -> Finding {
    if ends[0] > bar {
        Finding::Held
    } else if ends[1] < bar {
        Finding::Refuted
    } else {
        Finding::Undecided
    }
}

fn lane<'a>(case: &'a TransactionsCase, name: &str) -> Option<&'a LaneTimes> {
    case.lanes.iter().find(|lane| lane.name == name)
}

fn compared<'a>(case: &'a TransactionsCase, one: &str, other: &str) -> Option<&'a Comparison> {
    let mut all = case.comparisons.iter();
    all.find(|pair| pair.one == one && pair.other == other)
}

/// A ratio with its interval: "1.80 (1.72-1.91)".
fn times(pair: &Comparison) -> Option<String> {
    let ends = interval(pair.overhead.ratio.ci95?, ratio);
    Some(format!("{} ({ends})", ratio(pair.overhead.ratio.estimate)))
}

/// A lane's median with its interval: "1,204 us (1,100-1,290)".
fn time(lane: &LaneTimes) -> Option<String> {
    let ends = interval(lane.summary.ci95?, three_digits);
    Some(format!("{} us ({ends})", three_digits(lane.summary.median)))
}

pub(super) fn durability(case: &TransactionsCase) -> Judged {
    let pair = compared(case, "plain, majority", "transaction, w:1")?;
    let mut words = Vec::new();
    for name in ["plain, w:1", "plain, majority", "transaction, w:1", "transaction, majority"] {
        words.push(format!("{name} {}", time(lane(case, name)?)?));
    }
    let text = format!(
        "an insert takes {}; plain majority takes {} times as long as the w:1 transaction",
        words.join(", "),
        times(pair)?
    );
    Some((text, above(pair.overhead.ratio.ci95?, 1.0)))
}

pub(super) fn syncs(case: &TransactionsCase) -> Judged {
    let of = |name: &str| {
        let lane = lane(case, name)?;
        let share = Figure::of(lane.sync_share.clone())?;
        let count = Figure::of(lane.syncs.clone())?.median;
        let ends = share.ci95?;
        let [low, high] = ends.map(percent);
        let text = format!(
            "{} syncs take {} ({low} to {high}) of its {}",
            ratio(count),
            percent(share.median),
            time(lane)?
        );
        Some((text, ends))
    };
    let (majority, ends) = of("plain, majority")?;
    let (one, _) = of("plain, w:1")?;
    let text = format!("in a majority write {majority}; in a w:1 write {one}");
    Some((text, above(ends, 0.5)))
}

pub(super) fn batching(case: &TransactionsCase) -> Judged {
    let found = case.crossover.as_ref()?;
    let [low, high] = found.ci95?;
    let measured = |end: Option<u64>| end.is_some_and(|n| n <= 1000);
    let finding = match (measured(low), measured(high)) {
        (_, true) => Finding::Held,
        (false, false) => Finding::Refuted,
        (true, false) => Finding::Undecided,
    };
    Some((crossover(found), finding))
}

/// The two lines and where they cross, in a sentence.
pub(crate) fn crossover(found: &Crossover) -> String {
    let us = |figure: &Figure| {
        let ci =
            figure.ci95.map_or(String::new(), |ci| format!(" ({})", interval(ci, three_digits)));
        format!("{}{ci}", three_digits(figure.median))
    };
    let lines = format!(
        "one transaction of N inserts takes {} us + N times {} us, N majority writes N times {} us",
        us(&found.fixed_us),
        us(&found.each_us),
        us(&found.write_us)
    );
    let end = |operations: Option<u64>| operations.map_or("never".to_owned(), |n| n.to_string());
    let ci = found.ci95.map_or(String::new(), |[low, high]| {
        format!(" (95 %: {} to {}, one fit a macro-iteration)", end(low), end(high))
    });
    match found.operations {
        Some(n) => format!(
            "{lines}: from N = {n} operations on{ci}, one transaction is cheaper than that many \
                majority writes"
        ),
        None => format!("{lines}: one transaction is never cheaper{ci}"),
    }
}

pub(super) fn single(case: &TransactionsCase) -> Judged {
    let pair = compared(case, "transaction, majority", "plain, majority")?;
    let text =
        format!("an insert in a transaction takes {} times as long, both w:majority", times(pair)?);
    Some((text, above(pair.overhead.ratio.ci95?, 1.0)))
}

pub(super) fn read_only(case: &TransactionsCase) -> Judged {
    let entries = |name: &str| Figure::of(lane(case, name)?.oplog_entries.clone());
    let plain = entries("plain find")?;
    let (one, majority) = (entries("transaction, w:1")?, entries("transaction, majority")?);
    let all = |figure: &Figure, wanted: f64| figure.samples.iter().all(|&n| n == wanted);
    let finding = if all(&majority, 1.0) && all(&plain, 0.0) {
        Finding::Held
    } else if all(&majority, 0.0) {
        Finding::Refuted
    } else {
        Finding::Undecided
    };
    let pair = compared(case, "transaction, majority", "plain find")?;
    let text = format!(
        "entries in the oplog: {} a plain find, {} a transaction with w:1, {} with w:majority, \
            which takes {} times as long as the plain find",
        ratio(plain.median),
        ratio(one.median),
        ratio(majority.median),
        times(pair)?
    );
    Some((text, finding))
}

/// Which write concern a server's default is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Like {
    One,
    Majority,
}

/// By time: unlike the one by the whole interval, and nearer to the other.
fn like(case: &TransactionsCase) -> Option<(String, Option<Like>)> {
    let one = compared(case, "plain, server's default", "plain, w:1")?;
    let majority = compared(case, "plain, server's default", "plain, majority")?;
    let off = |pair: &Comparison| pair.overhead.ratio.estimate.ln().abs();
    let (slower, faster) =
        (one.overhead.ratio.ci95?[0] > 1.0, majority.overhead.ratio.ci95?[1] < 1.0);
    let like = match off(one) < off(majority) {
        true if faster => Some(Like::One),
        false if slower => Some(Like::Majority),
        _ => None,
    };
    let text = format!(
        "{}: {} times w:1, {} times majority",
        case.version.as_deref().unwrap_or(&case.label),
        times(one)?,
        times(majority)?
    );
    Some((text, like))
}

/// Over all versions that were measured.
pub(super) fn default_concern(results: &Results) -> Judged {
    let mut words = Vec::new();
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    let cases = results.transactions.iter();
    for case in cases.filter(|case| case.id.ends_with("::writeConcern")) {
        let version = case.version.as_deref().and_then(|v| v.split('.').next());
        let (Some(major), Some((text, like))) =
            (version.and_then(|v| v.parse::<u32>().ok()), like(case))
        else {
            continue;
        };
        words.push(text);
        if major < 5 { &mut older } else { &mut newer }.push(like);
    }
    if words.is_empty() {
        return None;
    }
    let all = |found: &[Option<Like>], wanted| found.iter().all(|like| *like == Some(wanted));
    let clear = |found: &[Option<Like>]| !found.is_empty() && found.iter().all(Option::is_some);
    let finding = match (clear(&older), clear(&newer)) {
        (true, true) if all(&older, Like::One) && all(&newer, Like::Majority) => Finding::Held,
        (true, true) => Finding::Refuted,
        _ => Finding::Undecided,
    };
    let mut text = format!("an insert without a write concern, {}", words.join("; "));
    for (found, side) in [(&older, "below 5.0"), (&newer, "from 5.0 on")] {
        if found.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "; no version {side} could be measured: it would have to be under [mongod]"
            );
        }
    }
    Some((text, finding))
}

pub(super) fn contention(case: &TransactionsCase) -> Judged {
    let crowd = |clients: usize, hot: bool, transaction: bool| {
        let mut all = case.crowds.iter();
        all.find(|c| (c.clients, c.hot, c.transaction) == (clients, hot, transaction))
    };
    let most = case.crowds.iter().map(|c| c.clients).max()?;
    let (hot, apart) = (crowd(most, true, true)?, crowd(most, false, true)?);
    let plain = crowd(most, false, false)?;
    let rates = |crowd: &CrowdTimes| crowd.commits_per_s.samples.clone();
    let of_one = stats::log_differences(&rates(apart), &rates(hot))?;
    let of_transactions = stats::log_differences(&rates(plain), &rates(apart))?;
    let more: Vec<f64> = of_one.iter().zip(&of_transactions).map(|(a, b)| a - b).collect();
    let factor = |differences: &[f64]| {
        let found = stats::Ratio::of(differences)?;
        let ends = found.ci95?;
        Some((format!("{} ({})", ratio(found.estimate), interval(ends, ratio)), ends))
    };
    let mut retries = Vec::new();
    for crowd in case.crowds.iter().filter(|c| c.hot && c.transaction) {
        let figure = &crowd.retries;
        let ends =
            figure.ci95.map_or(String::new(), |ends| format!(" ({})", interval(ends, ratio)));
        retries.push(format!("{} with {}{ends}", ratio(figure.median), crowd.clients));
    }
    let (more, ends) = factor(&more)?;
    let text = format!(
        "with {most} clients one document for all makes transactions slower by a factor of {}, a \
            transaction around each write on documents of \
         their own by {}: {more} times as much; retries a commit on one document by clients: {}",
        factor(&of_one)?.0,
        factor(&of_transactions)?.0,
        retries.join(", ")
    );
    Some((text, above(ends, 1.0)))
}
