//! A session from the command line to its results: order, blocks, references, what is kept, and who
//! waits for whom.

mod trouble;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::support::{Outcome, Sandbox, run};

/// The versions that the cache of these places has.
const VERSIONS: [&str; 2] = ["6.0.27", "4.4.2"];

fn config(startup: &str) -> String {
    format!(
        "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['6.0', \
            '4.4']\n[startup]\n{startup}\n"
    )
}

const EPHEMERAL_IN_RAM: &str = "engines = ['ephemeralForTest']\ndb_paths = ['ramdisk']";

#[track_caller]
fn success(outcome: Outcome) -> Outcome {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome
}

#[track_caller]
fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn keys(value: &Value) -> String {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let keys: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    keys.into_iter().collect::<Vec<_>>().join(" ")
}

/// A launch as the run's `samples.jsonl` has it: block, position, case, whether it is the
/// sentinel's.
type Launch = (u64, u64, String, bool);

fn launches(run: &Path) -> Vec<Launch> {
    let text = fs::read_to_string(run.join("samples.jsonl")).unwrap();
    let launch = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| line[key].as_u64().unwrap();
        let case = line["case"].as_str().unwrap().to_owned();
        (number("block"), number("position"), case, line["sentinel"].as_bool().unwrap())
    };
    text.lines().map(launch).collect()
}

/// The positions of each block's launches, in the order of the slots; checks that each block has
/// each slot once.
#[track_caller]
fn orders(launches: &[Launch], slots: &[(&str, bool)]) -> Vec<Vec<u64>> {
    let mut orders = Vec::new();
    for (number, block) in (1..).zip(launches.chunks(slots.len())) {
        let here: Vec<(&str, bool)> =
            block.iter().map(|(_, _, case, s)| (case.as_str(), *s)).collect();
        assert_eq!(here, slots, "block {number}");
        assert!(block.iter().all(|launch| launch.0 == number), "{block:?}");
        let positions: Vec<u64> = block.iter().map(|launch| launch.1).collect();
        let mut sorted = positions.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(1..=slots.len() as u64), "{positions:?}");
        orders.push(positions);
    }
    orders
}

/// The positions in six blocks of three slots under seed 7, which stay the same in every version.
const OF_SEED_7: [[u64; 3]; 6] = [[1, 3, 2], [1, 2, 3], [3, 1, 2], [1, 2, 3], [2, 1, 3], [3, 1, 2]];

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() <= 1e-6 * expected, "{value} is not {expected}");
}

/// Linear between order statistics.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = (sorted.len() - 1) as f64 * q;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[test]
fn a_session_keeps_what_it_measured_and_its_summaries_agree() {
    let sandbox = Sandbox::new(&config(
        "engines = ['ephemeralForTest']\ndb_paths = ['disk']\narguments = ['--slowms', '50']",
    ));
    let before = OffsetDateTime::now_utc();
    let mut command = sandbox.private(&["run", "6.0", "--format", "json", "--seed", "7"]);
    let outcome = success(run(command.env("XDG_CACHE_HOME", sandbox.cache(&VERSIONS))));
    let results = outcome.json();
    let folder = sandbox.results();
    assert_eq!(results, json(&folder.join("results.json")));
    sandbox.assert_clean();

    assert_eq!(
        keys(&results),
        "machine notices run_id schema seed sentinel session started startup tool transactions"
    );
    assert_eq!(results["schema"], "mongate/1");
    assert_eq!(results["run_id"], folder.file_name().unwrap().to_str().unwrap());
    assert_eq!(results["seed"], 7);
    assert_eq!(results["tool"]["name"], "mongate");
    assert_eq!(results["tool"]["version"], env!("CARGO_PKG_VERSION"));
    let started = OffsetDateTime::parse(results["started"].as_str().unwrap(), &Rfc3339).unwrap();
    assert!(before <= started && started <= OffsetDateTime::now_utc(), "{started}");
    assert_eq!(keys(&results["machine"]), "cores cpu kernel load1 memory_mb os");
    assert!(results["machine"]["cores"].as_u64() >= Some(1));
    assert!(results["machine"]["memory_mb"].as_u64() > Some(100));

    let session = &results["session"];
    assert_eq!(keys(session), "blocks interrupted measured_ms voided wall_ms");
    assert_eq!((&session["blocks"], &session["interrupted"]), (&6.into(), &false.into()));
    assert!(list(&session["voided"]).is_empty());
    assert!(session["measured_ms"].as_f64() < session["wall_ms"].as_f64(), "{session}");

    // The reference joined: nobody asked for wiredTiger.
    let (case, reference) =
        ("startup::6.0::ephemeralForTest::disk", "startup::6.0::wiredTiger::disk");
    let ids: Vec<&str> =
        list(&results["startup"]).iter().map(|c| c["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [case, reference]);
    let slots = [(case, false), (reference, false), (reference, true)];
    let launches = launches(&folder);
    assert_eq!(orders(&launches, &slots), OF_SEED_7);

    for (index, entry) in list(&results["startup"]).iter().enumerate() {
        let fields = "against at_once cache db_path engine id joined label reason required samples \
            status summary topology variant verdict version";
        assert_eq!(keys(entry), fields);
        assert_eq!((&entry["label"], &entry["version"]), (&"6.0".into(), &"6.0.27".into()));
        assert_eq!(
            (&entry["status"], &entry["topology"]),
            (&"measured".into(), &"standalone".into())
        );
        assert_eq!((&entry["required"], &entry["joined"]), (&true.into(), &(index == 1).into()));
        assert!(entry["reason"].is_null());
        let place = &entry["db_path"];
        assert_eq!(keys(place), "file_system fsync_us is_ram kind path");
        assert_eq!(place["kind"], "disk");
        let tmp = sandbox.path().join("tmp").canonicalize().unwrap();
        assert_eq!(place["path"], tmp.to_str().unwrap());
        summarised(entry);
    }
    let against = &results["startup"][0]["against"];
    assert_eq!(keys(against), "ci95 p p_holm ratio reference substitute");
    assert_eq!((&against["reference"], &against["substitute"]), (&reference.into(), &false.into()));
    let ends: Vec<f64> = list(&against["ci95"]).iter().map(|end| end.as_f64().unwrap()).collect();
    let ratio = against["ratio"].as_f64().unwrap();
    assert!(ends[0] <= ratio && ratio <= ends[1] && ratio < 1.0, "{against}");
    assert!((0.0..=1.0).contains(&against["p"].as_f64().unwrap()));
    assert!(results["startup"][1]["against"].is_null());

    let sentinel = &results["sentinel"];
    assert_eq!(keys(sentinel), "case ci95 invalid p ratio samples");
    assert_eq!(sentinel["case"], reference);
    assert_eq!(list(&sentinel["samples"]).len(), 6);
    // A second measurement, no copy of the first.
    assert_ne!(sentinel["samples"], results["startup"][1]["samples"]);
}

/// The samples of a case are complete and make sense, and its summary is theirs.
fn summarised(case: &Value) {
    let mut ready = Vec::new();
    for (block, sample) in (1..).zip(list(&case["samples"])) {
        let mut sample = sample.clone();
        for optional in ["parts_ms", "steps_ms"] {
            sample.as_object_mut().unwrap().remove(optional);
        }
        assert_eq!(
            keys(&sample),
            "block cpu_ms cpu_wait_ms first_line_ms folder_mb listening_ms phases_ms position \
                ready_ms rss_mb spawned_unix_ms written_mb"
        );
        let phases = sample["phases_ms"].as_object().unwrap().values();
        let sum: f64 = phases.map(|ms| ms.as_f64().unwrap()).sum();
        assert_eq!(sample["block"], block);
        let number = |key: &str| sample[key].as_f64().unwrap();
        let (first, listening, last) =
            (number("first_line_ms"), number("listening_ms"), number("ready_ms"));
        assert!(0.0 < first && first <= listening && listening <= last, "{sample}");
        assert!(number("rss_mb") > 10.0 && number("folder_mb") > 0.0, "{sample}");
        assert!((sum - last).abs() < 1e-6, "{sample}");
        ready.push(last);
    }
    assert_eq!(ready.len(), 6);
    let mean = ready.iter().sum::<f64>() / 6.0;
    let variance = ready.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0;
    ready.sort_by(f64::total_cmp);
    let summary = &case["summary"];
    assert_eq!(keys(summary), "ci95_ms mean_ms median_ms min_ms n p95_ms sd_ms");
    assert_eq!(summary["n"], 6);
    near(&summary["median_ms"], (ready[2] + ready[3]) / 2.0);
    near(&summary["p95_ms"], quantile(&ready, 0.95));
    near(&summary["min_ms"], ready[0]);
    near(&summary["mean_ms"], mean);
    near(&summary["sd_ms"], variance.sqrt());
    // At six values the interval of the median is all of them.
    near(&summary["ci95_ms"][0], ready[0]);
    near(&summary["ci95_ms"][1], ready[5]);
}

/// Without a disk there is no reference: the first case takes its place.
#[test]
fn a_seed_repeats_its_order_and_a_substitute_is_owned_up_to() {
    let Some(sandbox) = Sandbox::in_ram(&config(EPHEMERAL_IN_RAM)) else {
        return;
    };
    let cache = sandbox.stand_ins(&VERSIONS);
    let (first, second) =
        ("startup::6.0::ephemeralForTest::ramdisk", "startup::4.4::ephemeralForTest::ramdisk");
    let slots = [(first, false), (second, false), (first, true)];
    let measure = |seed: &str, by_flag: bool| {
        let mut command = sandbox.private(&["run"]);
        command.env("XDG_CACHE_HOME", &cache);
        if by_flag {
            // The flag goes before the variable.
            command.env("MONGATE_SEED", "99").args(["--seed", seed]);
        } else {
            command.env("MONGATE_SEED", seed);
        }
        let outcome = success(run(&mut command));
        let folder = sandbox.results();
        let order = orders(&launches(&folder), &slots);
        let results = json(&folder.join("results.json"));
        fs::remove_dir_all(folder).unwrap();
        (order, results, outcome.stdout)
    };
    let (order, results, table) = measure("7", true);
    assert_eq!(order, OF_SEED_7);
    assert_eq!(measure("7", false).0, order);
    assert_ne!(measure("8", true).0, order);

    assert!(
        table.contains(&format!("ratio: to {first}, since the usual reference cannot run here")),
        "{table}"
    );
    assert!(table.contains("seed 7"), "{table}");
    let cases = list(&results["startup"]);
    assert_eq!(cases.len(), 4);
    assert!(cases[0]["against"].is_null());
    assert_eq!(cases[1]["against"]["reference"], first);
    assert_eq!(cases[1]["against"]["substitute"], true);
    for reference in &cases[2..] {
        assert_eq!(
            (&reference["joined"], &reference["status"]),
            (&true.into(), &"unavailable".into())
        );
        assert!(reference["reason"].as_str().unwrap().contains("RAM"), "{reference}");
        assert!(list(&reference["samples"]).is_empty() && reference["summary"].is_null());
    }
    assert_eq!(results["sentinel"]["case"], first);
}
