//! The real runners on a workspace of three crates: one with fifty ordinary tests, two with a gate.
//! Building it takes minutes where nothing is built yet, so that these tests are ignored, and
//! `.ci/run` runs them by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{
    Background, Outcome, Sandbox, clean, mongate, run, signal, wait_for, wrapper,
};
use rustix::process::Signal;

const WORKSPACE: &str = r#"
[workspace]
members = ["plain", "gate-a", "gate-b"]
resolver = "3"
[profile.dev.package]
sha2 = { opt-level = 3 }
flate2 = { opt-level = 3 }
miniz_oxide = { opt-level = 3 }
crc32fast = { opt-level = 3 }
"#;

/// The workspace, always in one place and written only where it differs, so that cargo builds it
/// once.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runners");
    let ordinary = (0..50).map(|n| format!("    #[test]\n    fn ordinary_{n}() {{}}\n"));
    let ordinary = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", ordinary.collect::<String>());
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    // The last two give mongate's dependencies the features that they have in this repository, so
    // that they need not be built again.
    let gate = |name: &str| {
        format!(
            "{}[dev-dependencies]\nmongate = {{ path = '{}' }}\nplist = \"1\"\n\
             proptest = {{ version = \"1\", default-features = false, features = [\"std\"] }}\n\
             [[test]]\nname = \"{name}-test\"\nharness = false\n",
            package(name),
            env!("CARGO_MANIFEST_DIR"),
        )
    };
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
    for (file, text) in [
        ("Cargo.toml", WORKSPACE.to_owned()),
        ("plain/Cargo.toml", package("plain")),
        ("plain/src/lib.rs", ordinary),
        ("gate-a/Cargo.toml", gate("gate-a")),
        ("gate-a/src/lib.rs", String::new()),
        ("gate-a/tests/gate-a-test.rs", "mongate::main!();\n".to_owned()),
        ("gate-a/.config/mongate.toml", config("['6.0', '5.0']", "")),
        ("gate-b/Cargo.toml", gate("gate-b")),
        ("gate-b/src/lib.rs", String::new()),
        ("gate-b/tests/gate-b-test.rs", "mongate::harness!(\"elsewhere/gate.toml\");\n".to_owned()),
        (
            "gate-b/elsewhere/gate.toml",
            config(
                "['6.0']",
                "[transactions]\ncases = ['findOne']\nmacro_iterations = 2\ndb_path = 'ramdisk'\n",
            ),
        ),
        (".config/nextest.toml", "[profile.ci.junit]\npath = \"junit.xml\"\n".to_owned()),
    ] {
        let file = root.join(file);
        if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        }
    }
    // Cargo takes out of it what the workspace does not need.
    if !root.join("Cargo.lock").exists() {
        fs::write(root.join("Cargo.lock"), lock).unwrap();
    }
    root
});

fn config(versions: &str, more: &str) -> String {
    format!(
        "[startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\n[session]\nblocks = 6\n\
         [mongod]\noptional = []\nversions = {versions}\n{more}"
    )
}

/// A place for one run: the builds are shared, the results are its own. No case has a reference, so
/// that each takes a second or two.
fn sandbox() -> Option<Sandbox> {
    let sandbox = Sandbox::in_ram("")?;
    sandbox.cache(&["6.0.27", "5.0.4"]);
    Some(sandbox)
}

fn inside(sandbox: &Sandbox, mut command: Command, arguments: &[&str]) -> Command {
    clean(&mut command);
    sandbox.place(&mut command);
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    command
        .current_dir(&*ROOT)
        .env("XDG_CACHE_HOME", sandbox.path().join("cache"))
        .env("CARGO_NET_OFFLINE", "true")
        .args(&arguments[..1])
        .args(arguments.get(1).filter(|_| arguments[0] == "nextest"));
    let behind = if arguments[0] == "nextest" { 2 } else { 1 };
    command.arg("--target-dir").arg(built).args(&arguments[behind..]);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

fn cargo(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    inside(sandbox, Command::new("cargo"), arguments)
}

fn mongate_test(sandbox: &Sandbox) -> Command {
    inside(sandbox, mongate(), &["test"])
}

#[track_caller]
fn ends(command: &mut Command, code: i32) -> Outcome {
    let outcome = run(command);
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

fn report(sandbox: &Sandbox, runs: &[&str]) -> Outcome {
    ends(&mut sandbox.command(&[&["report"], runs].concat()), 0)
}

/// The rows of a table that have figures: the case and the letter that tells one test binary from
/// another.
fn measured(outcome: &Outcome) -> usize {
    let rows =
        outcome.stdout.lines().filter(|line| line.trim_start().starts_with("ephemeralForTest"));
    rows.filter(|row| row.contains(" ramdisk ")).count()
}

/// When the launches of a run began and ended, by the wall clock, in ms.
fn launches(folder: &Path) -> Vec<[f64; 2]> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(launches(&path));
        } else if path.ends_with("samples.jsonl") {
            for line in fs::read_to_string(&path).unwrap().lines() {
                let sample: Value = serde_json::from_str(line).unwrap();
                // A line of transactions is a whole case.
                let Some(began) = sample["spawned_unix_ms"].as_f64() else {
                    continue;
                };
                all.push([began, began + sample["ready_ms"].as_f64().unwrap()]);
            }
        }
    }
    all
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn cargo_test_takes_flags_of_libtest_beside_other_tests() {
    let Some(sandbox) = sandbox() else { return };
    let outcome = ends(&mut cargo(&sandbox, &["test", "--workspace", "--", "--nocapture"]), 0);
    assert!(outcome.stdout.contains("50 passed"), "{outcome:?}");
    assert_eq!(outcome.stdout.matches(" 2 passed").count(), 2, "{outcome:?}");
    // A name of another crate's test measures nothing.
    let outcome = ends(&mut cargo(&sandbox, &["test", "--workspace", "ordinary_7"]), 0);
    assert!(!outcome.stdout.contains("median"), "{outcome:?}");
    sandbox.assert_clean();
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn a_plain_nextest_run_is_one_table_and_shards_are_one_too() {
    let Some(sandbox) = sandbox() else { return };
    let whole = ends(&mut cargo(&sandbox, &["nextest", "run"]), 0);
    assert!(whole.stderr.contains("54 tests run: 54 passed"), "{whole:?}");
    let run_folder = sandbox.results();
    let table = report(&sandbox, &[]);
    assert_eq!(measured(&table), 3, "{table:?}");
    assert!(table.stdout.contains("\n findOne "), "both kinds: {table:?}");
    let text = fs::read_to_string(run_folder.join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(results["parts"].as_array().unwrap().len(), 4, "{text}");
    for shard in 1..=3 {
        let part = format!("count:{shard}/3");
        let folder = sandbox.path().join(format!("shard-{shard}"));
        let mut command =
            cargo(&sandbox, &["nextest", "run", "--partition", &part, "--no-tests", "pass"]);
        ends(command.env("MONGATE_RESULTS", &folder), 0);
    }
    let shards: Vec<String> = (1..=3)
        .map(|n| format!("shard-{n}"))
        .filter(|name| sandbox.path().join(name).is_dir())
        .collect();
    let names: Vec<&str> = shards.iter().map(String::as_str).collect();
    let merged = report(&sandbox, &names);
    assert_eq!(measured(&merged), 3, "{merged:?}");
    sandbox.assert_clean();
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn two_runs_of_mongate_test_never_measure_at_once() {
    let Some(sandbox) = sandbox() else { return };
    let folders = ["one", "two"].map(|name| sandbox.path().join(name));
    let runs: Vec<Background> = folders
        .iter()
        .map(|folder| Background::spawn(mongate_test(&sandbox).env("MONGATE_RESULTS", folder)))
        .collect();
    for run in runs {
        let outcome = run.end();
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert_eq!(measured(&outcome), 3, "one table at the end: {outcome:?}");
        for table in ["start-up, spawn to first ping", "transactions, medians in us"] {
            assert_eq!(outcome.stdout.matches(table).count(), 1, "{outcome:?}");
        }
        // nextest runs them after the others.
        let last = outcome.stderr.rfind("ordinary_").unwrap();
        assert!(outcome.stderr.find("startup::").unwrap() > last, "{outcome:?}");
    }
    let mut all: Vec<[f64; 2]> = folders.iter().flat_map(|folder| launches(folder)).collect();
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // Three sessions of six blocks with the case and its sentinel, twice.
    assert_eq!(all.len(), 2 * 3 * 6 * 2);
    for pair in all.windows(2) {
        assert!(pair[0][1] <= pair[1][0], "{pair:?} overlap");
    }
    sandbox.assert_clean();
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn a_failed_gate_has_its_code_and_its_table_in_junit() {
    let Some(sandbox) = sandbox() else { return };
    let strict = sandbox.path().join("strict.toml");
    let limit = "[[gate.limit]]\ncase = 'startup::6.0::*'\nmax = '1ms'\n";
    fs::write(&strict, config("['6.0']", limit)).unwrap();
    let strict = |mut command: Command| {
        command.env("MONGATE_CONFIG", &strict);
        command
    };
    let outcome = ends(&mut strict(mongate_test(&sandbox)), 1);
    assert!(
        outcome.stdout.contains("regressed: start-up of startup::6.0::ephemeralForTest::ramdisk"),
        "{outcome:?}"
    );
    ends(
        &mut strict(cargo(&sandbox, &["nextest", "run", "--profile", "ci", "--no-fail-fast"])),
        100,
    );
    // Below the workspace, wherever its builds are.
    let junit = fs::read_to_string(ROOT.join("target/nextest/ci/junit.xml")).unwrap();
    assert!(junit.contains("start-up, spawn to first ping, in ms"), "{junit}");
    assert!(junit.contains("regressed: "), "{junit}");
    ends(&mut strict(cargo(&sandbox, &["test", "--workspace", "--no-fail-fast"])), 101);
    // An ordinary failure keeps the runner's code.
    ends(mongate_test(&sandbox).arg("no_test_of_this_name"), 4);
    sandbox.assert_clean();
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn ctrl_c_keeps_what_was_measured() {
    let Some(sandbox) = sandbox() else { return };
    let child = Background::spawn(&mut mongate_test(&sandbox));
    // Once the first session has ended, somewhere in the second.
    wait_for("a session", || {
        let runs = fs::read_dir(sandbox.target().join("mongate")).ok()?;
        let done = |run: fs::DirEntry| run.path().join("results.json").exists();
        runs.flatten().any(done).then_some(())
    });
    signal(child.0.id(), Signal::INT);
    let outcome = child.end();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    sandbox.assert_clean();
    assert!(measured(&report(&sandbox, &[])) > 0);
}

#[test]
#[ignore = "builds a workspace; .ci/run runs it"]
fn a_case_that_hangs_is_killed_and_the_next_one_runs() {
    let Some(sandbox) = sandbox() else { return };
    // As fixtures/mongod/never-listens, once it has answered what it is: no real binary hangs at
    // will.
    let hang = "case \"$*\" in *--dbpath*) kill -STOP $$;; esac";
    let mongod = wrapper(sandbox.path(), "hangs", "6.0.27", hang);
    let settings = sandbox.path().join("nextest.toml");
    fs::write(
        &settings,
        "[[profile.default.overrides]]\nfilter = 'test(/^startup/)'\nthreads-required = \
            \"num-test-threads\"\n\
         slow-timeout = { period = \"3s\", terminate-after = 1, grace-period = \"2s\" }\n",
    )
    .unwrap();
    let tool = format!("hang:{}", settings.display());
    let mut command =
        cargo(&sandbox, &["nextest", "run", "--no-fail-fast", "--tool-config-file", &tool]);
    command.args(["-p", "gate-a"]).env("MONGATE_MONGOD_6_0", &mongod);
    let outcome = ends(&mut command, 100);
    assert!(outcome.stderr.contains("TIMEOUT") || outcome.stderr.contains("TMT"), "{outcome:?}");
    assert!(outcome.stderr.contains("2 tests run"), "{outcome:?}");
    sandbox.assert_clean();
}
