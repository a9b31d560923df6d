//! Cold starts: what the page cache holds of a mongod before and after, by an account that is not
//! mongate's own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use mongate::dbpath::DataFolder;
use mongate::launch::cold::Image;
use mongate::mongod::Executable;
use serde_json::Value;

use crate::support::{Sandbox, folder, mongod, ram, start};

/// A mongod of this test's own in `folder`, with its libraries: nobody else runs it. Another
/// process writes it, see [`crate::support::script`].
fn private_copy(folder: &Path, version: &str) -> Executable {
    let top = mongod(version).path.ancestors().nth(2).unwrap().to_owned();
    let own = folder.join("mongod");
    let copied = Command::new("cp").arg("-rL").arg(&top).arg(&own).status();
    assert!(copied.unwrap().success());
    Executable::new(own.join("bin/mongod"))
}

/// The mongod and the libraries that came with it. The folder has libcrypto under a second name,
/// which nobody asks for.
fn own_files(executable: &Executable) -> [PathBuf; 3] {
    let folder = executable.libraries.as_ref().unwrap();
    let library = |name| folder.join(name);
    [executable.path.clone(), library("libssl.so.1.1"), library("libcrypto.so.1.1")]
}

/// The share of a file's pages that are in the page cache.
fn cached(path: &Path) -> f64 {
    let pages = mincore::mincore_wrapper(File::open(path).unwrap()).unwrap();
    pages.iter().filter(|&&cached| cached).count() as f64 / pages.len() as f64
}

#[test]
fn an_eviction_leaves_nothing_of_a_mongod_and_a_load_brings_it_back() {
    let base = folder();
    let executable = private_copy(base.path(), "4.2");
    let data = DataFolder::new(base.path()).unwrap();
    let running = start(&executable, &data);
    let image = Image::of(&running).unwrap();

    // What runs cannot be evicted, and that is no cold start.
    let error = image.evict().unwrap_err().to_string();
    let path = executable.path.to_str().unwrap();
    assert!(error.contains(path) && error.contains(" stayed in the page cache"), "{error}");
    assert!(error.contains("help: end other mongods of that file"), "{error}");
    running.stop().unwrap();

    for _ in 0..3 {
        image.load().unwrap();
        for file in own_files(&executable) {
            assert_eq!(cached(&file), 1.0, "{}", file.display());
        }
        let stayed = image.evict().unwrap();
        // What stays are libraries of the system that other processes use, a few MB of a hundred.
        assert!((0.0..0.5).contains(&stayed), "{stayed}");
        for file in own_files(&executable) {
            assert_eq!(cached(&file), 0.0, "{}", file.display());
        }
    }
    // Evicted, not damaged.
    let data = DataFolder::new(base.path()).unwrap();
    start(&executable, &data).stop().unwrap();
}

fn config(executable: &Executable) -> String {
    format!(
        "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['4.2']\n[mongod.path]\n'4.2' \
            = '{}'\n\
         [startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\ncaches = ['warm', \
         'cold']\n",
        executable.path.display()
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
        executable.path.display()
    );
    assert_eq!(outcome.stdout, expected);
    sandbox.assert_clean();
}
