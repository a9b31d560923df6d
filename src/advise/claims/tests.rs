use serde_json::{Value, json};

use super::*;
use crate::model::results::Figure;

/// A ratio with an interval of 2 % around it.
fn pair(one: &str, other: &str, ratio: f64) -> Value {
    json!({
        "one": one, "other": other, "ratio": ratio, "ci95": [ratio * 0.98, ratio * 1.02], "p": null,
        "significant": true, "difference_us": 1.0,
    })
}

/// A lane of six equal macro-iterations.
fn measured(name: &str, us: f64, sync_share: [f64; 6], oplog: [f64; 6]) -> Value {
    json!({
        "name": name, "n": 6, "median_us": us, "ci95_us": [us, us], "mean_us": us, "sd_us": 0.0, "min_us": us, "p95_us": us,
        "samples_us": vec![us; 6], "syncs": vec![1.0; 6], "sync_share": sync_share, "oplog_entries": oplog,
    })
}

fn figure(samples: [f64; 6]) -> Value {
    serde_json::to_value(Figure::of(samples.to_vec()).unwrap()).unwrap()
}

fn case(label: &str, version: &str, name: &str, more: Value) -> Value {
    let mut case = json!({
        "id": format!("transactions::{label}::{name}"), "label": label, "version": version, "topology": "replica_set",
        "db_path": { "kind": "disk", "path": null, "file_system": null, "is_ram": null, "fsync_us": null },
        "profile": "quick", "required": true, "status": "measured", "reason": null, "arms": {}, "overhead": {}, "checks": null,
    });
    let fields = more.as_object().unwrap().clone();
    case.as_object_mut().unwrap().extend(fields);
    case
}

fn results(cases: Vec<Value>) -> Results {
    let machine = serde_json::to_value(crate::model::Machine::read()).unwrap();
    serde_json::from_value(json!({
        "schema": "mongate/1", "run_id": "r", "started": "", "tool": { "name": "mongate", "version": "0" }, "seed": 1,
        "machine": machine, "session": { "blocks": 0, "voided": [], "measured_ms": 0.0, "wall_ms": 0.0, "interrupted": false },
        "startup": [], "transactions": cases, "sentinel": null, "notices": [],
    }))
    .unwrap()
}

/// What a write concern costs, in ratios: the default to w:1 and to majority, plain majority to a
/// w:1 transaction, a transaction to a plain write.
fn concerns(version: &str, ratios: [f64; 4], share: [f64; 6]) -> Value {
    let [to_one, to_majority, durability, overhead] = ratios;
    let lane = |name| measured(name, 1000.0, share, [1.0; 6]);
    let label = &version[..3];
    case(
        label,
        version,
        "writeConcern",
        json!({
            "lanes": [lane("plain, w:1"), lane("plain, majority"), lane("transaction, w:1"), lane("transaction, majority")],
            "comparisons": [
                pair("plain, server's default", "plain, w:1", to_one),
                pair("plain, server's default", "plain, majority", to_majority),
                pair("plain, majority", "transaction, w:1", durability),
                pair("transaction, majority", "plain, majority", overhead),
            ],
        }),
    )
}

fn sweep(operations: Option<u64>, ci95: [Option<u64>; 2]) -> Value {
    let figure = figure([300.0; 6]);
    case(
        "6.0",
        "6.0.27",
        "insertOne-xN",
        json!({
            "crossover": { "fixed_us": figure, "each_us": figure, "write_us": figure, "operations": operations, "ci95": ci95 },
        }),
    )
}

fn reads(entries: [f64; 6]) -> Value {
    case(
        "6.0",
        "6.0.27",
        "readOnly",
        json!({
            "lanes": [
                measured("plain find", 300.0, [0.0; 6], [0.0; 6]),
                measured("transaction, w:1", 500.0, [0.0; 6], [1.0; 6]),
                measured("transaction, majority", 1200.0, [0.5; 6], entries),
            ],
            "comparisons": [pair("transaction, majority", "plain find", 4.0)],
        }),
    )
}

/// 32 clients: commits a second on one document and on one each, in transactions, and on one each
/// without.
fn crowds(hot: f64, apart: f64, plain: f64) -> Value {
    let crowd = |hot: bool, transaction: bool, rate: f64| {
        let rates = [0.98, 0.99, 1.0, 1.01, 1.02, 1.03].map(|share| rate * share);
        json!({
            "clients": 32, "hot": hot, "transaction": transaction, "commits_per_s": figure(rates), "retries": figure([7.5; 6]),
            "p99_us": figure([9e3; 6]),
        })
    };
    case(
        "6.0",
        "6.0.27",
        "conflicts",
        json!({
            "crowds": [crowd(true, true, hot), crowd(false, true, apart), crowd(false, false, plain)],
        }),
    )
}

fn findings(cases: Vec<Value>) -> Vec<Finding> {
    claims(&results(cases), "6.0").iter().map(|claim| claim.finding).collect()
}

#[test]
fn a_machine_on_which_all_holds() {
    let cases = vec![
        concerns("6.0.27", [2.0, 1.0, 1.8, 1.2], [0.7; 6]),
        concerns("4.4.2", [1.0, 0.4, 1.8, 1.2], [0.7; 6]),
        sweep(Some(3), [Some(2), Some(4)]),
        reads([1.0; 6]),
        crowds(100.0, 900.0, 1100.0),
    ];
    let results = results(cases);
    let claims = claims(&results, "6.0");
    for claim in &claims {
        assert_eq!(claim.finding, Finding::Held, "{claim:?}");
    }
    let measured: Vec<&str> = claims.iter().map(|claim| claim.measured.as_str()).collect();
    let text = measured.join("; ");
    for says in [
        "1.80 (1.76-1.84) times as long",
        "from N = 3 operations on",
        "4.4.2: 1.00 (0.98-1.02) times w:1",
        "by a factor of 9.00 (9.00-9.00)",
        "7.50 with 32",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[test]
fn a_machine_on_which_nothing_holds() {
    let found = findings(vec![
        concerns("6.0.27", [1.0, 0.5, 0.7, 0.9], [0.1; 6]),
        concerns("4.4.2", [1.0, 0.4, 0.7, 0.9], [0.1; 6]),
        sweep(None, [None, None]),
        reads([0.0; 6]),
        // One document costs a factor of 1.1, transactions one of 2.
        crowds(500.0, 550.0, 1100.0),
    ]);
    assert_eq!(found, [Finding::Refuted; 7]);
}

#[test]
fn a_machine_that_cannot_tell() {
    let both = [0.3, 0.4, 0.5, 0.5, 0.6, 0.7];
    let cannot = || {
        vec![
            concerns("6.0.27", [1.5, 1.4, 1.0, 1.01], both),
            concerns("4.4.2", [1.0, 0.4, 1.0, 1.0], both),
            sweep(Some(3), [Some(2), None]),
            reads([1.0, 1.0, 0.0, 1.0, 1.0, 1.0]),
            // A factor of 2 each.
            crowds(250.0, 500.0, 1000.0),
        ]
    };
    let mut found = findings(cannot());
    // Slower than both: nearer to majority, and not as w:1; so the default's claim is held, and all
    // others are undecided.
    assert_eq!(found.remove(5), Finding::Held);
    assert_eq!(found, [Finding::Undecided; 6]);
}

#[test]
fn what_was_not_measured_decides_nothing_and_says_so() {
    assert_eq!(findings(vec![]), [Finding::Undecided; 7]);
    let alone = claims(&results(vec![concerns("6.0.27", [2.0, 1.0, 1.8, 1.2], [0.7; 6])]), "6.0");
    assert_eq!(alone[5].finding, Finding::Undecided);
    assert!(alone[5].measured.contains("no version below 5.0"), "{:?}", alone[5]);
    assert!(alone[2].measured.contains("insertOne-xN was not measured"), "{:?}", alone[2]);
    let failed = json!({ "status": "failed", "reason": "document 0 counts 3" });
    let failed = claims(&results(vec![case("6.0", "6.0.27", "conflicts", failed)]), "6.0");
    let says = "nothing, since conflicts could not be measured: document 0 counts 3";
    assert_eq!(failed[6].measured, says);
}
