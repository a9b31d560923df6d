//! The matrix of start-ups: topologies, variants and templates.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, run};

const SMALL: [&str; 2] =
    ["--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=1MB),session_max=200"];

fn number(sample: &Value, key: &str) -> f64 {
    sample[key].as_f64().unwrap_or_else(|| panic!("{key} in {sample}"))
}

/// The stamps of a sample of a case, in their order.
fn is_in_order(sample: &Value, id: &str) {
    let mut keys = vec!["first_line_ms", "listening_ms"];
    if id.contains("::replica_set") {
        keys.extend(["initiate_ms", "primary_ms"]);
    }
    if id.ends_with("::lean") {
        keys.insert(0, "copy_ms");
    }
    keys.push("ready_ms");
    let times: Vec<f64> = keys.iter().map(|key| number(sample, key)).collect();
    assert!(times[0] > 0.0 && times.is_sorted(), "{id}: {keys:?} {times:?}");
    let stamps = sample.as_object().unwrap().keys();
    let stamps =
        stamps.filter(|key| ["copy_ms", "initiate_ms", "primary_ms"].contains(&key.as_str()));
    assert_eq!(stamps.count(), keys.len() - 3, "{id}: {sample}");
}

#[test]
fn a_session_measures_replica_sets_and_variants_beside_plain_servers() {
    let config = format!(
        "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['6.0']\n\
         [startup]\nengines = ['wiredTiger']\ndb_paths = ['ramdisk']\ntopologies = ['standalone', \
         'replica_set']\n\
         [[startup.variant]]\nname = 'lean'\nversions = ['6.0']\ntemplate = true\narguments = \
         ['{}', '{}']\n",
        SMALL[0], SMALL[1]
    );
    let Some(sandbox) = Sandbox::in_ram(&config) else {
        return;
    };
    let outcome = sandbox.run(&["run", "::ramdisk"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let text = fs::read_to_string(sandbox.results().join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let cases = results["startup"].as_array().unwrap();
    let measured: Vec<&Value> = cases.iter().filter(|c| c["status"] == "measured").collect();
    let found: Vec<String> = measured
        .iter()
        .map(|case| {
            let word = |key: &str| case[key].as_str().unwrap_or("none");
            assert_eq!((word("cache"), &case["at_once"]), ("warm", &1.into()));
            [word("label"), word("topology"), word("variant")].join(" ")
        })
        .collect();
    assert_eq!(
        found,
        [
            "6.0 standalone none",
            "6.0 standalone lean",
            "6.0 replica_set none",
            "6.0 replica_set lean",
        ]
    );
    for case in measured {
        let id = case["id"].as_str().unwrap();
        let samples = case["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 6, "{id}");
        for sample in samples {
            is_in_order(sample, id);
            // A default journal is 300 MB, that of a template a few.
            let folder = number(sample, "folder_mb");
            assert_eq!(folder < 50.0, id.ends_with("::lean"), "{id}: {folder} MB");
        }
    }
    let table = &outcome.stdout;
    assert!(table.contains("replica_set: to the first acknowledged majority write"), "{table}");
    let row = table.lines().find(|line| line.contains("replica_set lean"));
    assert!(row.is_some_and(|row| row.contains("wiredTiger")), "{table}");
    sandbox.assert_clean();
}

/// The words of mongod for what it refuses, which is asked once.
#[test]
fn a_variant_that_mongod_refuses_is_unavailable_in_its_words() {
    let config = "[mongod]\noptional = []\nversions = ['6.0']\n\
         [startup]\nengines = ['wiredTiger']\ndb_paths = ['ramdisk']\ntopologies = ['standalone', \
         'replica_set']\n\
         [[startup.variant]]\nname = 'bare'\narguments = ['--nojournal']\n\
         [[startup.variant]]\nname = 'odd'\ntopologies = ['standalone']\narguments = \
         ['--noSuchOption']\n";
    let Some(sandbox) = Sandbox::in_ram(config) else {
        return;
    };
    sandbox.cache(&["6.0.27"]);
    let list = || run(&mut sandbox.private(&["list"]));
    let outcome = list();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let case = |variant: &str| {
        let start = outcome.stdout.find(&format!("::{variant}: ")).unwrap();
        outcome.stdout[start..].split("startup::").next().unwrap()
    };
    assert_eq!(case("ramdisk::bare"), "::ramdisk::bare: mongod 6.0.27\n");
    let refused = case("replica_set::bare");
    for words in [
        "unavailable: mongod 6.0.27 with wiredTiger did not start: mongod refused its options \
            (exit code 2)",
        "without journaling in a replica set is not supported",
    ] {
        assert!(refused.contains(words), "{refused}");
    }
    assert!(case("odd").contains("unrecognised option '--noSuchOption'"), "{}", case("odd"));
    // The answers are kept with the binary, and the same the second time.
    let kept = fs::read_to_string(sandbox.path().join("cache/mongate/probes.json")).unwrap();
    assert!(kept.contains("replica_set wiredTiger --nojournal"), "{kept}");
    assert_eq!(list().stdout, outcome.stdout);
    sandbox.assert_clean();

    let outcome = run(&mut sandbox.private(&["run", "replica_set::bare"]));
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stdout.contains("unavailable [1]"), "{}", outcome.stdout);
}

#[test]
fn a_comparison_with_a_variant_that_nobody_knows_is_refused() {
    let sandbox = Sandbox::new("");
    let case = "startup::6.0::wiredTiger::ramdisk";
    let other = format!("{case}::smal-journal");
    let outcome = sandbox.run(&["compare", case, &other]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("did you mean `small-journal`?"), "{}", outcome.stderr);
}
