//! Findings, tables and pages from made-up samples: what decides, what fits, what is never said.

use super::document;
use crate::advise::profile::diagnosis::Bound;
use crate::advise::profile::{diagnose, differences};
use crate::model::results::Results;
use crate::report::html;
use crate::report::terminal::{self, Style};
use serde_json::{Value, json};

/// A case whose ten launches took `ready` ms, of which `cpu` and `wait` are shares.
fn case(id: &str, ready: f64, open: f64, cpu: f64, wait: f64, fsync_us: f64) -> Value {
    let parts: Vec<&str> = id.split("::").collect();
    let samples = (1..=10).map(|block| {
        // Blocks differ a little, as real ones do.
        let ready = ready * (1.0 + f64::from(block) / 1000.0);
        json!({
            "block": block, "position": 1, "first_line_ms": 1.0, "listening_ms": ready - 2.0, "ready_ms": ready, "rss_mb": 1.0, "folder_mb": 1.0,
            "phases_ms": {"exec_init": ready - open - 2.0, "engine_open": open, "client_ready": 2.0},
            "parts_ms": {"wt_base": open * 0.75, "wt_recovery": open * 0.25},
            "steps_ms": {"Create storage engine": 71.0, "Startup total": 90.0},
            "cpu_ms": ready * cpu, "cpu_wait_ms": ready * wait, "written_mb": 1.5,
        })
    });
    json!({
        "id": id, "label": parts[1], "version": "6.0.27", "engine": parts[2], "topology": "standalone", "required": true, "joined": false,
        "status": "measured", "reason": null, "against": null, "samples": samples.collect::<Vec<_>>(),
        "db_path": {"kind": parts[3], "path": "/a", "file_system": "ext4", "is_ram": null, "fsync_us": fsync_us},
        "verdict": {"outcome": "measured", "rule": null, "detail": null, "fails": false},
        "summary": {"n": 10, "median_ms": ready, "ci95_ms": [ready * 0.97, ready * 1.04], "mean_ms": ready, "sd_ms": 1.0, "min_ms": ready, "p95_ms": ready},
    })
}

fn results(cases: &[Value]) -> Results {
    let results = json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 1,
        "machine": {"cpu": "Some <CPU>", "cores": 2, "memory_mb": 1024, "os": "Linux", "kernel": "6.1", "load1": 0.1},
        "session": {"blocks": 10, "voided": [], "measured_ms": 1.0, "wall_ms": 1.0, "interrupted": false},
        "startup": cases, "sentinel": null, "notices": [],
    });
    serde_json::from_value(results).unwrap()
}

const DISK: &str = "startup::6.0::wiredTiger::disk";
const RAM: &str = "startup::6.0::wiredTiger::ramdisk";
const EPHEMERAL: &str = "startup::6.0::ephemeralForTest::disk";

#[track_caller]
fn finds(cases: &[Value], bound: Bound, words: &str) {
    let results = results(cases);
    let found = diagnose(&results.startup[0], &results.startup).expect("a finding");
    assert_eq!(found.bound, bound, "{}", found.text);
    assert!(found.text.contains(words), "{}", found.text);
}

#[test]
fn the_rule_of_the_finding() {
    finds(
        &[case(DISK, 158.0, 100.0, 0.92, 0.0, 300.0)],
        Bound::Cpu,
        "CPU-bound: 92 % of the start is CPU time",
    );
    // Several threads may use more than one processor.
    finds(&[case(DISK, 158.0, 100.0, 1.3, 0.0, 300.0)], Bound::Cpu, "130 %");
    // A slow disk that a start hardly waits for.
    finds(&[case(DISK, 158.0, 100.0, 0.85, 0.0, 9000.0)], Bound::Cpu, "85 %");
    finds(&[case(DISK, 320.0, 250.0, 0.42, 0.05, 5100.0)], Bound::Disk, "syncs at 5.10 ms each");
    // A wait that fast syncs cannot explain, and one that is too short to matter.
    finds(
        &[case(DISK, 320.0, 250.0, 0.42, 0.0, 200.0)],
        Bound::Neither,
        "42 % of the start is CPU time, 58 % are other waits",
    );
    finds(&[case(DISK, 320.0, 250.0, 0.69, 0.0, 2.0)], Bound::Neither, "31 % are other waits");
    // What a busy machine withholds is no wait of the start: 45 of 50, and 20 of 50.
    finds(
        &[case(DISK, 320.0, 250.0, 0.45, 0.5, 5100.0)],
        Bound::Cpu,
        "90 % of the start is CPU time (excluding 50 % spent waiting for a CPU",
    );
    finds(
        &[case(DISK, 640.0, 250.0, 0.2, 0.5, 5100.0)],
        Bound::Disk,
        "60 % of the start is no CPU time, and 40 syncs at 5.10 ms each take 204 ms (excluding \
            50 %",
    );
    // The same start on a RAM disk, which decides also where most of the start is CPU time.
    let ram = |ready: f64| {
        [case(DISK, 200.0, 150.0, 0.75, 0.0, 10.0), case(RAM, ready, 100.0, 0.9, 0.0, 3.0)]
    };
    finds(&ram(150.0), Bound::Disk, "disk-bound: 33 % slower than on the RAM disk");
    finds(&ram(190.0), Bound::Cpu, "CPU-bound: 75 %");
}

#[test]
fn without_processor_time_there_is_no_finding() {
    let mut old = case(DISK, 158.0, 100.0, 0.92, 0.0, 300.0);
    for sample in old["samples"].as_array_mut().unwrap() {
        let sample = sample.as_object_mut().unwrap();
        for new in ["phases_ms", "parts_ms", "steps_ms", "cpu_ms", "cpu_wait_ms", "written_mb"] {
            sample.remove(new);
        }
    }
    // Results of an earlier release are read, and say nothing of phases.
    let results = results(&[old.clone(), old]);
    assert_eq!(diagnose(&results.startup[0], &results.startup), None);
    assert_eq!(differences(&results.startup), []);
    let text = render(&results, 80, false);
    assert!(text.contains(DISK) && !text.contains("whole start"), "{text}");
    assert!(html::render(&document(&results)).contains(DISK));
}

#[test]
fn the_engine_explains_a_difference() {
    let two = results(&[
        case(EPHEMERAL, 30.0, 0.0, 0.9, 0.0, 1.0),
        case(DISK, 150.0, 108.0, 0.9, 0.0, 1.0),
    ]);
    let found = differences(&two.startup);
    assert_eq!((found.len(), found[0].slower, found[0].faster), (1, 1, 0));
    // 108 of 120 ms, which the blocks' small differences shift by less than a hundredth.
    assert!((found[0].share - 0.9).abs() < 0.01, "{found:?}");
    assert!((found[0].median_ms - 120.0).abs() < 1.0, "{found:?}");
    // Another version or place is another question.
    let other = EPHEMERAL.replace("6.0", "5.0");
    let apart = results(&[
        case(DISK, 150.0, 108.0, 0.9, 0.0, 1.0),
        case(&other, 30.0, 0.0, 0.9, 0.0, 1.0),
        case(RAM, 140.0, 108.0, 0.9, 0.0, 1.0),
    ]);
    assert_eq!(differences(&apart.startup), []);
}

fn render(results: &Results, width: u16, color: bool) -> String {
    terminal::render(&document(results), Style { width, color, unicode: true })
}

fn many() -> Results {
    let mut missing = case("startup::7.0::wiredTiger::disk", 1.0, 0.5, 0.9, 0.0, 1.0);
    missing["status"] = "unavailable".into();
    missing["reason"] = "no mongod 7.0 <here>".into();
    missing["summary"] = Value::Null;
    missing["samples"] = json!([]);
    results(&[
        case(DISK, 11_313.0, 10_108.0, 0.9, 0.0, 3870.0),
        case(RAM, 158.0, 108.0, 0.9, 0.0, 4.0),
        missing,
        case(EPHEMERAL, 31.2, 0.0, 0.9, 0.0, 3870.0),
    ])
}

#[test]
fn phases_fit_80_columns_and_use_120() {
    for width in [80, 120] {
        let text = render(&many(), width, false);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{widest}:\n{text}");
        // Notes are broken anywhere.
        let flat: Vec<&str> = text.split_whitespace().collect();
        let flat = flat.join(" ");
        for word in [
            "engine_open",
            " wt_base",
            "wt_recovery",
            "11,313",
            "A median",
            "B median",
            "D median",
            "C: no mongod 7.0 <here>",
            "Create storage engine 71.0",
        ] {
            assert!(flat.contains(word), "{word}:\n{text}");
        }
        assert!(!text.contains("C median"), "{text}");
        // Two cases beside each other in 80 columns, three in 120.
        let tables = text.matches("whole start").count();
        assert_eq!(tables, if width == 80 { 2 } else { 1 }, "{text}");
        let bar =
            text.lines().filter(|line| line.contains('█')).map(|line| line.chars().count()).max();
        assert!(bar > Some(usize::from(width) * 3 / 4), "{text}");
        assert!(!text.contains('\u{1b}'), "no colour");
    }
    assert!(render(&many(), 80, true).contains("\u{1b}["));
    // Wider than any table can be.
    render(&many(), 10, false);
}

#[test]
fn the_page_shows_every_launch_and_escapes_what_it_is_told() {
    let page = html::render(&document(&many()));
    assert_eq!(page.matches("<svg").count(), 3, "of the cases that were measured");
    // Three phases in each of ten launches and in the mean, of three cases, of which one opens no
    // engine.
    assert_eq!(page.matches("<rect").count(), (3 + 3 + 2) * 11);
    assert!(
        page.contains("no mongod 7.0 &lt;here&gt;") && page.contains("Some &lt;CPU&gt;"),
        "{page}"
    );
    assert!(!page.contains("<here>"));
    assert!(page.contains("prefers-color-scheme: dark"));
}
