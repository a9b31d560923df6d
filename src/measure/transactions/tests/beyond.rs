//! The cases beyond the article's: each does on real servers what it says, which run when, and what
//! the command shows of them.

use crate::dbpath::DataFolder;
use crate::measure::transactions::{COMMITS, Measured};
use crate::model::workload::{Arm, BEYOND, Shape, Workload};

use super::{few, plan, start};
use crate::testing::{folder, launch, mongod};

/// Measures these on one server of this version, and looks at what each gave.
fn measured(
    version: &str,
    workloads: &[&'static Workload],
    mut look: impl FnMut(&Workload, &Measured),
) {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod(version), "wiredTiger", &folder));
    for workload in workloads {
        let measured = few(set.member.port, workload, &[Arm::A, Arm::B, Arm::D, Arm::E]);
        let measured = measured.unwrap_or_else(|e| panic!("{version} {}: {e}", workload.name));
        look(workload, &measured);
    }
    set.member.stop().unwrap();
}

/// What the checks inside did not already compare.
fn is_right(workload: &Workload, measured: &Measured) {
    let name = workload.name;
    assert_eq!(measured.checks.retries, 0, "{name}");
    match &workload.shape {
        Shape::Arms => {
            assert_eq!(measured.arms.len(), 4, "{name}");
            // Two macro-iterations, the one that warms up included.
            let iterations = 2 * plan(&[]).iterations(workload) as u64;
            let concerned = workload.steps.iter().map(|step| step.operation.concerned());
            assert_eq!(measured.checks.matched, 4 * iterations * concerned.sum::<u64>(), "{name}");
            assert_eq!(measured.checks.committed, 2 * iterations, "{name}");
        }
        Shape::Lanes(set) => {
            let names: Vec<&str> = measured.lanes.iter().map(|(lane, _)| lane.name).collect();
            let meant: Vec<&str> = set.lanes.iter().map(|lane| lane.name).collect();
            assert_eq!(names, meant, "{name}");
            for (lane, samples) in &measured.lanes {
                let [sample] = samples[..] else {
                    panic!("{name} {lane:?}: {samples:?}");
                };
                assert!(0.0 < sample.total_us && 0.0 < sample.mean_us, "{name} {sample:?}");
                if lane.operations == 0 {
                    assert_eq!(sample.oplog_entries, 0.0, "{name} {sample:?}");
                }
            }
        }
        Shape::Conflicts => {
            assert_eq!(measured.crowds.len(), 24);
            assert_eq!(measured.checks.matched, 2 * 24 * COMMITS as u64);
            assert_eq!(measured.checks.committed, 24 * COMMITS as u64);
            for (crowd, samples) in &measured.crowds {
                let [sample] = samples[..] else {
                    panic!("{crowd:?}: {samples:?}");
                };
                assert!(0.0 < sample.commits_per_s && 0.0 < sample.p99_us, "{crowd:?} {sample:?}");
                // Who is alone on a document has nobody to yield to.
                if crowd.clients == 1 || !crowd.hot {
                    assert_eq!(sample.retries, 0.0, "{crowd:?}");
                }
            }
            let crowded = |measured: &Measured| {
                let mut hot = measured.crowds.iter().filter(|(c, _)| c.hot && c.transaction);
                hot.any(|(_, samples)| samples[0].retries > 0.0)
            };
            assert!(crowded(measured), "{measured:?}");
        }
    }
}

#[test]
fn every_case_beyond_the_article_is_right_on_6_0() {
    let all: Vec<&Workload> = BEYOND.iter().collect();
    measured("6.0", &all, is_right);
}

#[test]
fn the_cases_that_differ_by_version_are_right_on_4_2_too() {
    let names =
        ["bulkWrite", "upsert", "aggregate", "writeConcern", "readOnly", "abort-x1", "and_run"];
    let some = names.map(|name| Workload::named(name).unwrap());
    measured("4.2", &some, is_right);
}
