//! How often the rules are right: sessions of a simulated machine.

use crate::model::TransactionProfile as Profile;
use crate::stats::signed_rank::signed_rank_p;
use crate::stats::{
    Decision, MIN_SESSIONS, Ratio, classify, log_differences, looks, prediction_interval,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Launch times as measured ones are: log-normal about 160 ms with a sigma of 6 %, 5 % of them 1.3
/// to 2.7 times as long.
struct Machine(ChaCha8Rng);

impl Machine {
    /// A standard normal number from two uniform ones, after Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.0.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.0.random::<f64>()).cos()
    }

    fn launch(&mut self) -> f64 {
        let outlier = if self.0.random_bool(0.05) { self.0.random_range(1.3..2.7) } else { 1.0 };
        160.0 * (0.06 * self.normal()).exp() * outlier
    }

    /// Log differences of a case that takes `slowdown` times as long as its reference.
    fn blocks(&mut self, n: usize, slowdown: f64) -> Vec<f64> {
        let case: Vec<f64> = (0..n).map(|_| slowdown * self.launch()).collect();
        let reference: Vec<f64> = (0..n).map(|_| self.launch()).collect();
        log_differences(&case, &reference).unwrap()
    }

    /// A session that stops at the first look that is final.
    fn session(&mut self, slowdown: f64) -> Decision {
        let blocks = self.blocks(50, slowdown);
        let at = |look: usize| {
            let ratio = Ratio::of(&blocks[..look]).unwrap();
            classify(ratio.ci95.unwrap(), 0.05)
        };
        let mut outcomes = looks(10, 50).into_iter().map(at);
        outcomes.find(|outcome| outcome.is_final()).unwrap_or(Decision::Inconclusive)
    }

    fn share(&mut self, repetitions: u32, mut holds: impl FnMut(&mut Self) -> bool) -> f64 {
        let count = (0..repetitions).filter(|_| holds(self)).count();
        let share = count as f64 / f64::from(repetitions);
        println!("{count} of {repetitions}: {share}"); // seen with --nocapture
        share
    }
}

fn machine(seed: u64) -> Machine {
    Machine(ChaCha8Rng::seed_from_u64(seed))
}

#[test]
fn the_interval_covers_the_truth_as_often_as_it_says() {
    let coverage = machine(1).share(4_000, |machine| {
        let [lower, upper] = Ratio::of(&machine.blocks(30, 1.1)).unwrap().ci95.unwrap();
        lower <= 1.1 && 1.1 <= upper
    });
    assert!((0.94..=0.975).contains(&coverage), "{coverage}");
    // What the exact distribution leaves for n = 30, and three and a half standard errors of 4,000
    // repetitions.
    let fixture: Value = serde_json::from_str(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/stats/scipy.json"
    )))
    .unwrap();
    let nominal = fixture["coverage_n30"]["value"].as_f64().unwrap();
    assert!((coverage - nominal).abs() < 0.012, "{coverage} instead of {nominal}");
}

#[test]
fn identical_cases_differ_as_seldom_as_the_level_says() {
    let rejected =
        machine(2).share(4_000, |machine| signed_rank_p(&machine.blocks(30, 1.0)).unwrap() < 0.05);
    assert!((0.03..=0.065).contains(&rejected), "{rejected}");
}

#[test]
fn four_looks_raise_no_false_alarm() {
    let mut passed = 0;
    let alarms = machine(3).share(4_000, |machine| {
        let outcome = machine.session(1.0);
        passed += u32::from(outcome == Decision::Ok);
        outcome == Decision::Regressed
    });
    assert!(alarms < 0.003, "{alarms}");
    assert!(passed > 3_450, "only {passed} of 4,000 sessions of identical cases end with ok");
}

#[test]
fn four_looks_catch_a_slowdown() {
    let caught = machine(4).share(400, |machine| machine.session(1.2) == Decision::Regressed);
    assert!(caught > 0.97, "{caught}");
}

/// The interval at the first of `fair`'s looks at which it is within 5 % of the ratio and decides
/// this limit, or at the last.
fn stopped_by_width(machine: &mut Machine, ratio: f64, limit: f64) -> [f64; 2] {
    let plan = Profile::Fair.plan(1);
    let blocks = machine.blocks(plan.max_macros as usize, ratio);
    let at = |number: u32| {
        let ratio = Ratio::of(&blocks[..number as usize]).unwrap();
        let [lower, upper] = ratio.ci95.unwrap();
        let decided = upper < limit || lower > limit && plan.is_usual_look(number);
        let ends = ratio.is_within(plan.within.unwrap()) && decided;
        (ends || number == plan.max_macros).then_some([lower, upper])
    };
    let mut looks = (1..=plan.max_macros).filter(|number| plan.is_look(*number));
    looks.find_map(at).unwrap()
}

#[test]
fn an_end_by_width_leaves_the_interval_its_coverage() {
    // A limit far away is kept at once, so that the width alone ends it.
    let coverage = machine(6).share(1_000, |machine| {
        let [lower, upper] = stopped_by_width(machine, 1.1, 100.0);
        lower <= 1.1 && 1.1 <= upper
    });
    assert!((0.93..=0.97).contains(&coverage), "{coverage}");
}

#[test]
fn a_limit_that_is_kept_is_seldom_said_to_be_exceeded() {
    let alarms = machine(7).share(200, |machine| stopped_by_width(machine, 1.1, 1.1)[0] > 1.1);
    assert!(alarms < 0.1, "{alarms}");
    let alarms = machine(8).share(200, |machine| stopped_by_width(machine, 1.1, 1.15)[0] > 1.15);
    assert!(alarms < 0.01, "{alarms}");
}

#[test]
fn the_next_session_lies_in_its_prediction_interval() {
    let inside = machine(5).share(4_000, |machine| {
        let stored: Vec<f64> = (0..MIN_SESSIONS).map(|_| machine.normal()).collect();
        let [lower, upper] = prediction_interval(&stored).unwrap().interval95;
        (lower..=upper).contains(&machine.normal())
    });
    assert!((0.94..=0.96).contains(&inside), "{inside}");
}
