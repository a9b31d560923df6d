//! Calibration: the record as a file, the rules against Python's counts on a real record, and the whole, seeded.

use std::path::Path;

use mongate::calibrate::{
    Arms, Block, Calibration, Claims, Outcomes, Parameters, Rate, Record, Session, Tolerance,
    Window, calibrate, resample, rivals,
};
use mongate::report::calibration::render;
use mongate::report::table::Style;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const WIRED_TIGER: &str = "startup::6.0::wiredTiger::ramdisk";
const EPHEMERAL: &str = "startup::6.0::ephemeralForTest::ramdisk";

/// Blocks of a session, and of each rival's sample.
const N: usize = 30;

/// 560 blocks of two identical arms of 6.0.27; its header says how they were made.
const REAL: &str = include_str!("../../fixtures/records/startup-aa-6.0.27.jsonl");

fn real() -> Record {
    parse(REAL).unwrap()
}

fn parse(text: &str) -> mongate::Result<Record> {
    Record::parse(text, Path::new("aa.jsonl"))
}

/// The real record's header and its first blocks.
fn head(blocks: usize) -> String {
    REAL.split_inclusive('\n').take(1 + blocks).collect()
}

#[track_caller]
fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

// -- the record -------------------------------------------------------------------------------------

#[test]
fn a_record_is_read_as_it_was_written() {
    let record = real();
    assert_eq!((record.blocks, record.cut), (560, false));
    let block = |index: usize| Block {
        block: index as u32 + 1,
        cases: record
            .cases
            .iter()
            .map(|(id, arms)| (id.clone(), [arms.a[index], arms.b[index]]))
            .collect(),
    };
    let mut text = record.header.line();
    (0..record.blocks).for_each(|index| text += &block(index).line());
    assert_eq!(text, REAL);
}

#[test]
fn a_line_that_is_no_block_is_named() {
    let third = |line: &str| refused(&format!("{}{line}\n", head(1)));
    let wrong = [
        ("{", "EOF while parsing an object"),
        ("{\"block\":2}", "missing field `cases`"),
        ("{\"block\":2,\"cases\":{\"x\":[1.0]}}", "invalid length 1"),
        (
            "{\"block\":2,\"cases\":{\"x\":[1.0,2.0]}}",
            "has other cases than block 1",
        ),
        ("{\"block\":3,\"cases\":{}}", "block 3 where 2 should stand"),
        ("{\"block\":1,\"cases\":{}}", "block 1 where 2 should stand"),
    ];
    for (line, why) in wrong {
        let message = third(line);
        assert!(message.starts_with("aa.jsonl:3: "), "{message}");
        assert!(message.contains(why), "{message}");
    }
    for time in ["0.0", "-1.5"] {
        let line = format!("{{\"block\":1,\"cases\":{{\"x\":[1.0,{time}]}}}}\n");
        let message = refused(&(head(0) + &line));
        assert!(message.starts_with("aa.jsonl:2: x took "), "{message}");
    }
    let message = refused(&(head(0) + "{\"block\":1,\"cases\":{}}\n"));
    assert!(
        message.contains("aa.jsonl:2: block 1 has no cases"),
        "{message}"
    );
}

#[test]
fn a_newer_schema_is_told_from_no_record() {
    let newer = refused("{\"schema\":\"mongate-record/2\",\"anything\":{}}\n");
    assert!(
        newer.contains("aa.jsonl:1: the schema is \"mongate-record/2\""),
        "{newer}"
    );
    assert!(
        newer.contains("help: read it with a newer mongate"),
        "{newer}"
    );
    for text in ["", "\n", "[]\n", "{\"schema\":\"mongate/1\"}\n", &REAL[1..]] {
        let message = refused(text);
        assert!(message.starts_with("aa.jsonl:1: "), "{message}");
        assert!(
            message.contains("help: `mongate calibrate` makes"),
            "{message}"
        );
    }
    let incomplete = refused("{\"schema\":\"mongate-record/1\"}\n");
    assert!(
        incomplete.contains("aa.jsonl:1: no header: missing field `run_id`"),
        "{incomplete}"
    );
}

#[test]
fn a_block_that_a_crash_cut_off_does_not_count() {
    let text = head(3);
    let record = parse(&text[..text.len() - 10]).unwrap();
    assert_eq!((record.blocks, record.cut), (2, true));
    let record = parse(text.trim_end()).unwrap();
    assert_eq!(
        (record.blocks, record.cut),
        (3, false),
        "only the line's end is missing"
    );
}

#[test]
fn a_record_too_short_for_any_session_is_refused() {
    let parameters = quick();
    let message = calibrate(&parse(&head(19)).unwrap(), &parameters)
        .unwrap_err()
        .to_string();
    assert!(message.contains("has 19 blocks, too few"), "{message}");
    assert!(
        message.contains("help: record at least 20 blocks"),
        "{message}"
    );
    let shortest = calibrate(&parse(&head(20)).unwrap(), &parameters).unwrap();
    let lengths: Vec<_> = shortest.cases[0]
        .rows
        .iter()
        .map(|row| row.blocks)
        .collect();
    assert_eq!(lengths, [10]);
}

#[test]
fn parameters_that_judge_nothing_are_refused() {
    let tolerance = |fraction, floor_ms| Tolerance { fraction, floor_ms };
    let wrong = [
        Parameters {
            sessions: 0,
            ..quick()
        },
        Parameters {
            resamples: 0,
            ..quick()
        },
        Parameters {
            tolerance: tolerance(-0.1, 0.0),
            ..quick()
        },
        Parameters {
            tolerance: tolerance(0.05, f64::NAN),
            ..quick()
        },
    ];
    for parameters in wrong {
        assert!(calibrate(&real(), &parameters).is_err(), "{parameters:?}");
    }
}

// -- the rules, against Python 3.11, NumPy 2.4.6 and SciPy 1.17.1 -----------------------------------

/// Every window of a record that has room for `span` blocks, with both names of the arms.
fn every_window(arms: &Arms, span: usize) -> impl Iterator<Item = Window> {
    let starts = 0..=arms.a.len() - span;
    starts.flat_map(|start| [false, true].map(|swapped| Window { start, swapped }))
}

/// Effect, then sessions that regressed, improved, were ok and stayed inconclusive, and the blocks that all of them took together.
type Counts = (f64, [usize; 4], usize);

#[track_caller]
fn assert_gate(id: &str, floor_ms: f64, expected: [Counts; 4]) {
    let record = real();
    let arms = &record.cases[id];
    let sessions: Vec<Session> = every_window(arms, N)
        .map(|window| Session::of(window.cut(arms, N, 0).unwrap(), 10).unwrap())
        .collect();
    for (effect, counts, blocks) in expected {
        let tolerance = Tolerance {
            fraction: 0.05,
            floor_ms,
        };
        let o = Outcomes::count(&sessions, effect, tolerance);
        assert_eq!(
            [o.regressed, o.improved, o.ok, o.inconclusive],
            counts,
            "+{effect}"
        );
        assert_eq!(
            (o.mean_blocks * o.sessions as f64).round() as usize,
            blocks,
            "+{effect}"
        );
    }
}

// Per window: d = np.log(b) - np.log(a); i, j = np.triu_indices(n); w = np.sort((d[i] + d[j]) / 2); the interval is w[k], w[-1 - k] with the
// largest k that has 40 * sum(counts[:k + 1]) <= 2**n, counts of signed-rank sums in whole numbers; at n of 10, 20, 30 np.exp of its ends times
// 1 + x against 1 + t, where t = max(.05, floor / np.median(a[:n])).

#[test]
fn the_gate_on_wired_tiger_is_pythons() {
    assert_gate(
        WIRED_TIGER,
        5.0,
        [
            (0.0, [0, 0, 1048, 14], 15670),
            (0.05, [74, 0, 74, 914], 29980),
            (0.1, [1042, 0, 0, 20], 16400),
            (0.2, [1062, 0, 0, 0], 10680),
        ],
    );
}

#[test]
fn the_gate_on_ephemeral_for_test_is_pythons() {
    assert_gate(
        EPHEMERAL,
        0.0,
        [
            (0.0, [17, 16, 452, 577], 26910),
            (0.05, [99, 1, 98, 864], 29200),
            (0.1, [447, 0, 17, 598], 27130),
            (0.2, [979, 0, 0, 83], 16770),
        ],
    );
}

#[test]
fn the_floor_widens_the_tolerance_as_in_python() {
    assert_gate(
        EPHEMERAL,
        5.0,
        [
            (0.0, [0, 1, 893, 168], 19170),
            (0.05, [6, 0, 587, 469], 25340),
            (0.1, [46, 0, 191, 825], 29030),
            (0.2, [638, 0, 4, 420], 24990),
        ],
    );
}

// r = max(ma / mb, mb / ma); s = r * math.sqrt((a.std(ddof=1) / ma)**2 + (b.std(ddof=1) / mb)**2); a claim where r - s > 1.
#[test]
fn hyperfines_claims_are_pythons() {
    let expected = [
        (WIRED_TIGER, 0, 0.0, 0, 0),
        (WIRED_TIGER, 0, 0.1, 884, 0),
        (WIRED_TIGER, 30, 0.0, 64, 12),
        (WIRED_TIGER, 30, 0.1, 609, 0),
        (EPHEMERAL, 0, 0.0, 0, 0),
        (EPHEMERAL, 0, 0.1, 22, 0),
        (EPHEMERAL, 30, 0.0, 1, 0),
        (EPHEMERAL, 30, 0.1, 133, 0),
    ];
    let record = real();
    for (id, later, effect, slower, faster) in expected {
        let arms = &record.cases[id];
        let claims: Vec<_> = every_window(arms, N + later)
            .map(|window| {
                let [a, b] = window.cut(arms, N, later).unwrap();
                let b: Vec<f64> = b.iter().map(|time| time * (1.0 + effect)).collect();
                rivals::hyperfine(a, &b)
            })
            .collect();
        let count = |claim| claims.iter().filter(|made| **made == claim).count();
        let counts = (count(rivals::Claim::Slower), count(rivals::Claim::Faster));
        assert_eq!(
            counts,
            (slower, faster),
            "{id}, {later} blocks later, +{effect}"
        );
    }
}

// With 100,000 resamples: scipy.stats.bootstrap((b, a), lambda x, y, axis: np.mean(x, axis) / np.mean(y, axis) - 1, method='percentile'); and
// m = np.r_[b, a][rng.integers(0, 60, (100000, 60))]; ts = ttest_ind(m[:, :30], m[:, 30:], axis=1, equal_var=False).statistic;
// hits = (ts < ttest_ind(b, a, equal_var=False).statistic).sum(); p = 2 * min(hits, 100000 - hits) / 100000.
#[test]
fn criterions_interval_and_p_are_scipys() {
    let expected = [
        (WIRED_TIGER, 0, 0, [-0.0409, 0.0770], 0.816),
        (WIRED_TIGER, 100, 0, [-0.0086, 0.0392], 0.225),
        (WIRED_TIGER, 200, 30, [-0.0844, -0.0348], 0.000),
        (WIRED_TIGER, 400, 0, [-0.0421, 0.0161], 0.389),
        (WIRED_TIGER, 500, 30, [-0.0442, 0.0086], 0.199),
        (EPHEMERAL, 0, 0, [-0.0609, 0.0194], 0.312),
        (EPHEMERAL, 100, 0, [-0.0714, 0.0776], 0.992),
        (EPHEMERAL, 200, 30, [-0.2337, -0.1153], 0.000),
        (EPHEMERAL, 400, 0, [-0.0738, 0.0720], 0.906),
        (EPHEMERAL, 500, 30, [-0.0310, 0.0668], 0.524),
    ];
    let record = real();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for (id, start, later, change95, p) in expected {
        let window = Window {
            start,
            swapped: false,
        };
        let [a, b] = window.cut(&record.cases[id], N, later).unwrap();
        // Both bootstraps scatter: with 5,000 resamples an end by 0.1 to 0.2 % here, and p by at most 0.014.
        let criterion = rivals::Criterion::new(a, b, 5000, &mut random).unwrap();
        for (end, expected) in criterion.change95(0.0).into_iter().zip(change95) {
            assert!(
                (end - expected).abs() < 0.006,
                "{id} {start}: {end} for {expected}"
            );
        }
        let ours = criterion.p(0.0, &mut random);
        assert!((ours - p).abs() < 0.045, "{id} {start}: p {ours} for {p}");
    }
}

#[test]
fn a_factor_on_one_arm_moves_criterions_interval_by_that_factor() {
    let record = real();
    let window = Window {
        start: 40,
        swapped: false,
    };
    let [a, b] = window.cut(&record.cases[WIRED_TIGER], N, 0).unwrap();
    let slower: Vec<f64> = b.iter().map(|time| time * 1.1).collect();
    let bootstrap = |b| {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        rivals::Criterion::new(a, b, 500, &mut random).unwrap()
    };
    let (injected, real) = (bootstrap(b).change95(0.1), bootstrap(&slower).change95(0.0));
    for (injected, real) in injected.into_iter().zip(real) {
        assert!((injected - real).abs() < 1e-12, "{injected} for {real}");
    }
}

// -- resampling and the whole -----------------------------------------------------------------------

/// So few sessions and resamples that a debug build is quick.
fn quick() -> Parameters {
    Parameters {
        sessions: 60,
        resamples: 40,
        ..Parameters::default()
    }
}

#[test]
fn windows_reach_both_ends_and_name_both_arms() {
    let drawn = resample::windows(3, 2000, 40, N);
    for start in 0..=10 {
        for swapped in [false, true] {
            let count = drawn
                .iter()
                .filter(|w| **w == Window { start, swapped })
                .count();
            // 91 each with a standard deviation of 9.3; the seed is fixed.
            assert!((50..140).contains(&count), "{start} {swapped}: {count}");
        }
    }
    assert!(drawn.iter().all(|window| window.start <= 10));
    assert_eq!(drawn, resample::windows(3, 2000, 40, N));
    assert_ne!(drawn, resample::windows(4, 2000, 40, N));
    assert!(resample::windows(3, 2000, 29, N).is_empty());
}

#[test]
fn a_rate_says_what_sessions_that_share_blocks_can_vouch_for() {
    // 1 - .05**(1/1000) and 1 - .05**(1/18)
    let none = Rate::new(0, 1000, 18);
    assert!((none.upper95 - 0.002991).abs() < 1e-6, "{none:?}");
    assert!((none.upper95_disjoint - 0.153318).abs() < 1e-6, "{none:?}");
    assert_eq!(Rate::new(0, 1000, 0).upper95_disjoint, 1.0);
}

#[test]
fn a_seed_repeats_a_calibration_and_its_counts_add_up() {
    let record = real();
    let calibration = calibrate(&record, &quick()).unwrap();
    let json = |c: &Calibration| serde_json::to_value(c).unwrap();
    assert_eq!(
        json(&calibration),
        json(&calibrate(&record, &quick()).unwrap())
    );
    let other = Parameters { seed: 2, ..quick() };
    assert_ne!(
        json(&calibration),
        json(&calibrate(&record, &other).unwrap())
    );
    for case in &calibration.cases {
        let lengths: Vec<_> = case.rows.iter().map(|row| row.blocks).collect();
        assert_eq!(lengths, [10, 20, 30, 50]);
        for row in &case.rows {
            assert_eq!(row.false_alarms.disjoint, 560 / row.blocks);
            for o in &row.outcomes {
                assert_eq!(o.regressed + o.improved + o.ok + o.inconclusive, 60);
                assert!((10.0..=row.blocks as f64).contains(&o.mean_blocks));
            }
            assert!(row.outcomes.is_sorted_by_key(|o| o.regressed), "{row:?}");
        }
        let sessions = |c: &Claims| c.sessions == 60 && c.slower + c.faster <= 60;
        assert_eq!(case.rivals.len(), 4);
        assert!(
            case.rivals
                .iter()
                .all(|row| row.claims.iter().all(sessions))
        );
    }
    let back: Calibration = serde_json::from_value(json(&calibration)).unwrap();
    assert_eq!(json(&back), json(&calibration));
}

#[test]
fn resampled_sessions_are_like_all_sessions() {
    let parameters = Parameters {
        sessions: 300,
        resamples: 1,
        ..quick()
    };
    let calibration = calibrate(&parse(&head(560)).unwrap(), &parameters).unwrap();
    let wired_tiger = calibration
        .cases
        .iter()
        .find(|c| c.id == WIRED_TIGER)
        .unwrap();
    // statistics.std of np.log of both arms, and np.median.
    assert!(
        (wired_tiger.sd_log - 0.072932521604).abs() < 1e-9,
        "{}",
        wired_tiger.sd_log
    );
    assert!((wired_tiger.median_ms - 185.4205).abs() < 1e-9);
    let row = wired_tiger
        .rows
        .iter()
        .find(|row| row.blocks == 10)
        .unwrap();
    let caught = row
        .outcomes
        .iter()
        .find(|o| o.effect == 0.1)
        .unwrap()
        .caught();
    // Python: 622 of all 1,102 windows of 10 blocks; the standard deviation at 300 is 2.9 %.
    assert!((caught - 0.5644).abs() < 0.1, "{caught}");
    assert_eq!(row.false_alarms.events, 0);
}

#[test]
fn the_table_fits_80_columns_and_ends_with_what_to_choose() {
    let calibration = calibrate(&real(), &quick()).unwrap();
    let text = render(
        &calibration,
        Style {
            width: 80,
            color: false,
        },
    );
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "41.5 ms, sd of the log 15.0 %, tolerance 12.0 % (the floor of 5.00 ms)",
        "185 ms, sd of the log 7.3 %, tolerance 5.0 %",
        "mongate interleaved 30 0 of 60 0.0 %",
        "hyperfine in sequence 30",
        "560 blocks hold 11 of 50 that share none",
        "choose for startup::6.0::wiredTiger::ramdisk: +5 % is not caught surely",
    ] {
        assert!(flat.contains(part), "{part:?} is not in\n{text}");
    }
}
