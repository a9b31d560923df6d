//! `mongate profile` on real servers.

use std::fs;

use serde_json::Value;

use crate::support::{Outcome, Sandbox};

#[track_caller]
fn ends(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Outcome {
    let outcome = sandbox.run(&[&["profile"], arguments].concat());
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

/// One launch's figures of this name.
fn figure(sample: &Value, name: &str) -> f64 {
    sample[name].as_f64().unwrap_or_else(|| panic!("{name}: {sample}"))
}

/// Two versions, both engines: one session for the JSON; a second, shorter one for the words and
/// the page.
#[test]
fn phases_of_two_versions_and_two_engines() {
    let Some(sandbox) = Sandbox::in_ram("") else {
        return;
    };
    let ids =
        ["6.0::wiredTiger", "6.0::ephemeralForTest", "4.2::wiredTiger", "4.2::ephemeralForTest"];
    let ids = ids.map(|id| format!("startup::{id}::ramdisk"));
    let mut arguments: Vec<&str> = ids.iter().map(String::as_str).collect();
    arguments.extend(["--blocks", "6", "--seed", "7", "--format", "json"]);
    let results = ends(&sandbox, &arguments, 0).json();
    let cases = results["startup"].as_array().unwrap();
    assert_eq!(results["seed"], 7);
    assert!(
        cases.iter().map(|case| case["id"].as_str().unwrap()).eq(&ids),
        "in the order asked for"
    );
    for case in cases {
        let samples = case["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 6);
        for sample in samples {
            let phases = sample["phases_ms"].as_object().unwrap();
            let sum: f64 = phases.values().map(|ms| ms.as_f64().unwrap()).sum();
            let ready = figure(sample, "ready_ms");
            assert!((sum - ready).abs() < 0.01, "{sum} {ready}: {sample}");
            // Which phase is the largest is no test's business: on a busy machine it is any.
            let opens = case["engine"] == "wiredTiger";
            assert_eq!(phases.contains_key("engine_open"), opens, "{sample}");
            if cfg!(target_os = "linux") {
                assert!(figure(sample, "cpu_ms") > 0.0, "{sample}");
                assert_eq!(figure(sample, "written_mb"), 0.0, "RAM is no block device: {sample}");
            }
        }
    }
    // 6.0.27 gives its own account, 4.2 does not.
    assert!(cases[0]["samples"][0]["steps_ms"].is_object(), "{}", cases[0]["samples"][0]);
    assert!(cases[2]["samples"][0].get("steps_ms").is_none());
    sandbox.assert_clean();
}

#[test]
fn a_disk_is_shown_as_a_table_and_a_page() {
    let sandbox = Sandbox::new(
        "mongod.versions = ['6.0']\nmongod.optional = []\nstartup.db_paths = ['disk']",
    );
    let page = sandbox.path().join("page.html");
    let outcome = ends(&sandbox, &["6.0", "--blocks", "6", "--html", page.to_str().unwrap()], 0);
    let text: Vec<&str> = outcome.stdout.split_whitespace().collect();
    let text = text.join(" ");
    for word in [
        "A startup::6.0::wiredTiger::disk (6.0.",
        "B startup::6.0::ephemeralForTest::disk (6.0.",
        " engine_open",
        "whole start",
        "100 %",
        "█",
        "engine_open explains",
        "between A and B",
        "CPU time",
        "fsync",
    ] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let found = ["A: CPU-bound: ", "A: disk-bound: ", "A: neither CPU-bound nor disk-bound: "];
    assert!(found.iter().any(|words| text.contains(words)), "{text}");
    let written = |case: &Value| figure(&case["samples"][0], "written_mb");
    let results: Value =
        serde_json::from_slice(&fs::read(sandbox.results().join("results.json")).unwrap()).unwrap();
    if cfg!(target_os = "linux") {
        assert!(written(&results["startup"][0]) >= 0.0);
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("engine_open")
            && page.contains("startup::6.0::wiredTiger::disk")
    );
    for fetched in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(fetched), "the page needs {fetched}");
    }
    sandbox.assert_clean();
}

#[test]
fn what_cannot_be_measured_says_why() {
    let sandbox = Sandbox::new("");
    let outcome = ends(&sandbox, &["startup::9.9::wiredTiger::disk"], 4);
    assert!(outcome.stdout.contains("no mongod 9.9 on this machine"), "{outcome:?}");
    let outcome = ends(&sandbox, &["9.9", "--format", "json"], 4);
    let cases = outcome.json();
    assert_eq!(
        cases["startup"].as_array().unwrap().len(),
        4,
        "every engine and dbPath of the configuration"
    );
    let outcome = ends(&sandbox, &["startup::6.0::inMemory::disk"], 4);
    assert!(outcome.stdout.contains("unknown storage engine: inMemory"), "{outcome:?}");
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let sandbox = Sandbox::new("");
    for (arguments, words) in [
        (&["startup::6.0::wiredtiger::disk"][..], "unknown storage engine \"wiredtiger\""),
        (&["startup::6.0*nowhere"], "no case matches \"startup::6.0*nowhere\""),
        (&["wiredtiger"], "the nearest is startup::"),
        (&["transactions::6.0::insertOne"], "no case matches"),
        (&["6.0", "--blocks", "2"], "not a valid number of blocks"),
        (&["6.0", "--html", "."], "is a folder"),
        (&[], "required"),
    ] {
        let outcome = ends(&sandbox, arguments, 2);
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
    // Before anything is measured.
    let outcome = ends(&sandbox, &["6.0", "--html", "no/such/folder/page.html"], 4);
    assert!(outcome.stderr.contains("cannot write no/such/folder/page.html"), "{outcome:?}");
    assert!(!sandbox.target().join("mongate").exists());
}
