//! Limits on what a transaction costs, on cases whose ratio is known.

use crate::judge::judge_transactions;
use crate::model::results::TransactionsCase;
use crate::model::{Outcome, Verdict};
use serde_json::{Value, json};

use super::{config, rules};

const ID: &str = "transactions::6.0::insertOne";

/// A case whose arm E takes `ratio` times as long as its arm B; as an older release kept it, which
/// knew no verdicts.
fn case(ratio: f64, ci95: Option<[f64; 2]>) -> Value {
    let arm = json!({"name": "an arm", "n": 10, "median_us": 1.0, "ci95_us": null, "mean_us": 1.0, "sd_us": null, "min_us": 1.0,
        "p95_us": 1.0, "first_us": 1.0, "commit_us": null, "samples_us": []});
    json!({
        "id": ID, "label": "6.0", "version": "6.0.27", "topology": "replica_set", "profile": "quick", "required": false,
        "db_path": {"kind": "disk", "path": null, "file_system": null, "is_ram": null, "fsync_us": null},
        "status": "measured", "reason": null, "checks": null,
        "arms": {"B": arm, "E": arm},
        "overhead": {"E_vs_B": {"ratio": ratio, "ci95": ci95, "p": null, "significant": false, "difference_us": 0.0}},
    })
}

/// What `[gate]` says of a case.
fn judged(gate: &str, case: Value) -> Verdict {
    let config = config(&format!("[transactions]\n{gate}"));
    let mut case: TransactionsCase = serde_json::from_value(case).unwrap();
    assert_eq!(case.verdict, Verdict::measured());
    judge_transactions(&mut case, &rules(&config));
    case.verdict
}

fn limit(max: &str) -> String {
    format!("[[gate.limit]]\ncase = \"transactions::*::insertOne\"\nmax_overhead = \"{max}\"")
}

#[test]
fn the_cost_is_judged_by_its_whole_interval() {
    let dearer = (2.23, [2.1, 2.4], "123 % more", "110 to 140 %");
    let cheaper = (0.67, [0.6, 0.75], "33 % less", "-40 to -25 %");
    for ((ratio, ci, cost, interval), max, outcome, words) in [
        (dearer, "141%", Outcome::Ok, ", within its limit of 141 %"),
        (dearer, "100%", Outcome::Regressed, ", more than its limit of 100 %"),
        (
            dearer,
            "120%",
            Outcome::Inconclusive,
            ": its limit of 120 % lies within the interval, n = 10",
        ),
        (cheaper, "0%", Outcome::Ok, ", within its limit of 0 %"),
    ] {
        let verdict = judged(&limit(max), case(ratio, Some(ci)));
        assert_eq!(verdict.outcome, outcome, "{verdict:?}");
        assert_eq!(verdict.fails, outcome == Outcome::Regressed, "{verdict:?}");
        let begins = format!(
            "a transaction of {ID} costs {cost} than the same operations without one (95 %: \
                {interval})"
        );
        assert_eq!(verdict.detail, Some(format!("{begins}{words}")));
        let rule = max.replace('%', " %");
        assert_eq!(verdict.rule, Some(format!("max_overhead = {rule}")));
    }
}

#[test]
fn only_limits_for_transactions_count() {
    let startups = "[[gate.limit]]\ncase = \"*\"\nmax = \"1ms\"";
    let verdict = judged(startups, case(2.0, Some([1.9, 2.1])));
    assert_eq!(verdict, Verdict::measured());
    let both = format!("{startups}\n[[gate.limit]]\ncase = \"*\"\nmax_overhead = \"50%\"");
    let verdict = judged(&both, case(2.0, Some([1.9, 2.1])));
    assert_eq!(verdict.rule.as_deref(), Some("max_overhead = 50 %"));
    // And the one for transactions says nothing of a start-up.
    let config = config(&format!("[transactions]\n{both}"));
    let results = super::judged(&super::steady(), &rules(&config));
    assert!(results.startup.iter().all(|c| c.verdict.rule.as_deref() == Some("max = 1.00 ms")));
}

#[test]
fn the_policy_decides_about_an_undecided_cost() {
    for (policy, fails) in [("warn", false), ("fail", true)] {
        let gate = format!("[gate]\non_inconclusive = \"{policy}\"\n{}", limit("100%"));
        let undecided = judged(&gate, case(2.0, Some([1.9, 2.1])));
        assert_eq!((undecided.outcome, undecided.fails), (Outcome::Inconclusive, fails));
        let few = judged(&gate, case(2.0, None));
        assert_eq!((few.outcome, few.fails), (Outcome::Inconclusive, fails));
        assert!(few.detail.unwrap().contains("fewer than 6 give no 95 % interval"));
    }
}

#[test]
fn an_unsteady_sentinel_says_nothing() {
    let mut unsteady = case(2.0, Some([1.9, 2.1]));
    unsteady["sentinel"] = json!({"ratio": 1.2, "ci95": [1.1, 1.3], "invalid": true});
    let verdict = judged(&limit("50%"), unsteady.clone());
    assert_eq!((verdict.outcome, verdict.fails), (Outcome::Invalid, false));
    let detail = verdict.detail.unwrap();
    let says = "; but arm B, plain with w:majority, measured against itself differs by 1.20 (95 %: \
        1.10-1.30), so this session says nothing";
    assert!(detail.contains(says), "{detail}");
    assert_eq!(judged("", unsteady), Verdict::measured());
}

/// A workload that has lanes or crowds in the place of arms, under a limit that is for all.
#[test]
fn what_has_no_arms_has_no_limit() {
    let mut other = case(2.0, None);
    (other["arms"], other["overhead"]) = (json!({}), json!({}));
    assert_eq!(judged(&limit("50%"), other), Verdict::measured());
}

#[test]
fn what_has_no_numbers_is_never_passed() {
    let mut without = case(2.0, None);
    without["overhead"] = json!({});
    let verdict = judged(&limit("100%"), without);
    assert_eq!((verdict.outcome, verdict.fails), (Outcome::Invalid, true));
    let detail = verdict.detail.unwrap();
    let says = "its limit cannot be judged: transactions::6.0::insertOne was not measured both in \
        a transaction (E) and without one (B)";
    assert_eq!(detail, says);
    // With or without a limit.
    for gate in ["", &limit("100%")] {
        for (status, required, outcome, fails) in [
            ("failed", false, Outcome::Failed, true),
            ("unavailable", false, Outcome::Unavailable, false),
            ("unavailable", true, Outcome::Unavailable, true),
        ] {
            let mut case = case(2.0, None);
            case["status"] = status.into();
            case["required"] = required.into();
            case["reason"] = "mongod said no".into();
            let verdict = judged(gate, case);
            assert_eq!((verdict.outcome, verdict.fails), (outcome, fails));
            assert_eq!(verdict.to_string(), format!("{outcome}: mongod said no"));
        }
    }
}
