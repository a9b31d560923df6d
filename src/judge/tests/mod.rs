//! Rules on sessions whose times are known: what is kept, what is broken, what is said.

mod baselines;
mod family;
mod overhead;

use std::time::Duration;

use crate::config::Config;
use crate::judge::{Rules, Tolerance, judge};
use crate::measure::Measured;
use crate::measure::results::Frame;
use crate::measure::results::assemble;
use crate::model::Machine;
use crate::model::Sample;
use crate::model::results::Results;
use crate::model::{Outcome, Verdict};
use crate::testing::arm;

const REFERENCE: &str = "startup::6.0::wiredTiger::disk";

const CASE: &str = "startup::6.0::ephemeralForTest::ramdisk";

/// Deviations of ten launches, in thousandths; their median is 0.
const SCATTER: [f64; 10] = [-9.0, 4.0, 7.0, -2.0, 0.0, 0.0, 3.0, -6.0, 11.0, -4.0];

/// Ten launches around `median`, of which no two have the same deviation `turn` blocks apart.
fn around(median: f64, turn: usize) -> Vec<f64> {
    let launches = (0..10).map(|block| SCATTER[(block + turn) % 10]);
    launches.map(|thousandths| median * (1.0 + thousandths / 1e3)).collect()
}

fn samples(times: &[f64]) -> Vec<Sample> {
    (1..)
        .zip(times)
        .map(|(block, &ready_ms)| Sample {
            block,
            position: 1,
            copy_ms: None,
            first_line_ms: 1.0,
            listening_ms: ready_ms,
            initiate_ms: None,
            primary_ms: None,
            ready_ms,
            rss_mb: 1.0,
            folder_mb: 1.0,
            ..Sample::default()
        })
        .collect()
}

/// A session of these cases, each compared with the first, whose sentinel took these times.
fn session(cases: &[(&str, Vec<f64>)], sentinel: &[f64]) -> Measured {
    Measured {
        arms: cases.iter().map(|(id, _)| arm(id, 0)).collect(),
        samples: cases.iter().map(|(_, times)| samples(times)).collect(),
        references: vec![Some(0); cases.len()],
        sentinel: Some((0, samples(sentinel))),
        voided: Vec::new(),
        blocks: 10,
        measured: Duration::ZERO,
        wall: Duration::ZERO,
        interrupted: false,
    }
}

fn assembled(session: &Measured) -> Results {
    let frame = Frame {
        run_id: "run".to_owned(),
        started: "2026-12-01T00:00:00Z".to_owned(),
        seed: 1,
        machine: Machine {
            cpu: "a processor".to_owned(),
            cores: 2,
            memory_mb: 1024,
            os: "an OS".to_owned(),
            kernel: "6.1.0".to_owned(),
            load1: 0.0,
        },
    };
    assemble(session, &frame)
}

/// The reference at 150 ms with a steady sentinel, and the case at 30 ms.
fn steady() -> Measured {
    session(&[(REFERENCE, around(150.0, 0)), (CASE, around(30.0, 1))], &around(150.0, 3))
}

fn config(gate: &str) -> Config {
    let text = format!("[mongod]\nversions = [\"6.0\", \"5.0\"]\n{gate}");
    Config::parse(&text, "mongate.toml".as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

fn rules(config: &Config) -> Rules<'_> {
    Rules { limits: &config.gate.limits.0, ..crate::job::rules(config) }
}

fn judged(session: &Measured, rules: &Rules<'_>) -> Results {
    let mut results = assembled(session);
    judge(&mut results, rules);
    results
}

/// The verdict on [`CASE`] under one limit.
fn limited(limit: &str, session: &Measured) -> Verdict {
    let config = config(&format!("[[gate.limit]]\ncase = \"{CASE}\"\n{limit}"));
    judged(session, &rules(&config)).startup[1].verdict.clone()
}

#[test]
fn a_case_without_a_rule_is_measured() {
    let results = judged(&steady(), &rules(&config("")));
    assert!(results.is_decided());
    assert_eq!(results.failure(), None);
    for case in results.startup {
        assert_eq!(case.verdict, Verdict::measured());
    }
}

#[test]
fn the_median_is_judged_by_its_whole_interval() {
    // The interval of the median of ten values goes from the second to the ninth: 29.82 to 30.21.
    for (max, outcome, words) in [
        ("31ms", Outcome::Ok, "within its limit of 31.0 ms"),
        ("30.1ms", Outcome::Inconclusive, "its limit of 30.1 ms lies within the interval, n = 10"),
        ("30ms", Outcome::Inconclusive, "lies within the interval"),
        ("29ms", Outcome::Regressed, "more than its limit of 29.0 ms"),
    ] {
        let verdict = limited(&format!("max = \"{max}\""), &steady());
        assert_eq!(verdict.outcome, outcome, "{max}: {verdict:?}");
        let detail = verdict.detail.unwrap();
        assert!(detail.contains(words), "{detail}");
        assert!(
            detail.starts_with(
                "start-up of startup::6.0::ephemeralForTest::ramdisk takes 30.0 \
            ms (95 %: 29.8-30.2 ms)"
            ),
            "{detail}"
        );
        assert_eq!(verdict.fails, outcome == Outcome::Regressed);
    }
}

#[test]
fn a_ratio_is_to_the_reference_or_to_the_case_named() {
    let verdict = limited("max_ratio = 0.1", &steady());
    assert_eq!(verdict.outcome, Outcome::Regressed);
    let detail = verdict.detail.unwrap();
    assert!(
        detail.contains(
            "takes 0.20 times (95 %: 0.20-0.20) as long as that of \
        startup::6.0::wiredTiger::disk, more than its limit of 0.10"
        ),
        "{detail}"
    );

    let other = "startup::5.0::ephemeralForTest::ramdisk";
    let session = session(
        &[(REFERENCE, around(150.0, 0)), (CASE, around(30.0, 1)), (other, around(20.0, 4))],
        &around(150.0, 3),
    );
    for (max, outcome) in
        [(1.6, Outcome::Ok), (1.4, Outcome::Regressed), (1.5, Outcome::Inconclusive)]
    {
        let verdict = limited(&format!("against = \"{other}\"\nmax_ratio = {max}"), &session);
        assert_eq!(verdict.outcome, outcome, "{max}: {verdict:?}");
    }
}

#[test]
fn what_was_not_measured_is_never_passed() {
    let verdict = limited("against = \"startup::5.0::wiredTiger::disk\"\nmax_ratio = 9", &steady());
    assert_eq!(verdict.outcome, Outcome::Invalid);
    assert!(verdict.fails, "under any policy");
    assert!(verdict.detail.unwrap().contains("startup::5.0::wiredTiger::disk was not measured"));

    let mut broken = steady();
    broken.arms[1].ready = Err("no such engine".to_owned());
    let verdict = limited("max = \"1s\"", &broken);
    assert_eq!((verdict.outcome, verdict.fails), (Outcome::Unavailable, true));
    assert_eq!(verdict.detail.as_deref(), Some("no such engine"));
    broken.arms[1].required = false;
    assert!(!limited("max = \"1s\"", &broken).fails);
}

#[test]
fn the_policy_decides_about_what_is_undecided() {
    for (policy, fails) in [("warn", false), ("fail", true)] {
        let config = config(&format!(
            "[gate]\non_inconclusive = \"{policy}\"\n[[gate.limit]]\ncase = \"{CASE}\"\nmax = \
                \"30ms\""
        ));
        let results = judged(&steady(), &rules(&config));
        assert_eq!(results.startup[1].verdict.fails, fails, "{policy}");
        assert!(!results.is_decided(), "more blocks may decide");
        assert_eq!(results.failure(), fails.then_some(Outcome::Inconclusive));
    }
}

#[test]
fn the_heaviest_of_several_rules_counts_and_all_are_told() {
    let config = config(&format!(
        "[[gate.limit]]\ncase = \"*\"\nmax = \"200ms\"\n[[gate.limit]]\ncase = \
            \"{CASE}\"\nmax_ratio = 0.1"
    ));
    let results = judged(&steady(), &rules(&config));
    let verdict = &results.startup[1].verdict;
    assert_eq!(verdict.outcome, Outcome::Regressed);
    assert_eq!(
        verdict.rule.as_deref(),
        Some("max_ratio = 0.10 against startup::6.0::wiredTiger::disk")
    );
    let lines: Vec<_> = verdict.detail.as_ref().unwrap().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("more than its limit") && lines[1].contains("within its limit"));
    assert_eq!(results.startup[0].verdict.outcome, Outcome::Ok);
}

#[test]
fn an_unsteady_sentinel_makes_a_judged_session_invalid() {
    let unsteady = Measured { sentinel: Some((0, samples(&around(157.0, 3)))), ..steady() };
    let verdict = limited("max = \"1s\"", &unsteady);
    assert_eq!((verdict.outcome, verdict.fails), (Outcome::Invalid, false));
    let detail = verdict.detail.unwrap();
    assert!(
        detail.contains("measured against itself differs by 1.05 (95 %: 1.04-1.05)"),
        "{detail}"
    );
    let config = config("");
    let results = judged(&unsteady, &rules(&config));
    assert!(results.sentinel.as_ref().unwrap().invalid);
    assert!(results.is_decided(), "nothing is judged");
    // 3 ms of 150 are 2 %, less than half of the tolerance.
    let steady = Measured { sentinel: Some((0, samples(&around(153.0, 3)))), ..steady() };
    assert_eq!(limited("max = \"1s\"", &steady).outcome, Outcome::Ok);
}

#[test]
fn the_floor_widens_the_tolerance_of_short_times() {
    let tolerance = Tolerance { share: 0.05, floor_ms: 5.0 };
    assert_eq!(tolerance.over(200.0), 0.05);
    assert_eq!(tolerance.over(100.0), 0.05);
    assert_eq!(tolerance.over(40.0), 0.125);
    assert_eq!(tolerance.over(0.0), 0.05);
}

/// Sides of 150 ms and of 150 ms times `ratio`.
fn compared(ratio: f64, tolerance: &str) -> Verdict {
    let config = config(&format!("[gate]\ntolerance = \"{tolerance}\""));
    let rules = Rules { pairs: true, ..rules(&config) };
    let session = session(
        &[
            (REFERENCE, around(150.0, 0)),
            ("startup::5.0::wiredTiger::disk", around(150.0 * ratio, 1)),
        ],
        &around(150.0, 3),
    );
    judged(&session, &rules).startup[1].verdict.clone()
}

#[test]
fn a_pair_is_judged_by_the_tolerance() {
    for (ratio, outcome, words) in [
        (1.0, Outcome::Ok, "0 % slower"),
        (1.14, Outcome::Regressed, "14 % slower"),
        (0.8, Outcome::Improved, "20 % faster"),
        (1.05, Outcome::Inconclusive, "5 % slower"),
    ] {
        let verdict = compared(ratio, "5%");
        assert_eq!(verdict.outcome, outcome, "{verdict:?}");
        let detail = verdict.detail.unwrap();
        assert!(detail.starts_with("B, startup::5.0::wiredTiger::disk (5.0.27), is "), "{detail}");
        assert!(
            detail.contains(words)
                && detail.contains("than A, startup::6.0::wiredTiger::disk (6.0.27)"),
            "{detail}"
        );
        assert!(detail.ends_with("tolerance 5 %"), "{detail}");
    }
    assert_eq!(compared(1.14, "20%").outcome, Outcome::Ok);
    let raised = compared(1.0, "1%").detail.unwrap();
    assert!(raised.ends_with("tolerance 3.3 % (the floor of 5.00 ms)"), "{raised}");
}
