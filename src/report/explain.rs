//! What is said of transactions, and what a run's measurements say of that.

use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::figures::{interval, milliseconds as three_digits, percent, ratio};
use crate::report::lanes;
use crate::report::table::{Style, wrap};
use crate::results::{Comparison, CrowdTimes, Figure, LaneTimes, Results, TransactionsCase};
use crate::stats;

/// What the measurement says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// The whole interval is on the claim's side.
    Held,
    /// The whole interval is on the other side.
    Refuted,
    /// The interval has both sides in it, or a measurement is missing.
    Undecided,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Held => "held",
            Self::Refuted => "did not hold",
            Self::Undecided => "could not be decided",
        })
    }
}

/// A claim, what was measured for it, and what that says.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What is said.
    pub claim: &'static str,
    /// What it takes, in words.
    pub criterion: &'static str,
    /// What was measured, with intervals; or what is missing.
    pub measured: String,
    /// What that says.
    pub finding: Finding,
}

/// The measurement and the finding; nothing where a measurement is missing.
type Judged = Option<(String, Finding)>;

/// Judges every claim by what was measured on the version with this label, and the one on the server's default by all versions of the results.
pub fn claims(results: &Results, label: &str) -> Vec<Claim> {
    let case = |name: &str| {
        let id = format!("transactions::{label}::{name}");
        results.transactions.iter().find(|case| case.id == id)
    };
    let concerns = || case("writeConcern");
    let claim = |claim, criterion, needs: &str, judged: Judged| {
        let (measured, finding) =
            judged.unwrap_or_else(|| (missing(case(needs), needs), Finding::Undecided));
        Claim {
            claim,
            criterion,
            measured,
            finding,
        }
    };
    vec![
        claim(
            "that transactions are slow is mostly durability",
            "a plain majority write takes longer than a w:1 transaction of the same write",
            "writeConcern",
            concerns().and_then(durability),
        ),
        claim(
            "the sync of the journal dominates a durable write",
            "the server spends more than half of a majority write's time on syncs",
            "writeConcern",
            concerns().and_then(syncs),
        ),
        claim(
            "several majority writes are faster as one transaction",
            "the fitted lines cross within the 1,000 operations that were measured",
            "insertOne-xN",
            case("insertOne-xN").and_then(batching),
        ),
        claim(
            "a transaction of one operation is waste",
            "it takes longer than the same write with w:majority alone",
            "writeConcern",
            concerns().and_then(single),
        ),
        claim(
            "a transaction that only reads costs a write",
            "every read-only transaction leaves an entry in the oplog, and a plain find none",
            "readOnly",
            case("readOnly").and_then(read_only),
        ),
        claim(
            "what got slower from 4.4 to 5.0 is the default write concern",
            "without a write concern, a write behaves as w:1 below 5.0 and as majority from 5.0 on",
            "writeConcern",
            default_concern(results),
        ),
        claim(
            "contention is what hurts, not the overhead of transactions",
            "many clients on one document lose more by being on one than by being in transactions",
            "conflicts",
            case("conflicts").and_then(contention),
        ),
    ]
}

/// The claims as text, each with its measurement.
pub fn render(claims: &[Claim], style: Style) -> String {
    let mut text = String::new();
    for (number, claim) in (1..).zip(claims) {
        let lines = format!(
            "{number}. \"{}\": {}\n{}\nmeasured: {}",
            claim.claim, claim.finding, claim.criterion, claim.measured
        );
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}\n", wrap(&lines, usize::from(style.width)));
    }
    text
}

fn missing(case: Option<&TransactionsCase>, needs: &str) -> String {
    match case.and_then(|case| case.reason.as_ref()) {
        Some(why) => format!("nothing, since {needs} could not be measured: {why}"),
        None => format!("nothing: {needs} was not measured, or with too few macro-iterations"),
    }
}

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
    let ends = interval(pair.overhead.ci95?, ratio);
    Some(format!("{} ({ends})", ratio(pair.overhead.ratio)))
}

/// A lane's median with its interval: "1,204 us (1,100-1,290)".
fn time(lane: &LaneTimes) -> Option<String> {
    let ends = interval(lane.summary.ci95_us?, three_digits);
    Some(format!(
        "{} us ({ends})",
        three_digits(lane.summary.median_us)
    ))
}

fn durability(case: &TransactionsCase) -> Judged {
    let pair = compared(case, "plain, majority", "transaction, w:1")?;
    let mut words = Vec::new();
    for name in [
        "plain, w:1",
        "plain, majority",
        "transaction, w:1",
        "transaction, majority",
    ] {
        words.push(format!("{name} {}", time(lane(case, name)?)?));
    }
    let text = format!(
        "an insert takes {}; plain majority takes {} times as long as the w:1 transaction",
        words.join(", "),
        times(pair)?
    );
    Some((text, above(pair.overhead.ci95?, 1.0)))
}

fn syncs(case: &TransactionsCase) -> Judged {
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

fn batching(case: &TransactionsCase) -> Judged {
    let found = case.crossover.as_ref()?;
    let [low, high] = found.ci95?;
    let measured = |end: Option<u64>| end.is_some_and(|n| n <= 1000);
    let finding = match (measured(low), measured(high)) {
        (_, true) => Finding::Held,
        (false, false) => Finding::Refuted,
        (true, false) => Finding::Undecided,
    };
    Some((lanes::crossover(found), finding))
}

fn single(case: &TransactionsCase) -> Judged {
    let pair = compared(case, "transaction, majority", "plain, majority")?;
    let text = format!(
        "an insert in a transaction takes {} times as long, both w:majority",
        times(pair)?
    );
    Some((text, above(pair.overhead.ci95?, 1.0)))
}

fn read_only(case: &TransactionsCase) -> Judged {
    let entries = |name: &str| Figure::of(lane(case, name)?.oplog_entries.clone());
    let plain = entries("plain find")?;
    let (one, majority) = (
        entries("transaction, w:1")?,
        entries("transaction, majority")?,
    );
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
        "entries in the oplog: {} a plain find, {} a transaction with w:1, {} with w:majority, which takes {} times as long as the plain find",
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
    let off = |pair: &Comparison| pair.overhead.ratio.ln().abs();
    let (slower, faster) = (
        one.overhead.ci95?[0] > 1.0,
        majority.overhead.ci95?[1] < 1.0,
    );
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
fn default_concern(results: &Results) -> Judged {
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

fn contention(case: &TransactionsCase) -> Judged {
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
    let more: Vec<f64> = of_one
        .iter()
        .zip(&of_transactions)
        .map(|(a, b)| a - b)
        .collect();
    let factor = |differences: &[f64]| {
        let found = stats::hodges_lehmann(differences)?.ratio();
        let ends = found.ci95?;
        Some((
            format!("{} ({})", ratio(found.estimate), interval(ends, ratio)),
            ends,
        ))
    };
    let mut retries = Vec::new();
    for crowd in case.crowds.iter().filter(|c| c.hot && c.transaction) {
        let figure = &crowd.retries;
        let ends = figure.ci95.map_or(String::new(), |ends| {
            format!(" ({})", interval(ends, ratio))
        });
        retries.push(format!(
            "{} with {}{ends}",
            ratio(figure.median),
            crowd.clients
        ));
    }
    let (more, ends) = factor(&more)?;
    let text = format!(
        "with {most} clients one document for all makes transactions slower by a factor of {}, a transaction around each write on documents of \
         their own by {}: {more} times as much; retries a commit on one document by clients: {}",
        factor(&of_one)?.0,
        factor(&of_transactions)?.0,
        retries.join(", ")
    );
    Some((text, above(ends, 1.0)))
}

#[cfg(test)]
mod tests;
