//! A session in which one arm is complete before the others, on real servers.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use mongate::measure;
use mongate::measure::{Measured, Plan, Store};
use mongate::model::Observer;
use mongate::model::Progress;
use mongate::mongod::Binary;
use mongate::mongod::Executable;
use mongate::plan::PlannedCase as Arm;

use super::{expected, launches, orders};
use crate::support::{data_folders, folder, wrapper};

const GOES_ON: &str = "startup::6.0::ephemeralForTest::disk";
const ENDS: &str = "startup::4.4::ephemeralForTest::disk";

fn arm(case: &str, base: &Path, first: &str, complete_after: Option<u32>) -> Arm {
    let version = if case == ENDS { "4.4" } else { "6.0" };
    let executable = Executable::new(wrapper(base, version, version, first));
    let binary = Binary { executable, version: format!("{version}.2").parse().unwrap() };
    Arm { complete_after, ready: Ok((binary, base.to_owned())), ..crate::gate::arm(case, 0) }
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

fn blocks(samples: &[mongate::model::Sample]) -> Vec<u32> {
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
    let told = [0, 0, 0, 1, 2, 3, 3, 4].map(|done| (done, 5));
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
