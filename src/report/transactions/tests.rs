//! The tables, of figures that are made up: the widest, and those that call for a note.

use crate::model::results::Results;
use crate::report::tables;
use crate::report::terminal::{self, Style};
use serde_json::{Value, json};

fn arm(median: f64, two_modes: bool) -> Value {
    json!({"name": "x", "n": 20, "median_us": median, "ci95_us": null, "mean_us": 1.0, "sd_us": null,
        "min_us": 1.0, "p95_us": 1.0, "first_us": 23_456.0, "commit_us": 123_456.0, "samples_us": [],
        "iterations": {"n": 200, "p10_us": 690.0, "p90_us": 1750.0, "dip": 0.1, "two_modes": two_modes}})
}

fn overhead(ratio: f64, ci95: [f64; 2]) -> Value {
    let significant = ci95[0] > 1.0 || ci95[1] < 1.0;
    json!({"ratio": ratio, "ci95": ci95, "p": 0.01, "significant": significant, "difference_us": 24_680.0})
}

fn case(profile: &str, name: &str) -> Value {
    json!({
        "id": format!("transactions::6.0::{name}"), "label": "6.0", "version": "6.0.27", "topology": "replica_set",
        "db_path": {"kind": "disk", "path": "/a", "file_system": "overlay", "is_ram": false, "fsync_us": 3870.0},
        "profile": profile, "required": true, "status": "measured", "reason": null, "arms": {}, "overhead": {},
        "checks": {"committed": 1, "matched": 1, "retries": 2},
    })
}

fn rendered(cases: &[Value]) -> String {
    let results: Results = serde_json::from_value(json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 4_294_967_295_u32,
        "machine": {"cpu": "13th Gen Intel(R) Core(TM) i9-13900HX", "cores": 32, "memory_mb": 65_536,
            "os": "Linux (Ubuntu 24.04)", "kernel": "6.18.44-lowlatency", "load1": 12.34},
        "session": {"blocks": 0, "voided": [], "measured_ms": 0.0, "wall_ms": 0.0, "interrupted": false},
        "startup": [], "sentinel": null, "notices": [], "transactions": cases,
    }))
    .unwrap();
    let style = Style { width: 80, color: false, unicode: true };
    let text = terminal::render(&tables::document(&results), style);
    let fits = |line: &str| line.chars().count() <= 80;
    assert!(text.lines().all(fits), "{text}");
    text
}

/// A note may be broken anywhere between its words.
#[track_caller]
fn assert_says(text: &str, says: &[&str]) {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in says {
        assert!(flat.contains(says), "{says}: {text}");
    }
}

#[test]
fn the_widest_figures_fit_80_columns() {
    let mut wide = case("fair", "insertMany+updateMany+deleteMany+find");
    wide["arms"] = json!({"A": arm(47_776.0, false), "A0": arm(47_776.0, false), "B": arm(147_776.0, true),
        "D": arm(47_776.0, false), "E": arm(147_776.0, false)});
    wide["overhead"] = json!({
        "E_vs_B": overhead(8.92, [5.13, 11.70]), "E_vs_A": overhead(12.5, [10.0, 13.0]), "E_vs_D": overhead(1.0, [0.9, 1.1]),
        "B_vs_A": overhead(1.6, [1.5, 1.7]), "D_vs_A": overhead(2.5, [2.0, 3.0]),
        "A0_vs_A": overhead(1.59, [1.49, 1.70]), "A0_vs_B": overhead(1.01, [0.97, 1.04]),
    });
    wide["sentinel"] = json!({"ratio": 1.2, "ci95": [1.1, 1.3], "invalid": true});
    let text = rendered(&[wide]);
    assert_says(
        &text,
        &[
            "?+792 +413..+1070",
            "+24,680",
            "+60 ~+0 +150",
            "6.0.27: the default write concern behaves as majority here",
            "default/w:1 1.59 [1.49-1.70], default/majority 1.01 [0.97-1.04]",
            "6.0 insertMany+updateMany+deleteMany+find B 690-1,750",
            "B against itself in 1 cases, furthest insertMany+updateMany+deleteMany+find +20 \
                [+10..+30] %",
            "?: 1 of them by more than half the tolerance",
            "2 iterations or commands were sent again",
        ],
    );
}

#[test]
fn what_the_default_is_follows_the_numbers() {
    let of = |default_to_one: f64, default_to_majority: f64, apart: [f64; 2]| {
        let mut case = case("fair", "insertOne");
        case["overhead"] = json!({
            "A0_vs_A": overhead(default_to_one, [default_to_one; 2]),
            "A0_vs_B": overhead(default_to_majority, [default_to_majority; 2]),
            "B_vs_A": overhead(1.6, apart),
        });
        rendered(&[case])
    };
    assert_says(&of(1.02, 0.61, [1.5, 1.7]), &["behaves as w:1 here"]);
    assert_says(&of(1.61, 0.98, [1.5, 1.7]), &["behaves as majority here"]);
    assert_says(&of(1.02, 0.98, [0.9, 1.1]), &["cannot be told apart here"]);
}

#[test]
fn the_articles_table_has_welch_and_the_scatter() {
    let side = |mean: f64| json!({"means_us": [], "mean_us": mean, "sd_us": 12_345.0, "removed_low": 1, "removed_high": 2});
    let article = |medians: &[f64]| {
        json!({"plain": side(5_086.0), "transaction": side(147_776.0), "difference_us": 42_690.0, "difference_percent": 1070.4,
            "ci95_us": [1.0, 2.0], "p": 0.2, "significant": false, "medians_percent": medians})
    };
    let with = |name, medians: &[f64]| {
        let mut case = case("article", name);
        case["arms"] = json!({"A0": arm(5_086.0, false)});
        case["overhead"] = json!({"E0_vs_A0": overhead(2.0, [0.4, 11.7])});
        case["article"] = article(medians);
        case
    };
    let many: Vec<f64> = (0..=100).map(f64::from).collect();
    let text = rendered(&[
        with("updateOne-no-match", &[-60.2, 57.0, -81.4, -41.9]),
        with("insertMany+updateMany+deleteMany+find", &many),
    ]);
    assert_says(
        &text,
        &[
            "+42,690 +1070 false -60..+1070 3+3",
            "-60, +57, -81, -42",
            "+0 .. +25 .. +50 .. +75 .. +100",
            "5,086",
        ],
    );
}
