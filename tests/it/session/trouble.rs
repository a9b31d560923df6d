//! What a session does when a launch fails, when it is killed, and when another one is there.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{EPHEMERAL_IN_RAM, config, json, launches, list, orders, success};
use crate::support::{Background, Sandbox, processes_naming, run, signal, stand_in, wait_for};

/// One case in RAM, whose mongod runs a line of a shell before each start; `$starts` is how many
/// there were, this one included. The first is that in which it is asked for its engine, then come
/// two blocks of warm-up; a block is the case and its sentinel.
fn with_a_flaky_mongod(line: &str) -> Option<Sandbox> {
    let sandbox = Sandbox::in_ram(&config(EPHEMERAL_IN_RAM).replace(", '4.4'", ""))?;
    let count = sandbox.path().join("starts");
    let count = count.display();
    let first = format!(
        "# Stands for a mongod that sometimes fails to start, which no real one does at will.\n\
         case \"$*\" in *--dbpath*)\n echo >> '{count}'; starts=$(wc -l < '{count}')\n {line} \
         ;;\nesac"
    );
    let path = stand_in(sandbox.path(), "mongod", "6.0.27", &first);
    let paths = format!("[mongod.path]\n'6.0' = '{}'\n", path.display());
    let file = sandbox.path().join(".config/mongate.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(file, text + &paths).unwrap();
    Some(sandbox)
}

const CASE: &str = "startup::6.0::ephemeralForTest::ramdisk";

#[test]
fn a_launch_that_fails_voids_its_block_which_is_measured_again() {
    // In the warm-up, in block 1 and in block 3; never twice running, since a whole block lies
    // between them.
    let line = "case $starts in 2|7|12) echo out of luck; exit 1;; esac";
    let Some(sandbox) = with_a_flaky_mongod(line) else {
        return;
    };
    let outcome = success(run(&mut sandbox.private(&["run"])));
    let folder = sandbox.results();
    let results = json(&folder.join("results.json"));
    let voided = list(&results["session"]["voided"]);
    let blocks: Vec<&Value> = voided.iter().map(|void| &void["block"]).collect();
    assert_eq!(blocks, [0, 1, 3]);
    for void in voided {
        assert_eq!(void["case"], CASE);
        assert!(void["reason"].as_str().unwrap().contains("out of luck"), "{void}");
        let block = &void["block"];
        let said = format!("block {block} is void, {CASE} failed: ");
        assert!(outcome.stderr.contains(&said), "{}", outcome.stderr);
        let note = format!("void: block {block}, {CASE} failed; measured again");
        assert!(outcome.stdout.contains(&note), "{}", outcome.stdout);
    }
    assert_eq!(results["session"]["blocks"], 6);
    assert_eq!(orders(&launches(&folder), &[(CASE, false), (CASE, true)]).len(), 6);
    assert_eq!(results["startup"][0]["summary"]["n"], 6);
    sandbox.assert_clean();
}

#[test]
fn a_case_that_fails_twice_running_becomes_unavailable() {
    let line = "[ $starts -lt 10 ] || { echo out of luck; exit 1; }";
    let Some(sandbox) = with_a_flaky_mongod(line) else {
        return;
    };
    let outcome = run(&mut sandbox.private(&["run", "--format", "json"]));
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    let results = outcome.json();
    let case = &results["startup"][0];
    assert_eq!(case["status"], "unavailable");
    assert!(case["reason"].as_str().unwrap().contains("out of luck"), "{case}");
    // What was measured until then is kept: two blocks.
    assert_eq!(results["session"]["blocks"], 2);
    assert_eq!(list(&case["samples"]).len(), 2);
    assert_eq!(list(&results["session"]["voided"]).len(), 2);
    sandbox.assert_clean();
}

/// Starts a session that would take minutes, and waits until some of it is kept.
fn endless(sandbox: &Sandbox) -> Background {
    sandbox.stand_ins(&["6.0.27"]);
    let session = Background::spawn(
        &mut sandbox.private(&["run", "6.0", "--blocks", "5000", "--format", "json"]),
    );
    let kept = || fs::read_dir(sandbox.target().join("mongate")).ok()?.next()?.ok();
    let folder = wait_for("a run", kept).path();
    wait_for("a block", || fs::metadata(folder.join("samples.jsonl")).ok().filter(|m| m.len() > 0));
    session
}

#[test]
fn every_block_is_kept_as_soon_as_it_is_complete() {
    let Some(sandbox) = Sandbox::in_ram(&config(EPHEMERAL_IN_RAM)) else {
        return;
    };
    let session = endless(&sandbox);
    let folder = sandbox.results();
    let slots = [(CASE, false), (CASE, true)];
    let grown = |than: usize| {
        wait_for("another block", || {
            let size = || fs::metadata(folder.join("samples.jsonl")).unwrap().len();
            let before = size();
            let launches = launches(&folder);
            thread::sleep(Duration::from_millis(5));
            if size() != before {
                // It may have been read while a block was written.
                return None;
            }
            // Whole blocks only.
            assert_eq!(launches.len() % slots.len(), 0);
            Some(orders(&launches, &slots).len()).filter(|&blocks| blocks > than)
        })
    };
    let blocks = grown(grown(grown(0)));
    assert!(!folder.join("results.json").exists());
    // Killed without a chance to write anything.
    drop(session);
    assert!(orders(&launches(&folder), &slots).len() >= blocks);
    let base = &sandbox.bases()[0];
    wait_for("the end of its mongod", || processes_naming(base).is_empty().then_some(()));
}

#[test]
fn two_sessions_at_once_wait_for_each_other() {
    let places =
        [(); 2].map(|()| Sandbox::in_ram(&config(EPHEMERAL_IN_RAM).replace(", '4.4'", "")));
    let [Some(one), Some(two)] = places else {
        return;
    };
    let first = endless(&one);
    two.stand_ins(&["6.0.27"]);
    let mut second = two.private(&["run", "--format", "json"]);
    let mut second = Background::spawn(second.env("MONGATE_LOCK", one.lock()));
    second.says("waiting: another mongate measures on this machine");
    assert!(!two.target().join("mongate").exists());
    signal(first.0.id(), Signal::INT);
    let (first, second) = (first.end(), success(second.end()));
    assert_eq!(first.code, Some(130), "{first:?}");

    let spans: BTreeMap<&str, (f64, f64)> = [("first", &first), ("second", &second)]
        .map(|(name, outcome)| {
            let results = outcome.json();
            let started =
                OffsetDateTime::parse(results["started"].as_str().unwrap(), &Rfc3339).unwrap();
            let started = (started.unix_timestamp_nanos() / 1_000_000) as f64;
            (name, (started, started + results["session"]["wall_ms"].as_f64().unwrap()))
        })
        .into();
    assert!(spans["first"].1 <= spans["second"].0, "they overlap: {spans:?}");
}
