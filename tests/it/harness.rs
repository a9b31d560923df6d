//! The harness as the runners drive it: cargo test with filters, nextest with a process for each
//! test.

mod transactions;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{Outcome, Sandbox, clean, run, wrapper};

/// `tests/mongate.rs` as cargo builds it, by cargo's own word: its file's name tells it from other
/// test binaries no better than a guess. Cargo has built it before where it runs all tests.
static HARNESS: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or(OsString::from("cargo")));
    cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["test", "--frozen", "--test", "mongate", "--no-run", "--message-format", "json"])
        .arg("--target-dir")
        .arg(target)
        .args((!cfg!(debug_assertions)).then_some("--release"));
    // What cargo tells this test of its package would make it build anew what looks at that.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let outcome = run(&mut cargo);
    let messages =
        outcome.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_the_target = messages.filter(|message| message["target"]["name"] == "mongate");
    let executable = of_the_target
        .filter(|message| message["target"]["kind"][0] == "test")
        .find_map(|message| Some(message["executable"].as_str()?.to_owned()));
    executable.unwrap_or_else(|| panic!("{outcome:?}")).into()
});

fn harness(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(&*HARNESS);
    clean(&mut command);
    sandbox.place(&mut command);
    command
        .args(arguments)
        .env("HOME", sandbox.path())
        .env("XDG_CACHE_HOME", sandbox.path().join("cache"))
        .env("PATH", "/usr/bin:/bin");
    command
}

/// In the environment that nextest gives its tests.
fn under_nextest(sandbox: &Sandbox, run_id: &str, arguments: &[&str]) -> Command {
    let mut command = harness(sandbox, arguments);
    command
        .env("NEXTEST", "1")
        .env("NEXTEST_RUN_ID", run_id)
        .env("NEXTEST_EXECUTION_MODE", "process-per-test");
    command
}

#[track_caller]
fn ends(command: &mut Command, code: i32) -> Outcome {
    let outcome = run(command);
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

/// The names in a listing, of which every line is a test: nextest gives up at any other.
#[track_caller]
fn names(outcome: &Outcome) -> Vec<String> {
    let name = |line: &str| {
        let name = line.strip_suffix(": test");
        name.unwrap_or_else(|| panic!("{line}: {outcome:?}")).to_owned()
    };
    outcome.stdout.lines().map(name).collect()
}

/// What a listing names, and what it names as ignored.
#[track_caller]
fn listed(sandbox: &Sandbox) -> (Vec<String>, Vec<String>) {
    let all = ends(&mut under_nextest(sandbox, "r", &["--list", "--format", "terse"]), 0);
    let ignored =
        ends(&mut under_nextest(sandbox, "r", &["--list", "--format", "terse", "--ignored"]), 0);
    assert_eq!((all.stderr.as_str(), ignored.stderr.as_str()), ("", ""));
    (names(&all), names(&ignored))
}

fn config(mongod: &str) -> String {
    format!(
        "[startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\n[session]\nblocks = \
            6\n[mongod]\n{mongod}\n"
    )
}

const CASE: [&str; 3] = [
    "startup::6.0::ephemeralForTest::ramdisk",
    "startup::4.4::ephemeralForTest::ramdisk",
    "startup::7.0::ephemeralForTest::ramdisk",
];

/// The cases of a run's results that have numbers.
fn measured(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("results.json"))
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let results: Value = serde_json::from_str(&text).unwrap();
    let cases = results["startup"].as_array().unwrap().iter();
    cases
        .filter(|case| case["status"] == "measured")
        .map(|case| case["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn listing_starts_nothing_and_prints_only_tests() {
    let sandbox = Sandbox::new(&config("versions = ['6.0']\noptional = ['4.4', '7.0']"));
    let mark = sandbox.path().join("started");
    let leave = format!("echo >> '{}'", mark.display());
    let mut commands = Vec::new();
    for arguments in
        [&["--list", "--format", "terse"][..], &["--list", "--format", "terse", "--ignored"]]
    {
        let mut command = under_nextest(&sandbox, "r", arguments);
        for (label, name) in [("6.0.27", "MONGATE_MONGOD_6_0"), ("4.4.2", "MONGATE_MONGOD_4_4")] {
            command.env(name, wrapper(sandbox.path(), label, label, &leave));
        }
        // It fetches nothing either, and would be allowed to.
        command.env("MONGATE_OFFLINE", "0");
        commands.push(command);
    }
    assert_eq!(names(&ends(&mut commands[0], 0)), CASE);
    // What was never asked is not known to run here.
    assert_eq!(names(&ends(&mut commands[1], 0)), CASE[1..]);
    assert!(!mark.exists(), "listing started a mongod");
    assert!(!sandbox.path().join("cache").exists());
    assert!(!sandbox.target().join("mongate").exists());
}

#[test]
fn nextest_runs_one_case_with_its_reference() {
    let sandbox = Sandbox::new(&config("versions = ['6.0', '4.4']\noptional = ['7.0']"));
    sandbox.stand_ins(&["6.0.27", "4.4.2"]);
    let exact = ["--exact", CASE[0], "--nocapture"];
    let outcome = ends(&mut under_nextest(&sandbox, "a-run", &exact), 0);
    assert!(outcome.stdout.contains("1 passed; 0 failed; 0 ignored"), "{outcome:?}");
    assert!(outcome.stdout.contains("start-up, spawn to first ping, in ms"), "{outcome:?}");
    // All processes of a run share its folder.
    let folder = sandbox.results();
    assert!(folder.ends_with("a-run"), "{folder:?}");
    let folder = folder.join(CASE[0].replace("::", "-"));
    let reference = "startup::6.0::wiredTiger::disk";
    let with_reference: &[&str] = if sandbox.ram.is_some() { &[CASE[0], reference] } else { &[] };
    assert_eq!(measured(&folder), with_reference);
    sandbox.assert_clean();
}

#[test]
fn cargo_test_measures_what_its_filters_leave_in_one_session() {
    let Some(sandbox) = Sandbox::in_ram(&config("versions = ['6.0', '4.4']\noptional = []")) else {
        return;
    };
    sandbox.stand_ins(&["6.0.27", "4.4.2"]);
    for (arguments, cases) in [
        (&[][..], &CASE[..2]),
        (&["startup::4.4"], &CASE[1..2]),
        (&["--skip", "4.4"], &CASE[..1]),
        (&["--exact", CASE[1]], &CASE[1..2]),
    ] {
        let outcome = ends(&mut harness(&sandbox, arguments), 0);
        let passed = format!("{} passed; 0 failed", cases.len());
        assert!(outcome.stdout.contains(&passed), "{outcome:?}");
        let folder = sandbox.results();
        assert_eq!(measured(&folder), cases, "{arguments:?}");
        fs::remove_dir_all(folder).unwrap();
    }
    // Nothing is left, so nothing is measured.
    let outcome = ends(&mut harness(&sandbox, &["no such case"]), 0);
    assert!(outcome.stdout.contains("0 passed; 0 failed; 0 ignored"), "{outcome:?}");
    assert_eq!(fs::read_dir(sandbox.target().join("mongate")).unwrap().count(), 0);
}

#[test]
fn a_required_case_that_cannot_run_fails_and_an_optional_one_is_ignored() {
    let Some(sandbox) = Sandbox::in_ram(&config("versions = ['6.0', '4.4']\noptional = ['7.0']"))
    else {
        return;
    };
    sandbox.stand_ins(&["6.0.27"]);
    let (all, ignored) = listed(&sandbox);
    assert_eq!(
        (all.as_slice(), ignored.as_slice()),
        (&CASE.map(str::to_owned)[..], &[CASE[2].to_owned()][..])
    );

    let outcome = ends(&mut harness(&sandbox, &[]), 101);
    assert!(outcome.stdout.contains("1 passed; 1 failed; 1 ignored"), "{outcome:?}");
    assert!(outcome.stdout.contains("no mongod 4.4 on this machine"), "{outcome:?}");
    assert_eq!(measured(&sandbox.results()), [CASE[0]]);
    // Who insists on an ignored one gets its reason.
    let outcome = ends(&mut harness(&sandbox, &["--exact", CASE[2], "--ignored"]), 101);
    assert!(outcome.stdout.contains("no mongod 7.0 on this machine"), "{outcome:?}");
}

#[test]
fn an_optional_case_is_measured_where_its_mongod_is() {
    let Some(sandbox) = Sandbox::in_ram(&config("versions = ['6.0']\noptional = ['4.4']")) else {
        return;
    };
    sandbox.stand_ins(&["6.0.27", "4.4.2"]);
    assert_eq!(listed(&sandbox).1, [CASE[1]]);
    let outcome = ends(&mut harness(&sandbox, &[]), 0);
    assert!(outcome.stdout.contains("2 passed; 0 failed; 0 ignored"), "{outcome:?}");
    assert_eq!(measured(&sandbox.results()), CASE[..2]);
    // From now on it is known.
    assert_eq!(listed(&sandbox).1, [""; 0]);
}

#[test]
fn a_flag_that_nobody_knows_is_answered_as_libtest_does() {
    let sandbox = Sandbox::new("");
    for flag in ["--no-such-flag", "--report-time"] {
        let outcome = ends(&mut harness(&sandbox, &[flag]), 101);
        let name = flag.trim_start_matches('-');
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
        assert!(outcome.stderr.contains(name), "{outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn a_broken_configuration_is_one_test_that_fails_where_a_case_could_be_meant() {
    let sandbox = Sandbox::new("[mongod]\nverions = ['6.0']\n");
    let (all, ignored) = listed(&sandbox);
    assert_eq!((all, ignored), (vec!["mongate::configuration".to_owned()], Vec::new()));
    for arguments in [
        &[][..],
        &["--exact", "mongate::configuration", "--nocapture"],
        &["startup::6.0"],
        &["4.4"],
        &["a_test_of_another_crate", "wiredTiger"],
        &["--skip", "a_test_of_another_crate"],
        &["--ignored"],
    ] {
        let outcome = ends(&mut harness(&sandbox, arguments), 101);
        for word in ["mongate::configuration", "mongate.toml:2: ", "did you mean `versions`?"] {
            assert!(outcome.stdout.contains(word), "{word}: {outcome:?}");
        }
    }
    // `cargo test name` of a workspace, where the name is of another crate's test.
    for arguments in
        [&["a_test_of_another_crate"][..], &["one_test", "another_test"], &["--skip", "mongate"]]
    {
        let outcome = ends(&mut harness(&sandbox, arguments), 0);
        assert!(outcome.stdout.contains("0 passed; 0 failed"), "{outcome:?}");
    }
    let outcome = ends(harness(&Sandbox::new(""), &["--list"]).env("MONGATE_BLOCKS", "3"), 0);
    assert_eq!(names(&outcome), ["mongate::configuration"]);
}

/// The disk under the results is full; whatever is written to /dev/full fails so.
#[test]
fn a_block_that_cannot_be_kept_fails_every_case() {
    let Some(sandbox) = Sandbox::in_ram(&config("versions = ['6.0', '4.4']\noptional = []")) else {
        return;
    };
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    sandbox.stand_ins(&["6.0.27", "4.4.2"]);
    let folder = sandbox.target().join("mongate/full").join(CASE[0].replace("::", "-"));
    fs::create_dir_all(&folder).unwrap();
    symlink("/dev/full", folder.join("samples.jsonl")).unwrap();
    let outcome = ends(&mut under_nextest(&sandbox, "full", &["--exact", CASE[0]]), 101);
    assert!(outcome.stdout.contains("samples.jsonl: No space left on device"), "{outcome:?}");
    sandbox.assert_clean();
}
