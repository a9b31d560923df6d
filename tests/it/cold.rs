//! Cold starts, as a session has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, folder, mongod, ram};

/// A mongod of this test's own in `folder`, with its libraries: nobody else runs it. Another
/// process writes it, see [`crate::support::script`].
fn private_copy(folder: &Path, version: &str) -> PathBuf {
    let top = mongod(version).path.ancestors().nth(2).unwrap().to_owned();
    let own = folder.join("mongod");
    let copied = Command::new("cp").arg("-rL").arg(&top).arg(&own).status();
    assert!(copied.unwrap().success());
    own.join("bin/mongod")
}

fn config(executable: &Path) -> String {
    format!(
        "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['4.2']\n[mongod.path]\n'4.2' \
            = '{}'\n\
         [startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\ncaches = ['warm', \
         'cold']\n",
        executable.display()
    )
}

fn cases(results: &Value) -> &[Value] {
    results["startup"].as_array().unwrap()
}

#[test]
fn a_session_says_how_cold_each_start_was() {
    let base = folder();
    let Some(sandbox) = Sandbox::in_ram(&config(&private_copy(base.path(), "4.2"))) else {
        return;
    };
    let outcome = sandbox.run(&["run"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let note = "cold: before each start the binary and its libraries left the page cache; at most ";
    let table = outcome.stdout.replace("\n    ", " ");
    assert!(table.contains(note), "{table}");
    let file = sandbox.results().join("results.json");
    let results: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let [warm, cold, reference] = cases(&results) else {
        panic!("{results}");
    };
    assert_eq!(cold["id"], "startup::4.2::ephemeralForTest::ramdisk::cold");
    assert_eq!((&warm["cache"], &cold["cache"]), (&"warm".into(), &"cold".into()));
    assert_eq!(reference["status"], "unavailable");
    for sample in warm["samples"].as_array().unwrap() {
        assert_eq!(sample.get("cached"), None, "{sample}");
    }
    let samples = cold["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 6);
    for sample in samples {
        let stayed = sample["cached"].as_f64().unwrap();
        assert!((0.0..0.5).contains(&stayed), "{sample}");
    }
    sandbox.assert_clean();
}

#[test]
fn a_mongod_in_ram_has_no_cold_start() {
    let Some(base) = ram() else {
        return;
    };
    let executable = private_copy(base.path(), "4.2");
    let Some(sandbox) = Sandbox::in_ram(&config(&executable)) else {
        return;
    };
    let outcome = sandbox.run(&["list", "cold"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let expected = format!(
        "startup::4.2::ephemeralForTest::ramdisk::cold: unavailable: no cold start: 100 % of {} \
            stayed in the page cache\n  \
         help: end other mongods of that file; where it lies in RAM itself, put it on a disk\n",
        executable.display()
    );
    assert_eq!(outcome.stdout, expected);
    sandbox.assert_clean();
}
