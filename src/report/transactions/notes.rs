//! What stands below the tables of transactions.

use super::{name, version};
use crate::figures::{
    interval, milliseconds as three_digits, ratio, signed_change, signed_changes,
};
use crate::model::results::{Overhead, Results, TransactionsCase};
use crate::report::cells::bracketed;

/// Explanations and findings.
pub(super) fn all(results: &Results) -> Vec<String> {
    let measured: Vec<&TransactionsCase> =
        results.transactions.iter().filter(|case| case.checks.is_some()).collect();
    let mut notes = explanations(&measured);
    for cases in measured.chunk_by(|a, b| a.label == b.label) {
        notes.extend(default_concern(cases));
    }
    notes.extend(modes(&measured));
    notes.extend(sentinel(&measured));
    let retries: u64 = measured.iter().filter_map(|case| Some(case.checks.as_ref()?.retries)).sum();
    if retries > 0 {
        notes.push(format!("{retries} iterations or commands were sent again"));
    }
    notes
}

fn explanations(measured: &[&TransactionsCase]) -> Vec<String> {
    let mut notes = Vec::new();
    if measured.iter().any(|case| case.overhead.contains_key("E_vs_B")) {
        notes.push(
            "plain: w:majority (B); trans.: the same in one transaction, snapshot, majority (E), \
                of which first operation and commit; us, %: E \
             over B, paired by macro-iteration; E/A: the same over plain w:1 (A), in %"
                .to_owned(),
        );
    }
    if measured.iter().any(|case| case.article.is_some()) {
        notes.push(
            "plain: no write concern (A0); trans.: snapshot, majority, in a session of its own \
                (E0); sig.: Welch's test at 5 %; paired: 95 % \
             interval of E0 over A0, in %; out: macro-iterations beyond Tukey's fences, plain + \
             trans.; of more than 8 macro-iterations the second \
             table has minimum, quartiles and maximum"
                .to_owned(),
        );
    }
    let doubtful = |overhead: &Overhead| !overhead.significant;
    let shown = ["E_vs_B", "E_vs_A", "B_vs_A", "E_vs_D", "D_vs_A"];
    let mut costs = measured.iter().flat_map(|case| {
        let lanes = case.comparisons.iter().map(|pair| &pair.overhead);
        let arms = shown.iter().filter_map(|key| case.overhead.get(*key));
        arms.chain(lanes)
    });
    if costs.any(doubtful) {
        notes.push("~: the interval includes 0".to_owned());
    }
    notes
}

/// What the server does without a write concern, by the case of a version where w:1 and majority
/// are furthest apart.
fn default_concern(cases: &[&TransactionsCase]) -> Option<String> {
    let compared = cases.iter().filter_map(|case| {
        let of = |key: &str| case.overhead.get(key);
        Some((case, of("A0_vs_A")?, of("A0_vs_B")?, of("B_vs_A")?))
    });
    let (case, to_one, to_majority, apart) =
        compared.max_by(|a, b| a.3.ratio.estimate.total_cmp(&b.3.ratio.estimate))?;
    let like = if apart.ratio.ci95.is_none_or(|[low, _]| low <= 1.0) {
        "w:1 and majority cannot be told apart here"
    } else if to_one.ratio.estimate.ln().abs() < to_majority.ratio.estimate.ln().abs() {
        "the default write concern behaves as w:1 here"
    } else {
        "the default write concern behaves as majority here"
    };
    let figures = |overhead: &Overhead| {
        format!("{}{}", ratio(overhead.ratio.estimate), bracketed(overhead.ratio.ci95))
    };
    Some(format!(
        "{}: {like} ({}: default/w:1 {}, default/majority {})",
        version(case),
        name(case),
        figures(to_one),
        figures(to_majority)
    ))
}

/// Arms of the headline whose iterations have two modes, with what the outer tenths lie beyond.
fn modes(measured: &[&TransactionsCase]) -> Option<String> {
    let mut found = Vec::new();
    for case in measured {
        for (letter, arm) in &case.arms {
            let Some(times) = arm.iterations.as_ref().filter(|times| times.two_modes) else {
                continue;
            };
            if ["A0", "B", "E", "E0"].contains(&letter.as_str()) {
                let ends = [times.p10_us, times.p90_us];
                found.push(format!(
                    "{} {} {letter} {}",
                    case.label,
                    name(case),
                    interval(ends, three_digits)
                ));
            }
        }
    }
    (!found.is_empty()).then(|| {
        format!(
            "two modes (Hartigan's dip of the iterations at least 0.05), 10th to 90th percentile \
                in us: {}",
            found.join("; ")
        )
    })
}

/// What identical arms showed: the furthest, and where it makes a case invalid.
fn sentinel(measured: &[&TransactionsCase]) -> Option<String> {
    let twins = || measured.iter().filter_map(|case| Some((*case, case.sentinel.as_ref()?)));
    let (case, worst) = twins().max_by(|(_, a), (_, b)| {
        a.ratio.estimate.ln().abs().total_cmp(&b.ratio.estimate.ln().abs())
    })?;
    let count = twins().count();
    let ends =
        worst.ratio.ci95.map_or(String::new(), |ends| format!(" [{}]", signed_changes(ends)));
    let furthest = format!("{} {}{ends} %", name(case), signed_change(worst.ratio.estimate));
    let invalid = twins().filter(|(_, twin)| twin.invalid).count();
    let judgement = match invalid {
        0 => String::new(),
        n => format!(
            "; ?: {n} of them by more than half the tolerance, and these rows say nothing: the \
                machine was not steady"
        ),
    };
    Some(format!("sentinel: B against itself in {count} cases, furthest {furthest}{judgement}"))
}
