//! The commands that decide: compare, baseline, calibrate.

use std::fs;

use serde_json::Value;

use crate::support::{Outcome, Sandbox, run};

const EPHEMERAL: &str = "startup::6.0::ephemeralForTest::disk";

fn sandbox(gate: &str) -> Sandbox {
    let sandbox = configured(gate);
    sandbox.stand_ins(&["6.0.27", "6.0.24"]);
    sandbox
}

/// With a tolerance that no noise reaches, so that no machine is too busy for these tests.
fn configured(gate: &str) -> Sandbox {
    Sandbox::new(&format!(
        "[mongod]\nversions = ['6.0']\noptional = []\n[startup]\nengines = \
            ['ephemeralForTest']\ndb_paths = ['disk']\n\
         [session]\nblocks = 6\n[gate]\ntolerance = '900%'\n{gate}"
    ))
}

/// Runs with the variables of the environment that are given.
fn with(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
    run(sandbox.private(arguments).envs(variables.iter().copied()))
}

#[track_caller]
fn ends(outcome: Outcome, code: i32) -> Outcome {
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

fn only<'a>(cases: &'a Value, index: usize, id: &str) -> &'a Value {
    let case = &cases["startup"][index];
    assert_eq!(case["id"], id);
    case
}

#[test]
fn a_limit_fails_the_run_with_the_figures() {
    for (max, code, outcome) in [("60s", 0, "ok"), ("1ms", 1, "regressed")] {
        let sandbox = sandbox(&format!("[[gate.limit]]\ncase = 'startup::*'\nmax = '{max}'"));
        let run = ends(with(&sandbox, &["run", "--format", "json"], &[]), code);
        let verdict = &only(&run.json(), 0, EPHEMERAL)["verdict"].clone();
        assert_eq!(verdict["outcome"], outcome);
        assert_eq!(verdict["fails"], code == 1);
        // The reference joined, and no rule is for what joined.
        let joined = only(&run.json(), 1, "startup::6.0::wiredTiger::disk").clone();
        assert_eq!(joined["verdict"]["outcome"], "measured");
    }
}

#[test]
fn compare_sees_an_injected_slowdown() {
    let sandbox = sandbox("");
    // A real one, whose times scatter less. B takes five times as long, and twice is tolerated.
    let cache = sandbox.path().join("cache");
    fs::remove_dir_all(&cache).unwrap();
    sandbox.cache(&["6.0.27"]);
    let arguments =
        ["compare", "6.0", "6.0", "--inject", "400%", "--tolerance", "100%", "--blocks", "6..20"];
    let outcome = ends(with(&sandbox, &arguments, &[]), 1);
    assert!(
        outcome.stderr.contains("injected: startup::6.0::ephemeralForTest::disk waits "),
        "{outcome:?}"
    );
    assert!(
        outcome.stdout.contains("regressed: B, startup::6.0::ephemeralForTest::disk (6.0.27), is "),
        "{outcome:?}"
    );
    sandbox.assert_clean();
}

#[test]
fn compare_takes_versions_paths_and_cases() {
    // Real servers: the verdict on them is asserted.
    let sandbox = configured("");
    sandbox.cache(&["6.0.27", "6.0.24"]);
    let path = sandbox.path().join("cache/mongate/mongod/6.0.24/bin/mongod");
    for (a, b, ids, versions) in [
        (
            "6.0.24",
            "6.0",
            ["startup::6.0.24::ephemeralForTest::disk", EPHEMERAL],
            ["6.0.24", "6.0.27"],
        ),
        (
            path.to_str().unwrap(),
            EPHEMERAL,
            ["startup::A::ephemeralForTest::disk", EPHEMERAL],
            ["6.0.24", "6.0.27"],
        ),
    ] {
        let arguments = ["compare", a, b, "--blocks", "6", "--format", "json"];
        let results = ends(with(&sandbox, &arguments, &[]), 0).json();
        for (index, (id, version)) in ids.iter().zip(versions).enumerate() {
            assert_eq!(only(&results, index, id)["version"], version);
        }
        assert_eq!(results["startup"].as_array().unwrap().len(), 2, "nothing joined");
        assert_eq!(results["startup"][1]["against"]["reference"], ids[0]);
        assert_eq!(results["startup"][1]["verdict"]["outcome"], "ok");
        assert_eq!(results["sentinel"]["case"], ids[0]);
    }
}

#[test]
fn compare_with_what_is_not_there_says_so() {
    let sandbox = sandbox("");
    let outcome = ends(with(&sandbox, &["compare", "6.0", "3.6"], &[]), 4);
    assert!(outcome.stdout.contains("unavailable: no mongod 3.6 on this machine"), "{outcome:?}");
    for (arguments, message) in [
        (["compare", "startup::6.0", "6.0"], "is not a valid case"),
        (["compare", "6 0", "6.0"], "is not a version label"),
        (["compare", "startup::6.0::rocksdb::disk", "6.0"], "unknown storage engine"),
    ] {
        let outcome = ends(with(&sandbox, &arguments, &[]), 2);
        assert!(outcome.stderr.contains(message), "{outcome:?}");
    }
}

#[test]
fn a_baseline_grows_by_acceptance() {
    let sandbox = sandbox("[gate.baseline]");
    let file = sandbox.path().join(".config/mongate-baseline.json");
    let pending = sandbox.path().join(".config/mongate-baseline.json.new");
    let sessions = |file| {
        let text = fs::read_to_string(file).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        document["sessions"].as_array().unwrap().len()
    };

    let outcome = ends(with(&sandbox, &["run"], &[("CI", "true")]), 0);
    assert!(outcome.stdout.contains("has no baseline"), "{outcome:?}");
    assert!(!pending.exists() && !file.exists(), "CI writes nothing");
    ends(with(&sandbox, &["run"], &[("MONGATE_UPDATE", "no"), ("CI", "")]), 0);
    assert!(!pending.exists() && !file.exists());
    let none = ends(with(&sandbox, &["baseline", "accept"], &[]), 2);
    assert!(none.stderr.contains("nothing waits to be accepted"), "{none:?}");

    ends(with(&sandbox, &["run"], &[("CI", "")]), 0);
    assert!(pending.exists() && !file.exists());
    let list = ends(with(&sandbox, &["baseline", "list"], &[]), 0);
    assert!(list.stdout.contains("1 sessions wait"), "{list:?}");
    ends(with(&sandbox, &["baseline", "accept"], &[]), 0);
    assert_eq!((sessions(&file), pending.exists()), (1, false));

    let outcome = ends(with(&sandbox, &["run"], &[("MONGATE_UPDATE", "always")]), 0);
    assert!(outcome.stdout.contains("advice only: 1 of the 6 sessions"), "{outcome:?}");
    let named = with(&sandbox, &["run", "--save-baseline", "release"], &[("CI", "true")]);
    ends(named, 0);
    assert_eq!(sessions(&file), 3);
    let show = ends(with(&sandbox, &["baseline", "show"], &[]), 0);
    assert!(show.stdout.contains("main, ") && show.stdout.contains("release, "), "{show:?}");

    fs::write(&file, "{}").unwrap();
    let outcome = ends(with(&sandbox, &["run"], &[]), 2);
    assert!(outcome.stderr.contains("it is not a baseline"), "{outcome:?}");
    let outcome = ends(with(&sandbox, &["run"], &[("MONGATE_UPDATE", "sometimes")]), 2);
    assert!(outcome.stderr.contains("MONGATE_UPDATE: \"sometimes\""), "{outcome:?}");
}

#[test]
fn calibrate_keeps_a_record_that_can_be_judged_again() {
    let sandbox = sandbox("");
    let arguments =
        ["calibrate", "--blocks", "20", "--session", "6", "--format", "json", "--seed", "3"];
    let outcome = ends(with(&sandbox, &arguments, &[]), 0);
    let record = sandbox.results().join("record.jsonl");
    let lines = fs::read_to_string(&record).unwrap();
    assert_eq!(lines.lines().count(), 21);
    let again = ends(
        with(
            &sandbox,
            &[
                "calibrate",
                "--record",
                record.to_str().unwrap(),
                "--session",
                "6",
                "--format",
                "json",
            ],
            &[],
        ),
        0,
    );
    // The same seed or not: what the record says of the machine is the same.
    let (first, again) = (outcome.json(), again.json());
    for key in ["id", "median_ms", "sd_log"] {
        assert_eq!(first["cases"][0][key], again["cases"][0][key], "{key}");
    }
    assert_eq!(first["cases"][0]["id"], EPHEMERAL);
    let outcome = ends(with(&sandbox, &["calibrate", "--record", "absent.jsonl"], &[]), 2);
    assert!(outcome.stderr.contains("cannot read the record absent.jsonl"), "{outcome:?}");
}
