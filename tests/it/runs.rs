//! Saved runs as `mongate report` finds, joins and prints them. The results are made here: what is
//! tested is what becomes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::{Outcome, Sandbox};

/// A start-up with ten launches of about `median` ms.
pub fn case(id: &str, median: f64, ratio: Option<f64>, joined: bool) -> Value {
    let names: Vec<&str> = id.split("::").collect();
    let reference = format!("startup::{}::wiredTiger::disk", names[1]);
    let against = ratio.map(|ratio| {
        json!({
            "reference": reference, "substitute": false, "ratio": ratio,
            "ci95": [ratio * 0.9, ratio * 1.1], "p": 0.002, "p_holm": 0.002,
        })
    });
    json!({
        "id": id, "label": names[1], "version": format!("{}.1", names[1]), "engine": names[2], "topology": "standalone",
        "db_path": {"kind": names[3], "path": "/data", "file_system": "ext4", "is_ram": false, "fsync_us": 100.0},
        "required": true, "joined": joined, "status": "measured", "reason": null, "samples": [],
        "summary": {"n": 10, "median_ms": median, "ci95_ms": [median * 0.9, median * 1.1], "mean_ms": median,
                    "sd_ms": 1.0, "min_ms": median * 0.8, "p95_ms": median * 1.2},
        "against": against,
        "verdict": {"outcome": "measured", "rule": null, "detail": null, "fails": false},
    })
}

pub fn session(run_id: &str, second: u32, cpu: &str, cases: &[Value]) -> Value {
    json!({
        "schema": "mongate/1", "run_id": run_id, "started": format!("2026-12-01T00:00:{second:02}Z"),
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 1,
        "machine": {"cpu": cpu, "cores": 2, "memory_mb": 1024, "os": "an OS", "kernel": "6.1.0", "load1": f64::from(second)},
        "session": {"blocks": 10, "voided": [], "measured_ms": 100.0, "wall_ms": 200.0, "interrupted": false},
        "startup": cases, "transactions": [],
        "sentinel": {"case": "startup::6.0::wiredTiger::disk", "ratio": 1.0 + f64::from(second) / 100.0, "ci95": [0.9, 1.2],
                     "invalid": false, "samples": []},
        "notices": ["a notice"],
    })
}

const REFERENCE: &str = "startup::6.0::wiredTiger::disk";

/// What three machines' shards of one matrix leave: each case with the reference that joined it.
fn shards(cpus: [&str; 3]) -> [Value; 3] {
    let shard = |number: u32, cpu: &str, slow: f64, id: &str, ratio: f64| {
        let cases = [
            case(id, 150.0 * slow * ratio, Some(ratio), false),
            case(REFERENCE, 150.0 * slow, None, true),
        ];
        session(&format!("run-{number}/gate/{number}"), number, cpu, &cases)
    };
    [
        shard(1, cpus[0], 1.0, "startup::6.0::ephemeralForTest::disk", 0.2),
        shard(2, cpus[1], 2.0, "startup::6.0::ephemeralForTest::ramdisk", 0.25),
        shard(3, cpus[2], 1.0, "startup::6.0::wiredTiger::ramdisk", 0.9),
    ]
}

fn keep(sandbox: &Sandbox, place: &str, results: &Value) -> PathBuf {
    let file = sandbox.path().join(place);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, results.to_string()).unwrap();
    file
}

#[track_caller]
fn report(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Outcome {
    let outcome = sandbox.run(&[&["report"], arguments].concat());
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

fn rows(outcome: &Outcome) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_row = |line: &String| {
        ["wiredTiger", "ephemeralForTest"].iter().any(|engine| line.starts_with(engine))
    };
    outcome.stdout.lines().map(words).filter(is_row).collect()
}

#[test]
fn shards_of_different_machines_keep_their_ratios_and_show_whose_times_they_are() {
    let sandbox = Sandbox::new("");
    for (name, shard) in ["a", "b", "c"].iter().zip(shards(["one", "another", "one"])) {
        keep(&sandbox, &format!("{name}/results.json"), &shard);
    }
    let outcome = report(&sandbox, &["a", "b", "c"], 0);
    let expected = [
        "wiredTiger A disk ext4 10 150 135-165 120 180 ref",
        "wiredTiger B disk ext4 10 300 270-330 240 360 ref",
        "ephemeralForTest A disk ext4 10 30.0 27.0-33.0 24.0 36.0 0.20 0.18-0.22",
        "ephemeralForTest B ramdisk ext4 10 75.0 67.5-82.5 60.0 90.0 0.25 0.23-0.28",
        "wiredTiger A ramdisk ext4 10 135 122-148 108 162 0.90 0.81-0.99",
    ];
    assert_eq!(rows(&outcome), expected, "{outcome:?}");
    for words in [
        "the machines differ: compare ratios, not times",
        "A: one, 2 cores",
        "B: another, 2 cores",
        "3 sessions. ",
        "sentinels: references against themselves 1.01-1.03",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome:?}");
    }
    assert_eq!(outcome.stdout.matches("a notice").count(), 1, "{outcome:?}");
    // The folder that holds them means the same, and what was merged can be merged again.
    let json = report(&sandbox, &[".", "--format", "json"], 0);
    let merged = keep(&sandbox, "merged.json", &json.json());
    let again = report(&sandbox, &[merged.to_str().unwrap(), "a", "--format", "json"], 0);
    assert_eq!(again.json(), json.json());
}

#[test]
fn shards_of_one_machine_are_one_table_with_one_reference() {
    let sandbox = Sandbox::new("");
    for (name, shard) in ["a", "b", "c"].iter().zip(shards(["one"; 3])) {
        keep(&sandbox, &format!("{name}/results.json"), &shard);
    }
    let outcome = report(&sandbox, &["a", "b", "c"], 0);
    let names: Vec<String> =
        rows(&outcome).iter().map(|row| row.split(" ext4").next().unwrap().to_owned()).collect();
    let expected = [
        "wiredTiger disk",
        "ephemeralForTest disk",
        "ephemeralForTest ramdisk",
        "wiredTiger ramdisk",
    ];
    assert_eq!(names, expected, "{outcome:?}");
    assert!(outcome.stdout.contains("machine: one, 2 cores"), "{outcome:?}");
    assert!(outcome.stdout.contains("run: run-1, run-2, run-3"), "{outcome:?}");
}

#[test]
fn one_case_in_two_test_binaries_is_two_rows() {
    let sandbox = Sandbox::new("");
    for (second, binary) in [(1, "gate"), (2, "gate-b")] {
        let cases = [case(REFERENCE, 150.0, None, false)];
        let results = session(&format!("run/{binary}/case"), second, "one", &cases);
        keep(&sandbox, &format!("run/{binary}/results.json"), &results);
    }
    let outcome = report(&sandbox, &["run"], 0);
    let rows = rows(&outcome);
    assert_eq!(rows.len(), 2, "{outcome:?}");
    // Although the one's name begins as the other's.
    assert!(rows[0].contains("wiredTiger A") && rows[1].contains("wiredTiger B"), "{outcome:?}");
    for words in ["A: run/gate, one", "B: run/gate-b, one"] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome:?}");
    }
}

#[test]
fn of_several_attempts_the_last_counts() {
    let sandbox = Sandbox::new("");
    for (second, attempt, median) in [(9, "@2", 222.0), (1, "", 111.0)] {
        let cases = [case(REFERENCE, median, None, false)];
        let results = session(&format!("run/gate/case{attempt}"), second, "one", &cases);
        keep(&sandbox, &format!("run/gate/case{attempt}/results.json"), &results);
    }
    let outcome = report(&sandbox, &["run"], 0);
    assert_eq!(rows(&outcome).len(), 1, "{outcome:?}");
    assert!(rows(&outcome)[0].contains(" 222 "), "{outcome:?}");
}

#[test]
fn the_last_run_is_the_one_that_nobody_names() {
    let sandbox = Sandbox::new("");
    let none = report(&sandbox, &[], 2);
    assert!(none.stderr.contains("there is no run in "), "{none:?}");
    let runs = sandbox.target().strip_prefix(sandbox.path()).unwrap().join("mongate");
    let run = |id: &str, median: f64| {
        let results = session(id, 1, "one", &[case(REFERENCE, median, None, false)]);
        let file = runs.join(id).join("results.json");
        keep(&sandbox, file.to_str().unwrap(), &results)
    };
    let earlier = run("20261201T000002Z-7", 111.0);
    run("20261201T000001Z-7", 222.0);
    // Two that are written at once may bear the same time.
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let earlier = fs::File::options().append(true).open(earlier).unwrap();
    earlier.set_modified(an_hour_ago).unwrap();
    // A run that never got so far is none.
    fs::create_dir_all(sandbox.path().join(&runs).join("20261201T000003Z-7")).unwrap();
    let last = report(&sandbox, &[], 0);
    assert!(
        rows(&last)[0].contains(" 222 "),
        "the last written counts, and not its name: {last:?}"
    );
    let begun = report(&sandbox, &["20261201T000002"], 0);
    assert!(rows(&begun)[0].contains(" 111 "), "{begun:?}");
    for (name, words) in [
        ("2026", "several runs begin with \"2026\""),
        ("x", "no file, folder or run is called \"x\""),
    ] {
        let outcome = report(&sandbox, &[name], 2);
        assert!(outcome.stderr.contains(words), "{outcome:?}");
        assert!(outcome.stderr.contains("20261201T000002Z-7"), "{outcome:?}");
    }
    let empty = report(&sandbox, &["20261201T000003Z-7"], 2);
    assert!(empty.stderr.contains("there is no results.json in "), "{empty:?}");
}

#[test]
fn what_is_no_result_is_refused() {
    let sandbox = Sandbox::new("");
    let good = session("run", 1, "one", &[case(REFERENCE, 150.0, None, false)]);
    keep(&sandbox, "good.json", &good);
    let text = good.to_string();
    let future = text.replace("mongate/1", "mongate/2");
    for (name, text, words) in [
        (
            "future.json",
            future.as_str(),
            "has schema \"mongate/2\", and this mongate reads \"mongate/1\"",
        ),
        ("cut.json", &text[..text.len() / 2], "holds no results of mongate: EOF"),
        ("other.json", "{\"a\": 1}", "missing field `schema`"),
        ("empty.json", "", "holds no results of mongate"),
        ("half.json", "{\"schema\": \"mongate/1\"}", "missing field `run_id`"),
    ] {
        fs::write(sandbox.path().join(name), text).unwrap();
        let outcome = report(&sandbox, &["good.json", name], 2);
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
        assert!(outcome.stderr.contains(name), "{outcome:?}");
        assert_eq!(outcome.stdout, "", "nothing is half printed");
    }
    let format =
        sandbox.command(&["report", "good.json"]).env("MONGATE_FORMAT", "xml").output().unwrap();
    assert_eq!(format.status.code(), Some(2));
    let said = String::from_utf8(format.stderr).unwrap();
    assert!(said.contains("MONGATE_FORMAT: \"xml\" is not a valid format"), "{said}");
}

fn converted(sandbox: &Sandbox, format: &str, file: &Path) -> String {
    report(sandbox, &[file.to_str().unwrap(), "--format", format], 0).stdout
}

#[test]
fn csv_is_one_line_a_case_whatever_its_reason_says() {
    let sandbox = Sandbox::new("");
    let mut lost = case("startup::7.0::wiredTiger::disk", 1.0, None, false);
    lost["status"] = json!("unavailable");
    lost["summary"] = Value::Null;
    lost["reason"] = json!("no \"mongod\",\n  help: <fetch> it | or not");
    let cases = [
        case(REFERENCE, 150.0, None, false),
        case("startup::6.0::ephemeralForTest::disk", 30.0, Some(0.2), false),
        lost,
    ];
    let file = keep(&sandbox, "r.json", &session("run", 1, "a, b", &cases));
    let text = converted(&sandbox, "csv", &file);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let titles = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, title: &str| {
        let column = titles.iter().position(|t| t == title).unwrap();
        rows[row][column].to_owned()
    };
    assert_eq!(rows.len(), 3);
    assert_eq!((cell(0, "median"), cell(0, "ratio")), ("150.0".to_owned(), String::new()));
    assert_eq!(
        (cell(1, "against"), cell(1, "ratio_low")),
        (REFERENCE.to_owned(), "0.18000000000000002".to_owned())
    );
    assert_eq!((cell(2, "median"), cell(2, "cpu")), (String::new(), "a, b".to_owned()));
    assert_eq!(cell(2, "reason"), "no \"mongod\",\n  help: <fetch> it | or not");

    let markdown = converted(&sandbox, "markdown", &file);
    let table: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(table.len(), 6, "{markdown}");
    assert!(table.iter().all(|row| row.matches('|').count() == 10), "{markdown}");
    assert!(
        table[4].starts_with("| ephemeralForTest | disk")
            && table[4].contains(" | 10 | 30.0 | 27.0-33.0 |")
            && table[4].contains(" | 0.20 | 0.18-0.22 |"),
        "{markdown}"
    );
    assert!(markdown.contains("no \"mongod\",<br>help: &lt;fetch&gt; it \\| or not"), "{markdown}");
}
