//! Whatever ends mongate, its mongods end, and their folders go: at once, or with the next run.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::support::{
    Background, Outcome, Sandbox, data_folders, processes_naming, run, script, signal, wait_for,
};

/// More blocks than any of these tests lets pass. The reference joins: three launches a block.
const CONFIG: &str = r#"
[mongod]
versions = ["6.0"]
optional = []
sources = ["path", "cache"]
[startup]
engines = ["ephemeralForTest"]
db_paths = ["disk"]
[session]
blocks = 1000
"#;

const LAUNCHES_A_BLOCK: usize = 3;

/// A sandbox, and how to call mongate in it; the probes are its own, too.
struct Place {
    sandbox: Sandbox,
}

impl Place {
    fn new() -> Self {
        Self::with(CONFIG)
    }

    fn with(config: &str) -> Self {
        let sandbox = Sandbox::new(config);
        sandbox.stand_ins(&["6.0.27"]);
        Self { sandbox }
    }

    /// With a real mongod.
    fn real() -> Self {
        let sandbox = Sandbox::new(CONFIG);
        sandbox.cache(&["6.0.27"]);
        Self { sandbox }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env("XDG_CACHE_HOME", self.sandbox.path().join("cache"));
        command
    }

    /// A process group of its own, as a shell makes one for each command.
    fn run(&self) -> Background {
        Background::spawn(self.command(&["run"]).process_group(0))
    }

    /// `mongate list`, which prepares the cases as every run does.
    #[track_caller]
    fn run_next(&self) {
        let outcome = run(&mut self.command(&["list"]));
        assert_eq!((outcome.code, said(&outcome).as_str()), (Some(0), ""));
    }

    fn base(&self) -> PathBuf {
        self.sandbox.path().join("tmp")
    }

    /// A run of four servers at once, some of which are there.
    fn several() -> (Self, Background) {
        let place = Self::with(&CONFIG.replace("[session]", "concurrent = [4]\n[session]"));
        let run = place.run();
        wait_for("two mongods", || place.mongods().filter(|pids| pids.len() > 1));
        (place, run)
    }

    fn mongods(&self) -> Option<Vec<u32>> {
        Some(processes_naming(&self.base())).filter(|pids| !pids.is_empty())
    }

    /// The launches that are kept in the run's folder, once there are some.
    fn samples(&self) -> Option<Vec<Value>> {
        let run = fs::read_dir(self.sandbox.target().join("mongate")).ok()?.next()?;
        let text = fs::read_to_string(run.ok()?.path().join("samples.jsonl")).ok()?;
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Some(lines).filter(|lines| !lines.is_empty())
    }

    /// A run that has measured some blocks, and a mongod is up.
    fn measuring(&self) -> Background {
        let run = self.run();
        wait_for("a block", || self.samples());
        wait_for("a mongod", || self.mongods());
        run
    }
}

/// What it said, apart from its wait for a session of another test.
fn said(outcome: &Outcome) -> String {
    let lines = outcome.stderr.split_inclusive('\n');
    lines.filter(|line| !line.contains("waiting: another mongate")).collect()
}

/// As a terminal does it: to mongate and to its mongods, which must not pass for a failed launch.
fn interrupt_group(run: &Background) {
    kill_process_group(Pid::from_child(&run.0), Signal::INT).unwrap();
}

#[test]
fn a_signal_keeps_what_was_measured_and_leaves_nothing() {
    let signals: [fn(&Background); 3] = [
        interrupt_group,
        |run| signal(run.0.id(), Signal::TERM),
        |run| signal(run.0.id(), Signal::HUP),
    ];
    for (send, place) in signals.into_iter().zip([Place::real(), Place::new(), Place::new()]) {
        let run = place.measuring();
        send(&run);
        let outcome = run.end();
        place.sandbox.assert_clean();
        assert_eq!(outcome.code, Some(130), "{outcome:?}");
        assert_eq!(said(&outcome), "");

        let file = place.sandbox.results().join("results.json");
        let results: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let session = &results["session"];
        assert_eq!(session["interrupted"], true);
        let blocks = session["blocks"].as_u64().unwrap() as usize;
        assert!(blocks > 0);
        assert_eq!(place.samples().unwrap().len(), blocks * LAUNCHES_A_BLOCK);
        for case in results["startup"].as_array().unwrap() {
            assert_eq!(case["samples"].as_array().unwrap().len(), blocks, "{case}");
        }
        let table = &outcome.stdout;
        for part in [&format!("interrupted after {blocks} blocks"), "ephemeralForTest"] {
            assert!(table.contains(part), "no {part:?} in:\n{table}");
        }
    }
}

#[test]
fn a_signal_before_the_first_launch_leaves_nothing() {
    let place = Place::real();
    let run = place.run();
    // To find out which engines it has.
    wait_for("a mongod", || place.mongods());
    interrupt_group(&run);
    let outcome = run.end();
    place.sandbox.assert_clean();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert_eq!(said(&outcome), "mongate: interrupted\n");
    assert!(!place.sandbox.target().join("mongate").exists());
}

/// A mongod that is killed need not get ready, or run into its timeout of 60 s, first.
#[test]
fn a_signal_ends_a_mongod_that_hangs() {
    let place = Place::new();
    let hangs =
        "#!/bin/sh\n[ \"$*\" = --version ] && exec echo 'db version v6.0.24'\nkill -STOP $$\n";
    let hangs = script(place.sandbox.path(), "hangs", hangs);
    let run = Background::spawn(place.command(&["run"]).env("MONGATE_MONGOD_6_0", hangs));
    wait_for("a mongod", || place.mongods());
    let sent = Instant::now();
    signal(run.0.id(), Signal::TERM);
    let outcome = run.end();
    place.sandbox.assert_clean();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert!(sent.elapsed() < Duration::from_secs(50), "only after its timeout");
}

#[test]
fn a_signal_ends_all_that_start_together() {
    let (place, run) = Place::several();
    interrupt_group(&run);
    let outcome = run.end();
    place.sandbox.assert_clean();
    assert_eq!((outcome.code, said(&outcome).as_str()), (Some(130), ""));
}

#[test]
fn a_killed_mongate_takes_all_that_start_together_along() {
    let (place, mut run) = Place::several();
    run.0.kill().unwrap();
    run.0.wait().unwrap();
    wait_for("the end of its mongods", || place.mongods().is_none().then_some(()));
    place.run_next();
    place.sandbox.assert_clean();
}

#[test]
fn a_signal_ends_the_wait_for_another_session() {
    let place = Place::new();
    let lock = File::create(place.sandbox.lock()).unwrap();
    lock.lock().unwrap();
    let mut run = place.run();
    run.says("waiting: another mongate measures on this machine");
    interrupt_group(&run);
    let outcome = run.end();
    drop(lock);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert_eq!(said(&outcome), "mongate: interrupted\n");
    assert!(!place.sandbox.target().join("mongate").exists());
}

#[test]
fn a_second_signal_ends_it_at_once_and_the_next_run_cleans_up() {
    let place = Place::new();
    let run = place.measuring();
    signal(run.0.id(), Signal::INT);
    signal(run.0.id(), Signal::TERM);
    let outcome = run.end();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    wait_for("the end of its mongod", || place.mongods().is_none().then_some(()));
    place.run_next();
    place.sandbox.assert_clean();
}

#[test]
fn a_killed_mongate_takes_its_mongods_along_and_the_next_run_its_folders() {
    let place = Place::real();
    let mut run = place.measuring();
    // Stopped, so that the mongod that is seen is still there when the kill comes.
    wait_for("a mongod of a stopped mongate", || {
        signal(run.0.id(), Signal::STOP);
        let seen = place.mongods();
        if seen.is_none() {
            signal(run.0.id(), Signal::CONT);
        }
        seen
    });
    let before = place.samples().unwrap();
    run.0.kill().unwrap();
    run.0.wait().unwrap();
    wait_for("the end of its mongods", || place.mongods().is_none().then_some(()));
    let left = data_folders(&place.base());
    assert_eq!(left.len(), 1);
    assert_eq!(place.samples().unwrap(), before);

    // Another one lives, and so does its mongod.
    let next = place.run();
    wait_for("a mongod of another mongate that is stopped", || {
        signal(next.0.id(), Signal::STOP);
        let seen = place.mongods();
        if seen.is_none() {
            signal(next.0.id(), Signal::CONT);
        }
        seen
    });
    let (mongods, folders) = (place.mongods(), data_folders(&place.base()));
    assert!(!folders.contains(&left[0]), "{folders:?}");
    place.run_next();
    assert_eq!((place.mongods(), data_folders(&place.base())), (mongods, folders));
}
