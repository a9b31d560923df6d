//! Calibration: a record of identical arms, the rules that judge it, and the whole, seeded.

mod record;
mod rules;

use std::path::Path;

use crate::judge::Tolerance;
use crate::judge::calibrate::{
    Calibration, Claims, Parameters, Rate, Record, Window, calibrate, resample,
};

const WIRED_TIGER: &str = "startup::6.0::wiredTiger::ramdisk";
const EPHEMERAL: &str = "startup::6.0::ephemeralForTest::ramdisk";

/// 560 blocks of two identical arms of 6.0.27; its header says how they were made.
const REAL: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/records/startup-aa-6.0.27.jsonl"));

fn real() -> Record {
    parse(REAL).unwrap()
}

fn parse(text: &str) -> crate::Result<Record> {
    Record::parse(text, Path::new("aa.jsonl"))
}

/// The real record's header and its first blocks.
fn head(blocks: usize) -> String {
    REAL.split_inclusive('\n').take(1 + blocks).collect()
}

/// So few sessions and resamples that a debug build is quick.
fn quick() -> Parameters {
    Parameters { sessions: 40, resamples: 40, ..Parameters::default() }
}

#[test]
fn a_record_too_short_for_any_session_is_refused() {
    let parameters = quick();
    let message = calibrate(&parse(&head(19)).unwrap(), &parameters).unwrap_err().to_string();
    assert!(message.contains("has 19 blocks, too few"), "{message}");
    assert!(message.contains("help: record at least 20 blocks"), "{message}");
    let shortest = calibrate(&parse(&head(20)).unwrap(), &parameters).unwrap();
    let lengths: Vec<_> = shortest.cases[0].rows.iter().map(|row| row.blocks).collect();
    assert_eq!(lengths, [10]);
}

#[test]
fn parameters_that_judge_nothing_are_refused() {
    let tolerance = |share, floor_ms| Tolerance { share, floor_ms };
    let wrong = [
        Parameters { sessions: 0, ..quick() },
        Parameters { resamples: 0, ..quick() },
        Parameters { max_blocks: 0, ..quick() },
        Parameters { tolerance: tolerance(-0.1, 0.0), ..quick() },
        Parameters { tolerance: tolerance(0.05, f64::NAN), ..quick() },
    ];
    for parameters in wrong {
        assert!(calibrate(&real(), &parameters).is_err(), "{parameters:?}");
    }
}

#[test]
fn windows_reach_both_ends_and_name_both_arms() {
    let drawn = resample::windows(3, 2000, 40, 30);
    for start in 0..=10 {
        for swapped in [false, true] {
            let count = drawn.iter().filter(|w| **w == Window { start, swapped }).count();
            // 91 each with a standard deviation of 9.3; the seed is fixed.
            assert!((50..140).contains(&count), "{start} {swapped}: {count}");
        }
    }
    assert!(drawn.iter().all(|window| window.start <= 10));
    assert_eq!(drawn, resample::windows(3, 2000, 40, 30));
    assert_ne!(drawn, resample::windows(4, 2000, 40, 30));
    assert!(resample::windows(3, 2000, 29, 30).is_empty());
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
    assert_eq!(json(&calibration), json(&calibrate(&record, &quick()).unwrap()));
    let other = Parameters { seed: 2, ..quick() };
    assert_ne!(json(&calibration), json(&calibrate(&record, &other).unwrap()));
    for case in &calibration.cases {
        let lengths: Vec<_> = case.rows.iter().map(|row| row.blocks).collect();
        assert_eq!(lengths, [10, 20, 30, 50, 70, 100]);
        for row in &case.rows {
            assert_eq!(row.false_alarms.disjoint, 560 / row.blocks);
            for o in &row.outcomes {
                assert_eq!(o.regressed + o.improved + o.ok + o.inconclusive, 40);
                assert!((10.0..=row.blocks as f64).contains(&o.mean_blocks));
            }
            assert!(row.outcomes.is_sorted_by_key(|o| o.regressed), "{row:?}");
        }
        let sessions = |c: &Claims| c.sessions == 40 && c.slower + c.faster <= 40;
        assert_eq!(case.rivals.len(), 4);
        assert!(case.rivals.iter().all(|row| row.claims.iter().all(sessions)));
    }
    let back: Calibration = serde_json::from_value(json(&calibration)).unwrap();
    assert_eq!(json(&back), json(&calibration));
}

#[test]
fn resampled_sessions_are_like_all_sessions() {
    let parameters = Parameters { sessions: 300, resamples: 1, ..quick() };
    let calibration = calibrate(&real(), &parameters).unwrap();
    let wired_tiger = calibration.cases.iter().find(|c| c.id == WIRED_TIGER).unwrap();
    // statistics.std of np.log of both arms, and np.median.
    assert!((wired_tiger.sd_log - 0.072932521604).abs() < 1e-9, "{}", wired_tiger.sd_log);
    assert!((wired_tiger.median_ms - 185.4205).abs() < 1e-9);
    let row = wired_tiger.rows.iter().find(|row| row.blocks == 10).unwrap();
    let caught = row.outcomes.iter().find(|o| o.effect == 0.1).unwrap().caught();
    // Python: 622 of all 1,102 windows of 10 blocks; the standard deviation at 300 is 2.9 %.
    assert!((caught - 0.5644).abs() < 0.1, "{caught}");
    assert_eq!(row.false_alarms.events, 0);
}

#[test]
fn what_to_choose_catches_the_change_and_seldom_stays_undecided() {
    let parameters = Parameters { sessions: 100, resamples: 1, ..quick() };
    let quiet = real();
    // The same launches with 1.6 times their spread, which is what other days show here.
    let mut noisy = real();
    for arms in noisy.cases.values_mut() {
        for time in arms.a.iter_mut().chain(&mut arms.b) {
            *time = 185.0 * (*time / 185.0).powf(1.6);
        }
    }
    let blocks = |record: &Record| {
        let calibration = calibrate(record, &parameters).unwrap();
        let case = calibration.cases.iter().find(|c| c.id == WIRED_TIGER);
        let case = case.unwrap();
        let advice = case.advice.iter().find(|a| a.effect == 0.1).unwrap();
        assert!(advice.enough, "{advice:?}");
        assert!(advice.caught >= 0.95 && advice.inconclusive <= 0.05);
        assert_eq!(advice.tolerance.share, 0.05);
        // Of the rows, which have the same tolerance, the shorter ones do not suffice.
        for row in case.rows.iter().filter(|row| row.blocks < advice.blocks) {
            let ended = |effect: f64| row.outcomes.iter().find(|o| o.effect == effect).unwrap();
            assert!(ended(0.1).regressed < 95 || ended(0.0).inconclusive > 5, "{row:?}");
        }
        advice.blocks
    };
    let (quiet, noisy) = (blocks(&quiet), blocks(&noisy));
    assert!(quiet < noisy, "{quiet} {noisy}");
}
