//! On a disk whose fsync is slow the disk decides, and the measurement shows it: by a library that
//! delays every fsync below one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, run};

/// Each sync takes so much longer: enough that no busy machine hides a few dozen of them.
const DELAY_MS: f64 = 12.0;

/// `fixtures/fsync/slow_fsync.c`, built in `folder`.
fn shim(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fsync/slow_fsync.c");
    let library = folder.join("slow_fsync.so");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]);
    let outcome = run(cc.arg(&library).arg(source));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    library
}

/// A command with 6.0.27 alone, for which the disk of this place is slow.
fn slow(sandbox: &Sandbox, mut command: Command) -> Command {
    command
        .env("XDG_CACHE_HOME", sandbox.cache(&["6.0.27"]))
        .env("LD_PRELOAD", shim(sandbox.path()))
        .env("SLOW_FSYNC_PREFIX", sandbox.path().join("tmp").canonicalize().unwrap())
        .env("SLOW_FSYNC_MS", DELAY_MS.to_string());
    command
}

/// The syncs of each mongod, from the shim's log; mongate's own are left out.
fn syncs(log: &Path) -> Vec<usize> {
    let text = fs::read_to_string(log).unwrap();
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("mongod ")) {
        *counts.entry(line).or_default() += 1;
    }
    counts.into_values().collect()
}

fn case<'a>(results: &'a Value, id: &str) -> &'a Value {
    let cases = results["startup"].as_array().unwrap();
    cases.iter().find(|case| case["id"] == id).unwrap()
}

fn median(mut values: Vec<usize>) -> f64 {
    values.sort_unstable();
    values[values.len() / 2] as f64
}

#[test]
fn a_slow_fsync_slows_the_disk_and_the_advice_is_the_ram_disk() {
    let sandbox = Sandbox::new(
        "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['6.0']\n[startup]\nengines = \
            ['wiredTiger']\ntopologies = ['replica_set']\n",
    );
    if sandbox.ram.is_none() {
        return;
    }
    let log = sandbox.path().join("syncs");
    let command = sandbox.private(&["run", "--format", "json"]);
    let outcome = run(slow(&sandbox, command).env("SLOW_FSYNC_LOG", &log));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    sandbox.assert_clean();

    let results = outcome.json();
    let disk = case(&results, "startup::6.0::wiredTiger::disk::replica_set");
    let ram = case(&results, "startup::6.0::wiredTiger::ramdisk::replica_set");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{results}"));
    let fsync_ms = |case: &Value| number(&case["db_path"]["fsync_us"]) / 1e3;
    assert!(
        fsync_ms(disk) >= DELAY_MS && fsync_ms(ram) < DELAY_MS,
        "{} {}",
        fsync_ms(disk),
        fsync_ms(ram)
    );

    // 6 blocks, 2 of warm-up, the sentinel, and the question which engines it has.
    let syncs = syncs(&log);
    assert!(syncs.len() >= 2 * 8, "{syncs:?}");
    let delays_ms = median(syncs) * DELAY_MS;
    // Some syncs overlap, but at least half of them come one after the other, in every launch.
    let fastest = number(&disk["summary"]["min_ms"]);
    assert!(fastest > delays_ms / 2.0, "{fastest} {delays_ms}");
    assert!(number(&ram["against"]["ratio"]) < 1.0, "{ram}");

    let kept = sandbox.results();
    let advise =
        |format| sandbox.run(&["advise", "--run", kept.to_str().unwrap(), "--format", format]);
    let advice = advise("json").json();
    let server = &advice["servers"][0];
    let ram = "startup::6.0::wiredTiger::ramdisk::replica_set";
    let needs = server["needs"].as_array().unwrap();
    let recommended: Vec<_> =
        needs.iter().map(|need| (&need["need"], &need["recommended"]["id"])).collect();
    assert_eq!(
        recommended,
        [(&"transactions".into(), &ram.into()), (&"production".into(), &ram.into())],
        "{advice}"
    );
    assert_eq!(server["ram_disk"]["worth_it"], serde_json::json!(["transactions", "production"]));
    let finding = server["ram_disk"]["findings"][0]["text"].as_str().unwrap();
    assert!(finding.starts_with("disk-bound: "), "{finding}");
    let text = advise("table").stdout;
    assert!(text.contains("=> worth it here for (b), (c)"), "{text}");
}
