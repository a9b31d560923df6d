//! What follows from made-up sessions.

mod blocks;
mod why;

use super::document;
use crate::advise::{Advice, Compared, Need, advise};
use crate::judge::Tolerance;
use crate::model::results::Results;
use crate::report::terminal::{self, Style};
use crate::stats::Summary;
use serde_json::{Value, json};

/// What the gate allows by default.
const TOLERANCE: Tolerance = Tolerance { share: 0.05, floor_ms: 5.0 };

const FAST: &str = "small-journal+few-sessions";

/// A case whose launches took about `ready` ms. Noise, a share, goes up in one block and down in
/// the next, in an order of its own for each case, so that no two cases vary alike.
fn case(id: &str, ready: f64, noise: f64) -> Value {
    blocks_of(id, ready, noise, 12)
}

fn blocks_of(id: &str, ready: f64, noise: f64, blocks: u32) -> Value {
    let parts: Vec<&str> = id.split("::").collect();
    let at_once: u32 =
        parts.iter().find_map(|part| part.strip_prefix('x')?.parse().ok()).unwrap_or(1);
    let is_set = parts.contains(&"replica_set");
    let shift = u32::try_from(id.len()).unwrap();
    let times: Vec<f64> = (0..blocks)
        .map(|block| {
            let step = f64::from((block * 7 + shift * 5) % 12) - 5.5;
            ready * (1.0 + noise * step / 5.5)
        })
        .collect();
    let samples: Vec<Value> = (1..)
        .zip(&times)
        .map(|(block, &ready)| {
            let mut sample = json!({
                "block": block, "position": 1, "first_line_ms": 1.0, "listening_ms": ready - 2.0, "ready_ms": ready, "rss_mb": 80.0, "folder_mb": 300.0,
                "phases_ms": {"exec_init": ready}, "cpu_ms": ready * 0.9, "cpu_wait_ms": 0.0, "written_mb": 1.5,
            });
            if at_once > 1 {
                let server = json!({"first_line_ms": 1.0, "listening_ms": ready, "ready_ms": ready, "rss_mb": 80.0, "folder_mb": 300.0});
                sample["last_ready_ms"] = json!(ready * 1.02);
                sample["total_rss_mb"] = json!(80.0 * f64::from(at_once));
                sample["total_folder_mb"] = json!(300.0 * f64::from(at_once));
                sample["servers"] = json!(vec![server; at_once as usize]);
            }
            sample
        })
        .collect();
    let summary = Summary::of(&times).map(|Summary { n, median, ci95, mean, sd, min, p95 }| {
        json!({
            "n": n, "median_ms": median, "ci95_ms": ci95, "mean_ms": mean, "sd_ms": sd,
            "min_ms": min, "p95_ms": p95,
        })
    });
    json!({
        "id": id, "label": parts[1], "version": format!("{}.27", parts[1]), "engine": parts[2], "topology": if is_set { "replica_set" } else { "standalone" },
        "at_once": at_once, "cache": if parts.contains(&"cold") { "cold" } else { "warm" }, "required": false, "joined": false, "status": "measured", "reason": null,
        "against": null, "samples": samples, "summary": summary,
        "db_path": {"kind": parts[3], "path": "/a", "file_system": "ext4", "is_ram": null, "fsync_us": if parts[3] == "disk" { 300.0 } else { 4.0 }},
        "verdict": {"outcome": "measured", "rule": null, "detail": null, "fails": false},
    })
}

fn unavailable(id: &str, reason: &str) -> Value {
    let mut case = blocks_of(id, 1.0, 0.0, 0);
    case["status"] = json!("unavailable");
    case["reason"] = json!(reason);
    case
}

fn results(cases: &[Value]) -> Results {
    let blocks = cases.iter().map(|case| case["samples"].as_array().unwrap().len()).max();
    serde_json::from_value(json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 1,
        "machine": {"cpu": "Some CPU", "cores": 2, "memory_mb": 1024, "os": "Linux", "kernel": "6.1", "load1": 0.1},
        "session": {"blocks": blocks, "voided": [], "measured_ms": 1.0, "wall_ms": 1.0, "interrupted": false},
        "startup": cases, "sentinel": null, "notices": [],
    }))
    .unwrap()
}

fn render(advice: &Advice, results: &Results, width: u16) -> String {
    terminal::render(&document(advice, results), Style { width, color: false, unicode: true })
}

/// The advice on 6.0, and how it reads at 80 columns, in one line.
fn advice(cases: &[Value]) -> (Advice, String) {
    let (advice, text) = rendered(cases);
    let words: Vec<&str> = text.split_whitespace().collect();
    (advice, words.join(" "))
}

/// The advice on 6.0, and how it looks at 80 columns; checked also at 120.
fn rendered(cases: &[Value]) -> (Advice, String) {
    let results = results(cases);
    let advice = advise(&results, &["6.0".parse().unwrap()], TOLERANCE);
    for width in [80, 120] {
        let text = render(&advice, &results, width);
        for line in text.lines() {
            assert!(line.chars().count() <= width.into(), "{width}: {line}\n{text}");
        }
        claims_are_sure(&text);
    }

    let text = render(&advice, &results, 80);
    (advice, text)
}

/// Every interval of a ratio that follows a claim excludes 1; returns how many claims there are.
fn claims_are_sure(text: &str) -> usize {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut claims = 0;
    for claim in ["times [", "as long [", " faster: ", " slower: "] {
        for (at, _) in text.match_indices(claim) {
            let rest = &text[at..];
            let interval = &rest[rest.find('[').unwrap() + 1..rest.find(']').unwrap()];
            let (lower, upper) = interval.split_once('-').unwrap();
            let [lower, upper] = [lower, upper].map(|end| end.parse::<f64>().unwrap());
            assert!(lower > 1.0 || upper < 1.0, "{claim}{interval}");
            claims += 1;
        }
    }
    claims
}

fn id(rest: &str) -> String {
    format!("startup::6.0::{rest}")
}

#[track_caller]
fn recommends(advice: &Advice, need: Need, rest: &str) {
    let mut needs = advice.servers[0].needs.iter();
    let advised = needs.find(|advised| advised.need == need).unwrap();
    assert_eq!(advised.recommended.id, id(rest), "{advised:?}");
}

/// A quiet machine on which the processor decides.
fn usual() -> Vec<Value> {
    vec![
        case(&id("wiredTiger::disk"), 158.0, 0.03),
        case(&id("wiredTiger::ramdisk"), 157.0, 0.03),
        case(&id(&format!("wiredTiger::disk::{FAST}")), 112.0, 0.03),
        case(&id("ephemeralForTest::disk"), 30.0, 0.05),
        case(&id("ephemeralForTest::ramdisk"), 29.8, 0.06),
        case(&id("wiredTiger::disk::replica_set"), 214.0, 0.03),
        case(&id(&format!("wiredTiger::disk::replica_set::{FAST}")), 169.0, 0.03),
        case(&id("wiredTiger::disk::replica_set::template"), 168.0, 0.03),
        case(&id("wiredTiger::ramdisk::replica_set"), 212.0, 0.03),
    ]
}

#[test]
fn the_simplest_of_those_that_do_not_differ_from_the_fastest() {
    let (advice, text) = advice(&usual());
    recommends(&advice, Need::Plain, "ephemeralForTest::disk");
    recommends(&advice, Need::Transactions, &format!("wiredTiger::disk::replica_set::{FAST}"));
    recommends(&advice, Need::Production, "wiredTiger::disk::replica_set");
    assert!(claims_are_sure(&text) >= 6, "{text}");
    let plain = &advice.servers[0].needs[0];
    assert_eq!(plain.fastest, id("ephemeralForTest::ramdisk"));
    let of = |rest: &str| -> &Compared {
        let found = plain.alternatives.iter().find(|other| other.figures.id == id(rest));
        &found.unwrap().against
    };
    assert!(!of("ephemeralForTest::ramdisk").shown);
    let slower = of("wiredTiger::disk");
    assert!(
        slower.shown && slower.ratio.estimate > 4.5 && slower.ratio.estimate < 6.0,
        "{slower:?}"
    );
    for words in [
        "=> ephemeralForTest disk: 30.0 ms [",
        "run as: mongod --storageEngine ephemeralForTest",
        "--wiredTigerEngineConfigString 'log=(prealloc=false,file_max=1MB),session_max=200'",
        "5.27 times [",
        "29.8* none shown: ",
        "the least median of all, and no difference is shown",
        "not worth it here: nothing that is recommended above lies on it",
        "an fsync takes 300 us on the disk and 4 us on the RAM disk. wiredTiger disk is CPU-bound: \
            90 % of the start is CPU time.",
        "Only 6.0.27 was measured",
        "No 7.x or later is in the configuration",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_difference_that_is_shown_and_small_is_not_worth_effort() {
    // 4 %, and 12 % that are less than 5 ms.
    let (advice, text) = advice(&[
        case(&id("wiredTiger::disk::replica_set"), 200.0, 0.005),
        case(&id("wiredTiger::ramdisk::replica_set"), 192.0, 0.005),
        case(&id("ephemeralForTest::disk"), 34.0, 0.005),
        case(&id("ephemeralForTest::ramdisk"), 30.0, 0.005),
    ]);
    recommends(&advice, Need::Production, "wiredTiger::disk::replica_set");
    recommends(&advice, Need::Plain, "ephemeralForTest::disk");
    assert!(advice.servers[0].needs[0].alternatives[0].against.shown);
    assert!(text.contains("by too little to be worth more effort"), "{text}");
}

#[test]
fn without_the_engine_for_tests_arguments_win_and_the_reason_is_told() {
    let why = "mongod 6.0.27: Cannot start server with an unknown storage engine: ephemeralForTest";
    let (advice, text) = advice(&[
        case(&id("wiredTiger::disk"), 158.0, 0.03),
        case(&id(&format!("wiredTiger::disk::{FAST}")), 112.0, 0.03),
        unavailable(&id("ephemeralForTest::disk"), why),
        unavailable(&id("ephemeralForTest::ramdisk"), why),
    ]);
    recommends(&advice, Need::Plain, &format!("wiredTiger::disk::{FAST}"));
    assert_eq!(advice.servers[0].needs.len(), 1, "nothing of replica sets was measured");
    assert_eq!(advice.unavailable.len(), 2);
    let once =
        format!("{}, {}: {why}", id("ephemeralForTest::disk"), id("ephemeralForTest::ramdisk"));
    assert!(text.contains(&once), "{text}");
}

#[test]
fn where_the_disk_decides_the_ram_disk_is_recommended() {
    let mut cases = usual();
    for case in &mut cases {
        if case["db_path"]["kind"] == "disk" {
            for sample in case["samples"].as_array_mut().unwrap() {
                sample["ready_ms"] = json!(sample["ready_ms"].as_f64().unwrap() * 3.0);
                sample["cpu_ms"] = json!(sample["ready_ms"].as_f64().unwrap() * 0.3);
            }
            for figure in ["median_ms", "mean_ms"] {
                case["summary"][figure] = json!(case["summary"][figure].as_f64().unwrap() * 3.0);
            }
        }
    }
    let (advice, text) = advice(&cases);
    recommends(&advice, Need::Plain, "ephemeralForTest::ramdisk");
    recommends(&advice, Need::Transactions, "wiredTiger::ramdisk::replica_set");
    recommends(&advice, Need::Production, "wiredTiger::ramdisk::replica_set");
    assert!(text.contains("=> worth it here for (a), (b), (c)"), "{text}");
    assert!(text.contains("wiredTiger disk is disk-bound: "), "{text}");
}

/// The fastest may vary so much that it differs from nothing; what another one is shown to beat is
/// not recommended for that.
#[test]
fn what_any_other_is_shown_to_beat_is_not_recommended() {
    let (advice, _) = advice(&[
        case(&id("wiredTiger::disk::replica_set"), 570.0, 0.05),
        case(&id(&format!("wiredTiger::ramdisk::replica_set::{FAST}")), 410.0, 0.05),
        case(&id("wiredTiger::ramdisk::replica_set::template"), 395.0, 0.9),
    ]);
    recommends(&advice, Need::Transactions, &format!("wiredTiger::ramdisk::replica_set::{FAST}"));
    let mut needs = advice.servers[0].needs.iter();
    let advised = needs.find(|advised| advised.need == Need::Transactions);
    let advised = advised.unwrap();
    assert_eq!(advised.fastest, id("wiredTiger::ramdisk::replica_set::template"));
    let template = &advised.alternatives[1];
    assert!(!template.against.shown, "{template:?}");
}

#[test]
fn few_blocks_claim_nothing_and_no_blocks_say_so() {
    let few = [
        blocks_of(&id("wiredTiger::disk"), 158.0, 0.0, 3),
        blocks_of(&id("ephemeralForTest::disk"), 30.0, 0.0, 3),
    ];
    let (advised, text) = advice(&few);
    let plain = &advised.servers[0].needs[0];
    assert!(!plain.alternatives[0].against.shown);
    assert_eq!(
        plain.recommended.id,
        id("wiredTiger::disk"),
        "the simplest, where nothing is shown"
    );
    assert!(text.contains("[too few blocks]"), "{text}");

    let (nothing, text) = advice(&[blocks_of(&id("wiredTiger::disk"), 158.0, 0.0, 0)]);
    assert!(nothing.servers[0].needs.is_empty());
    assert!(text.contains("6.0: it was not measured"), "{text}");
}

#[test]
fn an_unsteady_machine_is_said_first() {
    let mut results = results(&usual());
    let sentinel = json!({"case": id("wiredTiger::disk"), "ratio": 1.3, "ci95": [1.2, 1.4], "invalid": true, "samples": []});
    results.sentinel = serde_json::from_value(sentinel).unwrap();
    let advice = advise(&results, &["6.0".parse().unwrap()], TOLERANCE);
    assert!(render(&advice, &results, 120).starts_with("The machine was not steady"));
}
