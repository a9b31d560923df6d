//! The table at its widest, and what is said below it.

use serde_json::{Value, json};

use crate::model::results::Results;
use crate::report::tables;
use crate::report::terminal::{self, Style};

fn render(results: &Results, width: u16) -> String {
    terminal::render(&tables::document(results), Style { width, color: false, unicode: true })
}

/// The widest figures that there are: seconds, and the longest names.
fn wide() -> Results {
    let case = |engine: &str, kind: &str, system: &str, against: Value| {
        json!({
            "id": format!("startup::6.0::{engine}::{kind}"), "label": "6.0", "version": "6.0.27", "engine": engine,
            "topology": "standalone", "required": true, "joined": false, "status": "measured", "reason": null,
            "db_path": {"kind": kind, "path": "/a", "file_system": system, "is_ram": null, "fsync_us": 3870.0},
            "samples": [], "against": against,
            "verdict": {"outcome": "measured", "rule": null, "detail": null, "fails": false},
            "summary": {"n": 50, "median_ms": 11313.0, "ci95_ms": [11151.0, 11463.0], "mean_ms": 1.0, "sd_ms": 1.0,
                "min_ms": 11042.0, "p95_ms": 11871.0},
        })
    };
    let against = json!({"reference": "startup::6.0::wiredTiger::disk", "substitute": false, "ratio": 12.22,
        "ci95": [10.19, 12.26], "p": 0.01, "p_holm": 0.06});
    let mut missing = case("inMemory", "ramdisk", "tmpfs", Value::Null);
    missing["status"] = "unavailable".into();
    missing["reason"] =
        "mongod 6.0.27: Cannot start server with an unknown storage engine: inMemory".into();
    let results = json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 4_294_967_295_u32,
        "machine": {"cpu": "13th Gen Intel(R) Core(TM) i9-13900HX", "cores": 32, "memory_mb": 65_536,
            "os": "Linux (Ubuntu 24.04)", "kernel": "6.18.44-lowlatency", "load1": 12.34},
        "session": {"blocks": 50, "voided": [], "measured_ms": 1.0, "wall_ms": 1.0, "interrupted": false},
        "startup": [
            case("wiredTiger", "disk", "overlay", Value::Null),
            case("ephemeralForTest", "ramdisk", "tmpfs", against),
            missing,
        ],
        "sentinel": null, "notices": [],
    });
    serde_json::from_value(results).unwrap()
}

#[test]
fn a_table_fits_80_columns_and_uses_120() {
    let results = wide();
    let draw = |width| render(&results, width);
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    for width in [80, 90, 100, 120, 200] {
        let text = draw(width);
        assert!(widest(&text) <= usize::from(width), "{width}:\n{text}");
        // What a reader came for is always there.
        for word in ["11,313", "11,151-11,463", "12.2", "10.2-12.3", "ref", "unavailable [1]"] {
            assert!(text.contains(word), "{word}:\n{text}");
        }
    }
    assert!(draw(120).contains("11,871"), "p95 has room:\n{}", draw(120));
    assert!(draw(120).contains("11,042"), "the minimum has room:\n{}", draw(120));
    assert!(widest(&draw(120)) > 100, "{}", draw(120));
}

#[test]
fn the_note_says_by_which_test_a_row_is_alike() {
    let mut results = wide();
    let says = |results: &Results| {
        let text = render(results, 200);
        let line = text.lines().find(|line| line.starts_with('~')).unwrap_or_default();
        (text.matches('~').count(), line.to_owned())
    };
    let alike = |p_holm: Option<f64>| {
        let mut against = wide().startup[1].against.clone().unwrap();
        (against.p_holm, against.ratio.ci95) = (p_holm, Some([0.9, 1.1]));
        Some(against)
    };
    results.startup[0].against = alike(Some(0.2));
    let (count, line) = says(&results);
    assert!(
        count == 3 && line.ends_with("(signed-rank test at 5 %, by Holm for all rows)"),
        "{line}"
    );
    results.startup[1].against = alike(None);
    let (count, line) = says(&results);
    let few =
        "by Holm for all rows with enough blocks for it; of the others the interval contains 1)";
    assert!(count == 3 && line.ends_with(few), "{line}");
}
