//! The cases beyond the article's: each does on real servers what it says, which run when, and what
//! the command shows of them.

use std::path::Path;

use mongate::config::Config;
use mongate::dbpath::DataFolder;

use mongate::measure::transactions::{COMMITS, Measured};
use mongate::model::workload::{Arm, BEYOND, Shape, Workload};
use serde_json::json;

use super::{few, plan, start};
use crate::support::{Sandbox, folder, launch, mongod};

/// Measures these on one server of this version, and looks at what each gave.
fn measured(
    version: &str,
    workloads: &[&'static Workload],
    mut look: impl FnMut(&Workload, &Measured),
) {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod(version), "wiredTiger", &folder));
    for workload in workloads {
        let measured = few(set.member.port, workload, &[Arm::A, Arm::B, Arm::D, Arm::E]);
        let measured = measured.unwrap_or_else(|e| panic!("{version} {}: {e}", workload.name));
        look(workload, &measured);
    }
    set.member.stop().unwrap();
}

/// What the checks inside did not already compare.
fn is_right(workload: &Workload, measured: &Measured) {
    let name = workload.name;
    assert_eq!(measured.checks.retries, 0, "{name}");
    match &workload.shape {
        Shape::Arms => {
            assert_eq!(measured.arms.len(), 4, "{name}");
            // Two macro-iterations, the one that warms up included.
            let iterations = 2 * plan(&[]).iterations(workload) as u64;
            let concerned = workload.steps.iter().map(|step| step.operation.concerned());
            assert_eq!(measured.checks.matched, 4 * iterations * concerned.sum::<u64>(), "{name}");
            assert_eq!(measured.checks.committed, 2 * iterations, "{name}");
        }
        Shape::Lanes(set) => {
            let names: Vec<&str> = measured.lanes.iter().map(|(lane, _)| lane.name).collect();
            let meant: Vec<&str> = set.lanes.iter().map(|lane| lane.name).collect();
            assert_eq!(names, meant, "{name}");
            for (lane, samples) in &measured.lanes {
                let [sample] = samples[..] else {
                    panic!("{name} {lane:?}: {samples:?}");
                };
                assert!(0.0 < sample.total_us && 0.0 < sample.mean_us, "{name} {sample:?}");
                if lane.operations == 0 {
                    assert_eq!(sample.oplog_entries, 0.0, "{name} {sample:?}");
                }
            }
        }
        Shape::Conflicts => {
            assert_eq!(measured.crowds.len(), 24);
            assert_eq!(measured.checks.matched, 2 * 24 * COMMITS as u64);
            assert_eq!(measured.checks.committed, 24 * COMMITS as u64);
            for (crowd, samples) in &measured.crowds {
                let [sample] = samples[..] else {
                    panic!("{crowd:?}: {samples:?}");
                };
                assert!(0.0 < sample.commits_per_s && 0.0 < sample.p99_us, "{crowd:?} {sample:?}");
                // Who is alone on a document has nobody to yield to.
                if crowd.clients == 1 || !crowd.hot {
                    assert_eq!(sample.retries, 0.0, "{crowd:?}");
                }
            }
            let crowded = |measured: &Measured| {
                let mut hot = measured.crowds.iter().filter(|(c, _)| c.hot && c.transaction);
                hot.any(|(_, samples)| samples[0].retries > 0.0)
            };
            assert!(crowded(measured), "{measured:?}");
        }
    }
}

#[test]
fn every_case_beyond_the_article_is_right_on_6_0() {
    let all: Vec<&Workload> = BEYOND.iter().collect();
    measured("6.0", &all, is_right);
}

#[test]
fn the_cases_that_differ_by_version_are_right_on_4_2_too() {
    let names =
        ["bulkWrite", "upsert", "aggregate", "writeConcern", "readOnly", "abort-x1", "and_run"];
    let some = names.map(|name| Workload::named(name).unwrap());
    measured("4.2", &some, is_right);
}

#[test]
fn a_configuration_chooses_the_cases_and_a_filter_finds_the_others() {
    let names = |text: &str, filter: Option<&str>| {
        let config = Config::parse(text, Path::new("m.toml")).unwrap();
        let cases = mongate::plan::transactions::select(&config, filter, false).unwrap();
        cases.iter().map(|case| case.workload.name).collect::<Vec<_>>()
    };
    assert_eq!(names("", None).len(), 12);
    assert_eq!(names("", Some("6.0")).len(), 12);
    assert_eq!(names("[transactions]\ncases = 'all'\n", None).len(), 13 + BEYOND.len());
    assert_eq!(
        names("[transactions]\ncases = ['abort-*', 'find']\n", None),
        ["find", "abort-x1", "abort-x100"]
    );
    // What the configuration does not ask for is measured when it is named.
    assert_eq!(names("", Some("::conflicts")), ["conflicts"]);
    assert_eq!(names("", Some("*::insertOne-*KB")).len(), 3);
    assert_eq!(
        names("[transactions]\ncases = 'find,and_run'\n", Some("::replaceOne")),
        ["replaceOne"]
    );
    // A few cases as tests take nothing from the command, nor does one version.
    let few = "[mongod]\nversions = ['4.2', '6.0']\n[transactions]\nversions = ['6.0']\ncases = \
        ['find', 'and_run']\n";
    assert_eq!(names(few, None).len(), 2);
    assert_eq!(names(few, Some("transactions::6.0::*")).len(), 13);
    assert_eq!(names(few, Some("4.2")).len(), 13);
    let config = Config::parse(few, Path::new("m.toml")).unwrap();
    let only = mongate::plan::transactions::select(&config, Some("6.0"), true).unwrap();
    assert_eq!(only.len(), 2);
    let refused = |text: &str| {
        let error = Config::parse(text, Path::new("m.toml")).unwrap_err();
        error.to_string()
    };
    let unknown = refused("[transactions]\ncases = ['find', 'abort-x2']\n");
    assert!(
        unknown.starts_with("m.toml:2: ") && unknown.contains("no workload matches \"abort-x2\""),
        "{unknown}"
    );
    assert!(unknown.contains("the nearest is abort-x1"), "{unknown}");
    assert!(refused("[transactions]\ncases = 3\n").contains("\"article\", \"all\", or a list"));
    assert!(refused("[transactions]\ncases = []\n").contains("empty"));
}

const CONFIG: &str = "[mongod]\nversions = ['6.0']\noptional = []\n";

#[test]
fn lanes_have_tables_and_fields_of_their_own() {
    let sandbox = Sandbox::new(CONFIG);
    let cases = ["transactions", "--cases", "empty,abort-x1", "--macros", "6"];
    let outcome = sandbox.run(&cases);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for says in ["empty transaction", "1 write, aborted", "lanes compared"] {
        assert!(outcome.stdout.contains(says), "{says}: {}", outcome.stdout);
    }
    let text = std::fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
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
    let sandbox = Sandbox::new(CONFIG);
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
    let text = std::fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ids: Vec<&str> = (results["transactions"].as_array().unwrap().iter())
        .map(|case| case["id"].as_str().unwrap())
        .collect();
    let names = ["writeConcern", "readOnly", "insertOne-xN", "conflicts"];
    assert_eq!(ids, names.map(|name| format!("transactions::6.0::{name}")));
    assert_eq!(results["transactions"][3]["crowds"].as_array().unwrap().len(), 24);
    assert_eq!(sandbox.run(&["transactions", "::find", "--explain"]).code, Some(2));
    sandbox.assert_clean();
}
