//! All rules on all cases.

use crate::config;
use crate::config::{Limit, Policy};
use crate::figures::{interval, ratio};
use crate::judge::Finding;
use crate::judge::baseline::{Document, by_baseline};
use crate::judge::threshold::{Tolerance, by_limit, by_overhead, by_pair};
use crate::model::results::{Results, StartupCase, Status, TransactionsCase};
use crate::model::{Outcome, Verdict};
use crate::stats;

/// The rules of a session.
#[derive(Clone, Debug)]
pub struct Rules<'a> {
    /// For comparisons, and for the sentinel.
    pub tolerance: Tolerance,
    /// Whether a verdict that decides nothing fails the gate.
    pub on_inconclusive: Policy,
    /// The limits.
    pub limits: &'a [Limit],
    /// What earlier sessions found, and how it is used.
    pub baseline: Option<(&'a Document, &'a config::Baseline)>,
    /// Each case with a reference is judged against it, as `mongate compare` does.
    pub pairs: bool,
}

/// Gives each start-up its verdict, and the results the notices that belong to the rules.
pub fn judge(results: &mut Results, rules: &Rules<'_>) {
    let base = results.sentinel.as_ref().and_then(|sentinel| {
        let case = results.startup.iter().find(|case| case.id == sentinel.case)?;
        Some(case.summary.as_ref()?.median)
    });
    if let (Some(sentinel), Some(base)) = (&mut results.sentinel, base) {
        let tolerance = rules.tolerance.over(base);
        sentinel.invalid = sentinel
            .ratio
            .ci95
            .is_some_and(|ci| stats::sentinel_invalid(ci, sentinel.ratio.estimate, tolerance));
    }
    let verdicts: Vec<Verdict> =
        results.startup.iter().map(|case| verdict(case, rules, results)).collect();
    for (case, verdict) in results.startup.iter_mut().zip(verdicts) {
        case.verdict = verdict;
    }
    results.notices = notices(results, rules);
}

/// Gives what a transaction costs its verdict, by the limits: baselines and comparisons are of
/// start-ups.
pub fn judge_transactions(case: &mut TransactionsCase, rules: &Rules<'_>) {
    let without_numbers =
        |outcome, fails| Verdict::without_numbers(outcome, case.reason.as_deref(), fails);
    case.verdict = match case.status {
        Status::Unavailable => without_numbers(Outcome::Unavailable, case.required),
        // What fails a check is wrong wherever it runs.
        Status::Failed => without_numbers(Outcome::Failed, true),
        Status::Measured => {
            let limits = rules.limits.iter().filter(|limit| limit.is_for(&case.id));
            let mut findings: Vec<Finding> =
                limits.filter_map(|limit| by_overhead(case, limit)).collect();
            if let Some(sentinel) = case.sentinel.as_ref().filter(|s| s.invalid) {
                let what = "arm B, plain with w:majority,";
                say_nothing(&mut findings, what, sentinel.ratio.estimate, sentinel.ratio.ci95);
            }
            concluded(findings, rules)
        }
    };
}

fn verdict(case: &StartupCase, rules: &Rules<'_>, results: &Results) -> Verdict {
    if case.status == Status::Unavailable {
        let fails = case.required && !case.joined;
        return Verdict::without_numbers(Outcome::Unavailable, case.reason.as_deref(), fails);
    }
    // Cases that only joined as references are not judged.
    if case.joined {
        return Verdict::measured();
    }
    let limits = rules.limits.iter().filter(|limit| limit.is_for(&case.id));
    let mut findings: Vec<Finding> =
        limits.filter_map(|limit| by_limit(case, limit, results)).collect();
    if let Some((document, settings)) = rules.baseline {
        findings.extend(by_baseline(case, document, settings, rules.tolerance, results));
    }
    if rules.pairs {
        findings.extend(by_pair(case, rules.tolerance, results));
    }
    let unsteady = results.sentinel.as_ref().filter(|sentinel| sentinel.invalid);
    if let Some(sentinel) = unsteady {
        say_nothing(&mut findings, &sentinel.case, sentinel.ratio.estimate, sentinel.ratio.ci95);
    }
    concluded(findings, rules)
}

/// Takes back what was found where something that was measured against itself differs: only what is
/// strict stays.
fn say_nothing(findings: &mut [Finding], what: &str, differs: f64, ci95: Option<[f64; 2]>) {
    for finding in findings.iter_mut().filter(|f| f.outcome != Outcome::Measured && !f.strict) {
        finding.outcome = Outcome::Invalid;
        finding.detail = format!(
            "{}; but {what} measured against itself differs by {} (95 %: {}), so this session says \
                nothing: the machine was busy, try again",
            finding.detail,
            ratio(differs),
            ci95.map_or("-".into(), |ci| interval(ci, ratio)),
        );
    }
}

/// What several rules say together.
fn concluded(mut findings: Vec<Finding>, rules: &Rules<'_>) -> Verdict {
    // The heaviest first, and among equals the first rule of the configuration.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
    let Some(heaviest) = findings.first() else {
        return Verdict::measured();
    };
    let undecided = matches!(heaviest.outcome, Outcome::Inconclusive | Outcome::Invalid);
    let details: Vec<&str> = findings.iter().map(|f| f.detail.as_str()).collect();
    Verdict {
        outcome: heaviest.outcome,
        rule: Some(heaviest.rule.clone()),
        detail: Some(details.join("\n")),
        fails: heaviest.outcome == Outcome::Regressed
            || undecided
                && (rules.on_inconclusive == Policy::Fail || findings.iter().any(|f| f.strict)),
    }
}

/// What a rule cannot say of a case, said of the rule.
fn notices(results: &Results, rules: &Rules<'_>) -> Vec<String> {
    let mut notices = Vec::new();
    if rules.baseline.is_some() {
        let own: Vec<&str> = results
            .startup
            .iter()
            .filter(|case| {
                !case.joined && case.status == Status::Measured && case.against.is_none()
            })
            .map(|case| case.id.as_str())
            .collect();
        if !own.is_empty() {
            notices.push(format!(
                "no baseline judges {}: a baseline is a ratio to the reference, and this is one; \
                    give it a limit, or use `mongate compare`",
                own.join(", ")
            ));
        }
    }
    notices
}
