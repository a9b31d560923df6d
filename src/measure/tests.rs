//! A session in which one arm is complete before the others, on real servers.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::measure;
use crate::measure::{Measured, Plan, Schedule, Store};
use crate::model::Observer;
use crate::model::Progress;
use crate::mongod::Binary;
use crate::mongod::Executable;
use crate::plan::PlannedCase as Arm;

use crate::testing::{data_folders, folder, wrapper};
use serde_json::Value;

const GOES_ON: &str = "startup::6.0::ephemeralForTest::disk";
const ENDS: &str = "startup::4.4::ephemeralForTest::disk";

fn arm(case: &str, base: &Path, first: &str, complete_after: Option<u32>) -> Arm {
    let version = if case == ENDS { "4.4" } else { "6.0" };
    let executable = Executable::new(wrapper(base, version, version, first));
    let binary = Binary { executable, version: format!("{version}.2").parse().unwrap() };
    Arm { complete_after, ready: Ok((binary, base.to_owned())), ..crate::testing::arm(case, 0) }
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

/// The same from the schedule, without the two blocks of the warm-up.
fn expected(seed: u64, slots: usize, blocks: usize) -> Vec<Vec<u64>> {
    let mut schedule = Schedule::new(seed, slots);
    let order = |_| {
        let order = schedule.block();
        let position = |slot| 1 + order.iter().position(|&s| s == slot).unwrap() as u64;
        (0..slots).map(position).collect()
    };
    (0..blocks + 2).map(order).skip(2).collect()
}

/// What a session said of its progress.
#[derive(Default)]
struct Heard(RefCell<Vec<(u32, u32)>>);

impl Progress for Heard {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

impl Observer for Heard {
    fn note(&self, _: &str) {}
    fn blocks(&self, done: u32, of: u32) {
        self.0.borrow_mut().push((done, of));
    }
}

fn blocks(samples: &[crate::model::Sample]) -> Vec<u32> {
    samples.iter().map(|sample| sample.block).collect()
}

#[test]
fn an_arm_that_is_complete_leaves_the_others_their_blocks() {
    let base = folder();
    let count = base.path().join("starts");
    let count = count.display();
    // Twice a block, as arm and sentinel, of which two are warm-up: start 11 is in block 4, when
    // the other arm is complete.
    let fails_once = format!(
        "echo >> '{count}'; [ $(wc -l < '{count}') -ne 11 ] || {{ echo out of luck; exit 1; }}"
    );
    let arms =
        vec![arm(GOES_ON, base.path(), &fails_once, None), arm(ENDS, base.path(), "", Some(2))];
    let plan = Plan { min: 5, max: 5, seed: 7, timeout: Duration::from_secs(120) };
    let mut store = Store::create(base.path(), "run/complete").unwrap();
    let heard = Heard::default();
    let looks = RefCell::new(Vec::new());
    let look = |measured: &Measured| {
        looks.borrow_mut().push(measured.blocks);
        false
    };
    let measured = measure::run(arms, &plan, &mut store, &heard, look).unwrap();

    let samples = &measured.samples;
    assert_eq!((blocks(&samples[0]), blocks(&samples[1])), (vec![1, 2, 3, 4, 5], vec![1, 2]));
    let (twin, sentinel) = measured.sentinel.as_ref().unwrap();
    assert_eq!((*twin, blocks(sentinel)), (0, vec![1, 2, 3, 4, 5]));
    let void: Vec<(u32, &str)> =
        measured.voided.iter().map(|void| (void.block, void.case.as_str())).collect();
    assert_eq!(void, [(4, GOES_ON)]);
    assert_eq!((measured.blocks, measured.interrupted), (5, false));
    assert_eq!(looks.into_inner(), [5]);
    // The warm-up, the blocks, and the one that was measured again.
    let told = [0, 0, 0, 1, 2, 3, 4, 5].map(|done| (done, 5));
    assert_eq!(heard.0.into_inner(), told);

    let launches = launches(store.folder());
    let all = [(GOES_ON, false), (ENDS, false), (GOES_ON, true)];
    let (first, later) = launches.split_at(2 * all.len());
    assert_eq!(orders(first, &all), expected(7, 3, 2));
    let later: Vec<_> = later
        .iter()
        .map(|(block, position, case, sentinel)| (block - 2, *position, case.clone(), *sentinel))
        .collect();
    assert_eq!(orders(&later, &[all[0], all[2]]).len(), 3);
    assert_eq!(data_folders(base.path()), [""; 0]);
}

#[test]
fn a_session_ends_when_every_arm_is_complete() {
    let base = folder();
    let arms = [Some(1), Some(2)].map(|after| arm(GOES_ON, base.path(), "", after));
    let plan = Plan { min: 9, max: 9, seed: 7, timeout: Duration::from_secs(120) };
    let mut store = Store::create(base.path(), "run/complete").unwrap();
    let heard = Heard::default();
    let measured = measure::run(arms.to_vec(), &plan, &mut store, &heard, |_| false).unwrap();
    assert_eq!(measured.blocks, 2);
    // The first is what the second is compared with, and goes on with it.
    for samples in &measured.samples {
        assert_eq!(blocks(samples), [1, 2]);
    }
    assert!(heard.0.into_inner().iter().all(|(_, of)| *of == 2));
}
