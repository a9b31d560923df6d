//! `mongate transactions`.

use std::fs;

use mongate::report::{table::Style, transactions};
use mongate::results::Results;
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
    assert_eq!(arms, ["A", "B", "C", "D", "E"]);
    for (letter, arm) in case["arms"].as_object().unwrap() {
        assert_eq!(arm["n"], 10, "{letter}");
        assert_eq!(arm["samples_us"].as_array().unwrap().len(), 10, "{letter}");
        let times = ["min_us", "median_us", "p95_us"].map(|key| arm[key].as_f64().unwrap());
        assert!(0.0 < times[0] && times.is_sorted(), "{letter}: {times:?}");
        assert_eq!(
            arm["commit_us"].is_f64(),
            ["D", "E"].contains(&letter.as_str()),
            "{letter}"
        );
    }
    for pair in ["E_vs_B", "E_vs_A", "D_vs_A", "B_vs_A"] {
        let overhead = &case["overhead"][pair];
        let interval: [f64; 2] = serde_json::from_value(overhead["ci95"].clone()).unwrap();
        let ratio = overhead["ratio"].as_f64().unwrap();
        assert!(
            interval[0] <= ratio && ratio <= interval[1],
            "{pair}: {overhead}"
        );
        let significant = interval[0] > 1.0 || interval[1] < 1.0;
        assert_eq!(overhead["significant"], significant, "{pair}");
    }
    // Eleven macro-iterations of twenty, in two and in five arms.
    assert_eq!(
        case["checks"],
        json!({"committed": 440, "matched": 1100, "retries": 0})
    );
    let kept = fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), results);
    sandbox.assert_clean();
}

#[test]
fn a_case_whose_primary_is_killed_fails_and_the_others_keep_their_numbers() {
    let sandbox = Sandbox::new(CONFIG);
    let mut command = sandbox.command(&["transactions", "::update", "--format", "json"]);
    let run = Background::spawn(&mut command);
    let [tmp, ..] = &sandbox.bases()[..] else {
        panic!()
    };
    wait_for("the end of the first case", || {
        let run = fs::read_dir(sandbox.target().join("mongate"))
            .ok()?
            .next()?
            .ok()?;
        let lines = fs::read_to_string(run.path().join("samples.jsonl")).ok()?;
        lines.contains('\n').then_some(())
    });
    let second = wait_for("the second server", || {
        processes_naming(tmp).first().copied()
    });
    signal(second, Signal::KILL);
    let outcome = run.end();
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let results = outcome.json();
    let cases = results["transactions"].as_array().unwrap();
    let found: Vec<_> = cases
        .iter()
        .map(|c| (c["id"].as_str().unwrap(), c["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("transactions::6.0::updateOne", "measured"),
            ("transactions::6.0::updateMany", "failed")
        ]
    );
    let reason = cases[1]["reason"].as_str().unwrap();
    assert!(reason.contains("signal 9 (SIGKILL)"), "{reason}");
    assert_eq!(
        (&cases[1]["arms"], &cases[1]["checks"]),
        (&json!({}), &Value::Null)
    );
    assert!(
        outcome
            .stderr
            .contains("transactions::6.0::updateMany failed: "),
        "{outcome:?}"
    );
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
    assert!(
        text.contains("unavailable [1]") && text.contains("[1] no mongod 7.0"),
        "{text}"
    );
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
    assert!(
        outcome.stdout.contains("[1] mongod 6.0.27: "),
        "{outcome:?}"
    );
    assert!(outcome.stdout.contains("inMemory"), "{outcome:?}");
}

/// A transaction that reads always costs more than the read without one, and never 1,000 times as much.
#[test]
fn a_limit_decides_the_exit_code() {
    for (max, says, code) in [
        ("0%", "more than its limit of 0 %", 1),
        ("100000%", "within its limit of 100000 %", 0),
    ] {
        let sandbox = Sandbox::new(&format!(
            "{CONFIG}[transactions]\ncases = ['findOne']\n[[gate.limit]]\ncase = 'transactions::*'\nmax_overhead = '{max}'\n"
        ));
        let kind = if sandbox.ram.is_some() {
            "ramdisk"
        } else {
            "disk"
        };
        let mut command = sandbox.command(&["transactions"]);
        let outcome = run(command.env("MONGATE_DB_PATH", kind));
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        // Notes are broken where a line ends.
        let words: Vec<&str> = outcome.stdout.split_whitespace().collect();
        let text = words.join(" ");
        for says in [
            ": a transaction of transactions::6.0::findOne costs ",
            says,
            &format!(" {kind}: /"),
        ] {
            assert!(text.contains(says), "{says}: {outcome:?}");
        }
        sandbox.assert_clean();
    }
}

#[test]
fn the_list_has_what_the_configuration_asks_for() {
    let sandbox = Sandbox::new(&format!(
        "{CONFIG}[transactions]\nversions = ['6.0', '7.0']\ncases = ['insert*One', 'find']\n"
    ));
    let outcome = sandbox.run(&["list", "transactions::"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let found: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|l| l.starts_with("transactions"))
        .collect();
    let begins = [
        "transactions::6.0::insertOne: mongod 6.0.",
        "transactions::6.0::find: mongod 6.0.",
        "transactions::6.0::insertOne+updateOne+deleteOne: mongod 6.0.",
        "transactions::6.0::insertOne+updateOne+deleteOne+findOne: mongod 6.0.",
        "transactions::7.0::insertOne: optional, unavailable: no mongod 7.0",
    ];
    for begin in begins {
        assert!(
            found.iter().any(|line| line.starts_with(begin)),
            "{begin}: {found:#?}"
        );
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
        "it is \"quick\" or \"fair\"",
    );
    refused(CONFIG, &["transactions", "--db-path", "ram"], "ramdisk");
    for (lines, says) in [
        ("versions = []", ":2: `versions` is empty"),
        ("versions = ['9.9']", ":2: version 9.9 is under neither"),
        (
            "versions = ['6.0', '6.0']",
            ":2: version 6.0 is listed twice",
        ),
        ("cases = []", ":2: `cases` is empty"),
        (
            "cases = ['find', 'insertTwo']",
            ":2: no case matches \"insertTwo\"",
        ),
        ("profile = 'slow'", ":2: \"slow\" is no profile"),
        ("profiles = 'quick'", "did you mean `profile`?"),
    ] {
        refused(
            &format!("[transactions]\n{lines}\n"),
            &["transactions"],
            says,
        );
    }
}

/// The widest figures, and the longest name.
#[test]
fn a_table_fits_80_columns() {
    let name = "insertMany+updateMany+deleteMany+find";
    let arm = json!({"name": "x", "n": 20, "median_us": 147_776.0, "ci95_us": null, "mean_us": 1.0, "sd_us": null,
        "min_us": 1.0, "p95_us": 1.0, "first_us": 123_456.0, "commit_us": 123_456.0, "samples_us": []});
    let results: Results = serde_json::from_value(json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 4_294_967_295_u32,
        "machine": {"cpu": "13th Gen Intel(R) Core(TM) i9-13900HX", "cores": 32, "memory_mb": 65_536,
            "os": "Linux (Ubuntu 24.04)", "kernel": "6.18.44-lowlatency", "load1": 12.34},
        "session": {"blocks": 0, "voided": [], "measured_ms": 0.0, "wall_ms": 0.0, "interrupted": false},
        "startup": [], "sentinel": null, "notices": [],
        "transactions": [{
            "id": format!("transactions::6.0::{name}"), "label": "6.0", "version": "6.0.27", "topology": "replica_set",
            "db_path": {"kind": "disk", "path": "/a", "file_system": "overlay", "is_ram": false, "fsync_us": 3870.0},
            "profile": "fair", "required": true, "status": "measured", "reason": null,
            "arms": {"B": arm.clone(), "E": arm},
            "overhead": {"E_vs_B": {"ratio": 8.92, "ci95": [5.13, 11.70], "p": 0.01, "significant": true, "difference_us": 1.0}},
            "checks": {"committed": 1, "matched": 1, "retries": 2},
        }],
    }))
    .unwrap();
    let text = transactions::render(
        &results,
        Style {
            width: 80,
            color: false,
        },
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    for says in [
        "+792",
        "+413..+1070",
        "147,776",
        "2 iterations or commands were sent again",
        "deleteMany+find",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
}
