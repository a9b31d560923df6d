//! `mongate transactions`.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Background, Sandbox, processes_naming, run, signal, wait_for, wrapper};

const CONFIG: &str = "[mongod]\nversions = ['6.0']\noptional = ['7.0']\n";

#[test]
fn json_has_what_design_says() {
    let sandbox = Sandbox::new(CONFIG);
    let outcome = sandbox.run(&[
        "transactions",
        "transactions::6.0::insertOne",
        "--format",
        "json",
        "--seed",
        "7",
    ]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let results = outcome.json();
    assert_eq!(results["startup"], json!([]));
    assert_eq!(results["seed"], 7);
    let cases = results["transactions"].as_array().unwrap();
    assert_eq!(cases.len(), 1);
    let case = &cases[0];
    assert_eq!(case["id"], "transactions::6.0::insertOne");
    assert_eq!(case["status"], "measured");
    assert_eq!(case["db_path"]["kind"], "disk");
    let arms: Vec<&String> = case["arms"].as_object().unwrap().keys().collect();
    assert_eq!(arms, ["A", "B", "B2", "D", "E"]);
    for (letter, arm) in case["arms"].as_object().unwrap() {
        assert_eq!(arm["n"], 10, "{letter}");
        assert_eq!(arm["samples_us"].as_array().unwrap().len(), 10, "{letter}");
        let times = ["min_us", "median_us", "p95_us"].map(|key| arm[key].as_f64().unwrap());
        assert!(0.0 < times[0] && times.is_sorted(), "{letter}: {times:?}");
        assert_eq!(arm["commit_us"].is_f64(), ["D", "E"].contains(&letter.as_str()), "{letter}");
    }
    for pair in ["E_vs_B", "E_vs_A", "D_vs_A", "B_vs_A"] {
        let overhead = &case["overhead"][pair];
        let interval: [f64; 2] = serde_json::from_value(overhead["ci95"].clone()).unwrap();
        let ratio = overhead["ratio"].as_f64().unwrap();
        assert!(interval[0] <= ratio && ratio <= interval[1], "{pair}: {overhead}");
        let significant = interval[0] > 1.0 || interval[1] < 1.0;
        assert_eq!(overhead["significant"], significant, "{pair}");
    }
    // Eleven macro-iterations of twenty, in two and in five arms.
    let checks = &case["checks"];
    let counts = ["committed", "matched", "retries"].map(|key| &checks[key]);
    assert_eq!(counts, [440, 1100, 0]);
    let plain = json!({"writes": 1.0, "transactions": 0.0, "noops": 0.0});
    let transaction = json!({"writes": 0.0, "transactions": 1.0, "noops": 0.0});
    assert_eq!([&checks["oplog"]["B2"], &checks["oplog"]["E"]], [&plain, &transaction]);
    let twins = &case["sentinel"];
    assert!(twins["ratio"].as_f64().unwrap() > 0.0 && twins["invalid"].is_boolean());
    let kept = fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), results);
    sandbox.assert_clean();
}

#[test]
fn a_case_whose_primary_is_killed_fails_and_the_others_keep_their_numbers() {
    let sandbox = Sandbox::new(CONFIG);
    let mut command = sandbox.command(&["transactions", "::update", "--format", "json"]);
    let run = Background::spawn(&mut command);
    let [tmp, ..] = &sandbox.bases()[..] else { panic!() };
    wait_for("the end of the first case", || {
        let run = fs::read_dir(sandbox.target().join("mongate")).ok()?.next()?.ok()?;
        let lines = fs::read_to_string(run.path().join("samples.jsonl")).ok()?;
        lines.contains('\n').then_some(())
    });
    let second = wait_for("the second server", || processes_naming(tmp).first().copied());
    signal(second, Signal::KILL);
    let outcome = run.end();
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let results = outcome.json();
    let cases = results["transactions"].as_array().unwrap();
    let found: Vec<_> =
        cases.iter().map(|c| (c["id"].as_str().unwrap(), c["status"].as_str().unwrap())).collect();
    assert_eq!(
        found,
        [("transactions::6.0::updateOne", "measured"), ("transactions::6.0::updateMany", "failed")]
    );
    let reason = cases[1]["reason"].as_str().unwrap();
    assert!(reason.contains("signal 9 (SIGKILL)"), "{reason}");
    assert_eq!((&cases[1]["arms"], &cases[1]["checks"]), (&json!({}), &Value::Null));
    assert!(outcome.stderr.contains("transactions::6.0::updateMany failed: "), "{outcome:?}");
    sandbox.assert_clean();
}

#[test]
fn what_cannot_run_here_is_unavailable_with_its_reason() {
    let sandbox = Sandbox::new(
        "[mongod]\nversions = ['6.0']\noptional = ['7.0']\n[transactions]\nversions = ['7.0']\n",
    );
    let outcome = sandbox.run(&["transactions", "::findOne"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let text = &outcome.stdout;
    assert!(text.contains("unavailable [1]") && text.contains("[1] no mongod 7.0"), "{text}");
    let required = Sandbox::new("[mongod]\nversions = ['7.0']\noptional = []\n");
    assert_eq!(required.run(&["transactions", "::findOne"]).code, Some(4));
}

#[test]
fn a_server_without_the_engine_is_unavailable_in_its_own_words() {
    let sandbox = Sandbox::new(CONFIG);
    // No mongod that can be had here lacks wiredTiger; every one lacks inMemory.
    let lacking = wrapper(
        sandbox.path(),
        "lacking",
        "6.0.27",
        "set -- $(echo \"$@\" | sed 's/wiredTiger/inMemory/')",
    );
    let mut command = sandbox.private(&["transactions", "::findOne"]);
    let outcome = run(command.env("MONGATE_MONGOD_6_0", lacking));
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stdout.contains("[1] mongod 6.0.27: "), "{outcome:?}");
    assert!(outcome.stdout.contains("inMemory"), "{outcome:?}");
}

/// A transaction that reads always costs more than the read without one, and never 1,000 times as
/// much. No sentinel differs by as much as the tolerance.
#[test]
fn a_limit_decides_the_exit_code() {
    for (max, says, code) in
        [("0%", "more than its limit of 0 %", 1), ("100000%", "within its limit of 100000 %", 0)]
    {
        let sandbox = Sandbox::new(&format!(
            "{CONFIG}[transactions]\ncases = ['findOne']\n[gate]\ntolerance = \
                '900%'\n[[gate.limit]]\ncase = 'transactions::*'\nmax_overhead = '{max}'\n"
        ));
        let kind = if sandbox.ram.is_some() { "ramdisk" } else { "disk" };
        let mut command = sandbox.command(&["transactions"]);
        let outcome = run(command.env("MONGATE_DB_PATH", kind));
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        // Notes are broken where a line ends.
        let words: Vec<&str> = outcome.stdout.split_whitespace().collect();
        let text = words.join(" ");
        for says in
            [": a transaction of transactions::6.0::findOne costs ", says, &format!(" {kind}: /")]
        {
            assert!(text.contains(says), "{says}: {outcome:?}");
        }
        sandbox.assert_clean();
    }
}

#[test]
fn a_limit_that_the_profile_cannot_judge_is_found_before_the_measuring() {
    let sandbox = Sandbox::new(&format!(
        "{CONFIG}[transactions]\ncases = ['find', 'conflicts']\n[[gate.limit]]\ncase = \
            'transactions::*'\nmax_overhead = '5%'\n"
    ));
    let outcome = sandbox.run(&["transactions", "--profile", "article"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let says = "the limit of transactions::6.0::find compares arms E and B, which this profile \
        does not measure";
    assert!(outcome.stderr.contains(says), "{outcome:?}");
}

#[test]
fn the_list_has_what_the_configuration_asks_for() {
    let sandbox = Sandbox::new(&format!(
        "{CONFIG}[transactions]\nversions = ['6.0', '7.0']\ncases = ['insert*One', 'find']\n"
    ));
    let outcome = sandbox.run(&["list", "transactions::"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let found: Vec<&str> =
        outcome.stdout.lines().filter(|l| l.starts_with("transactions")).collect();
    let begins = [
        "transactions::6.0::insertOne: mongod 6.0.",
        "transactions::6.0::find: mongod 6.0.",
        "transactions::6.0::insertOne+updateOne+deleteOne: mongod 6.0.",
        "transactions::6.0::insertOne+updateOne+deleteOne+findOne: mongod 6.0.",
        "transactions::7.0::insertOne: optional, unavailable: no mongod 7.0",
    ];
    for begin in begins {
        assert!(found.iter().any(|line| line.starts_with(begin)), "{begin}: {found:#?}");
    }
    assert_eq!(found.len(), 8, "{found:#?}");
}

#[test]
fn bad_input_is_refused_with_what_is_meant() {
    let refused = |config: &str, arguments: &[&str], says: &str| {
        let outcome = Sandbox::new(config).run(arguments);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
    };
    refused(
        CONFIG,
        &["transactions", "transactions::6.0::insertTwo"],
        "the nearest is transactions::6.0::insertOne",
    );
    refused(
        CONFIG,
        &["transactions", "--profile", "slow"],
        "write \"quick\", \"fair\" or \"article\"",
    );
    refused(CONFIG, &["transactions", "--macros", "1"], "1 macro-iterations are too few");
    refused(CONFIG, &["transactions", "--db-path", "ram"], "ramdisk");
    for (lines, says) in [
        ("versions = []", ":2: `versions` is empty"),
        ("versions = ['9.9']", ":2: version 9.9 is under neither"),
        ("versions = ['6.0', '6.0']", ":2: version 6.0 is listed twice"),
        ("profile = 'slow'", ":2: \"slow\" is not a valid profile"),
        ("macro_iterations = 1", ":2: 1 macro-iterations are too few"),
        ("profiles = 'quick'", "did you mean `profile`?"),
    ] {
        refused(&format!("[transactions]\n{lines}\n"), &["transactions"], says);
    }
}

const ONLY: &str = "[mongod]\nversions = ['6.0']\noptional = []\n";

#[test]
fn lanes_have_tables_and_fields_of_their_own() {
    let sandbox = Sandbox::new(ONLY);
    let cases = ["transactions", "--cases", "empty,abort-x1", "--macros", "6"];
    let outcome = sandbox.run(&cases);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for says in ["empty transaction", "1 write, aborted", "lanes compared"] {
        assert!(outcome.stdout.contains(says), "{says}: {}", outcome.stdout);
    }
    let text = fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let abort = &results["transactions"][1];
    assert_eq!(abort["id"], "transactions::6.0::abort-x1");
    assert_eq!((&abort["arms"], &abort["crossover"]), (&json!({}), &json!(null)));
    let lanes = abort["lanes"].as_array().unwrap();
    assert_eq!(lanes.len(), 2);
    for (lane, entries) in lanes.iter().zip([0.0, 1.0]) {
        assert_eq!(lane["n"], 6, "{lane}");
        assert_eq!(lane["samples_us"].as_array().unwrap().len(), 6, "{lane}");
        assert_eq!(lane["oplog_entries"], json!(vec![entries; 6]), "{lane}");
    }
    let pair = &abort["comparisons"][0];
    assert_eq!((&pair["one"], &pair["other"]), (&lanes[0]["name"], &lanes[1]["name"]));
    assert!(pair["ratio"].as_f64().unwrap() > 0.0);
    sandbox.assert_clean();
}

/// With too few macro-iterations for an interval nothing is claimed; what the findings are made of
/// is tested with made-up results.
#[test]
fn explain_judges_every_claim_from_one_run() {
    let sandbox = Sandbox::new(ONLY);
    let explain = ["transactions", "--explain", "--macros", "2", "--format", "json"];
    let outcome = sandbox.run(&explain);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let claims = outcome.json();
    let claims = claims.as_array().unwrap();
    assert_eq!(claims.len(), 7);
    for claim in claims {
        assert_eq!(claim["finding"], "undecided", "{claim}");
        assert!(claim["claim"].is_string() && claim["criterion"].is_string(), "{claim}");
    }
    let text = fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let ids: Vec<&str> = (results["transactions"].as_array().unwrap().iter())
        .map(|case| case["id"].as_str().unwrap())
        .collect();
    let names = ["writeConcern", "readOnly", "insertOne-xN", "conflicts"];
    assert_eq!(ids, names.map(|name| format!("transactions::6.0::{name}")));
    assert_eq!(results["transactions"][3]["crowds"].as_array().unwrap().len(), 24);
    assert_eq!(sandbox.run(&["transactions", "::find", "--explain"]).code, Some(2));
    sandbox.assert_clean();
}
