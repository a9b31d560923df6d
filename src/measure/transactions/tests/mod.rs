//! Transactions on real replica sets: every case in every arm does what it says, and what does not
//! is no number.

mod beyond;
mod overhead;
mod protocol;

use std::time::{Duration, Instant};

use crate::dbpath::DataFolder;
use crate::launch::{Launch, Launcher, ReplicaSet, Running};
use crate::measure::transactions::{Measured, measure};
use crate::model::TransactionProfile as Profile;
use crate::model::workload::{Arm, WORKLOADS, Workload};
use crate::plan::macros::Plan;
use mongodb::bson::{Document, doc};
use rustix::process::Signal;

use crate::testing::{data_folders, folder, launch, mongod, processes_naming, signal};

/// The two ends of what the driver speaks to: the article's server and the newest one here.
const VERSIONS: [&str; 2] = ["4.2", "6.0"];

fn plan(arms: &[Arm]) -> Plan {
    Plan { single: 3, many: 1, arms: arms.to_vec(), ..Profile::Quick.plan(1).with_macros(1) }
}

fn start(launch: &Launch) -> ReplicaSet {
    Launcher::new().unwrap().start_replica_set(launch).unwrap_or_else(|e| panic!("{e}"))
}

fn few(port: u16, workload: &'static Workload, arms: &[Arm]) -> crate::Result<Measured> {
    measure(port, workload, &plan(arms), |_| (), |_| true)
}

/// What the member answers.
fn ask(member: &Running, database: &str, command: Document) -> Document {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("mongodb://127.0.0.1:{}/?directConnection=true", member.port);
        let client = mongodb::Client::with_uri_str(url).await.unwrap();
        let database = client.database(database);
        database.run_command(command).await.unwrap()
    })
}

/// An id that is used again costs the server more each time, since a unique index walks past all of
/// its deleted keys.
#[test]
fn no_id_is_inserted_twice_and_the_documents_stay_as_many() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod("6.0"), "wiredTiger", &folder));
    // The ids that one macro-iteration of an arm inserts or deletes: 3 iterations of a document,
    // one of many.
    for (name, moves) in [
        ("insertOne", 3),
        ("deleteOne", 3),
        ("updateOne", 0),
        ("upsert", 3),
        ("insertMany", 300),
        ("bulkWrite", 34),
    ] {
        let workload = Workload::named(name).unwrap();
        few(set.member.port, workload, &[Arm::A, Arm::E]).unwrap();
        let documents = doc! {
            "aggregate": "first",
            "pipeline": [{ "$group": { "_id": null, "n": { "$sum": 1 }, "lowest": { "$min": "$id" }, "highest": { "$max": "$id" } } }],
            "cursor": {},
        };
        let answer = ask(&set.member, "mongate", documents);
        let cursor = answer.get_document("cursor").unwrap();
        let first = cursor.get_array("firstBatch").unwrap()[0].as_document();
        let first = first.unwrap();
        // Two arms, each with a macro-iteration that warms up.
        let lowest = 4 * moves;
        assert_eq!(
            (
                first.get_i32("n").unwrap(),
                first.get_i64("lowest").unwrap(),
                first.get_i64("highest").unwrap(),
            ),
            (6_000, lowest, lowest + 5_999),
            "{name}"
        );
    }
    set.member.stop().unwrap();
}

#[test]
fn a_replica_set_of_one_is_writable_and_says_when_it_got_there() {
    let base = folder();
    for version in VERSIONS {
        let folder = DataFolder::new(base.path()).unwrap();
        let before = Instant::now();
        let set = start(&launch(&mongod(version), "wiredTiger", &folder));
        let (member, stamps) = (set.member.stamps, set.stamps);
        let order = [
            before,
            member.spawn,
            member.listening,
            member.ready,
            stamps.initiate,
            stamps.primary,
            stamps.majority_write,
            Instant::now(),
        ];
        assert!(order.is_sorted(), "{version}: {order:?}");
        let hello = ask(&set.member, "admin", doc! { "isMaster": 1 });
        assert!(hello.get_bool("ismaster").unwrap(), "{version}: {hello}");
        let host = format!("127.0.0.1:{}", set.member.port);
        assert_eq!(hello.get_array("hosts").unwrap(), &[host.into()]);
        let count = ask(&set.member, "mongate", doc! { "count": "ready" });
        assert_eq!(count.get_i32("n").unwrap(), 1, "{version}");
        assert!(set.member.lines.iter().any(|l| l.text.contains("mongate")));
        set.member.stop().unwrap();
    }
    assert_eq!(processes_naming(base.path()), [0; 0]);
}

#[test]
fn an_engine_that_takes_no_majority_write_is_no_replica_set() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let launch = Launch {
        timeout: Duration::from_secs(6),
        ..launch(&mongod("6.0"), "ephemeralForTest", &folder)
    };
    let error = Launcher::new().unwrap().start_replica_set(&launch);
    let error = error.unwrap_err().to_string();
    let says = "became no replica set with ephemeralForTest: no majority write after 6s";
    assert!(error.contains(says), "{error}");
    assert_eq!(processes_naming(base.path()), [0; 0]);
}

fn every_case_in_every_arm(version: &str) {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod(version), "wiredTiger", &folder));
    for workload in &WORKLOADS {
        let name = workload.name;
        let measured = few(set.member.port, workload, &Arm::ALL)
            .unwrap_or_else(|e| panic!("{version} {name}: {e}"));
        let plan = plan(&Arm::ALL);
        // The warm-up is checked, too.
        let runs = u64::from(plan.macros + 1) * plan.iterations(workload) as u64;
        let sizes: usize = workload.steps.iter().map(|s| s.operation.size()).sum();
        assert_eq!(measured.checks.committed, 4 * runs, "{version} {name}: D, E, E0, G");
        assert_eq!(
            measured.checks.matched,
            Arm::ALL.len() as u64 * runs * sizes as u64,
            "{version} {name}"
        );
        assert_eq!(measured.checks.retries, 0, "{version} {name}");
        for measured in &measured.arms {
            let arm = measured.arm;
            assert_eq!(
                measured.macros.len(),
                plan.macros as usize,
                "{version} {name} {}",
                arm.letter
            );
            let (entries, writes) = (measured.work.entries, workload.written() > 0);
            let each = match (arm.transaction, writes) {
                (true, true) => [0, 1, 0],
                // What reads only writes a no-op to have something to wait for.
                (true, false) => [0, 0, 1],
                (false, _) => [workload.written(), 0, 0],
            };
            assert_eq!(
                [entries.writes, entries.transactions, entries.noops],
                each.map(|count| count * runs),
                "{version} {name} {}",
                arm.letter
            );
            for t in measured.macros.iter().map(|m| m.median) {
                assert_eq!(t.commit_us.is_some(), arm.transaction, "{name} {}", arm.letter);
                let parts = t.commit_us.unwrap_or(0.0);
                assert!(0.0 < t.first_us && t.first_us <= t.total_us && parts < t.total_us);
            }
        }
        // Counted by the server: all is back in its place, and what updates changed is as often
        // changed as they ran.
        for number in ["first", "second", "third"].iter().take(workload.collections()) {
            let count = ask(
                &set.member,
                "mongate",
                doc! { "count": number, "query": { "id": { "$gte": 0 } } },
            );
            assert_eq!(count.get_i32("n").unwrap(), 6_000, "{version} {name} {number}");
        }
        if name == "updateOne" {
            let arms = Arm::ALL.len() as i32;
            let rate = 1 + arms * i32::try_from(plan.macros + 1).unwrap();
            let query = doc! { "id": { "$lt": 3 }, "rate": rate };
            let count = ask(&set.member, "mongate", doc! { "count": "first", "query": query });
            assert_eq!(count.get_i32("n").unwrap(), 3, "{version}");
        }
    }
    set.member.stop().unwrap();
}

#[test]
fn every_case_is_right_in_every_arm_on_4_2() {
    every_case_in_every_arm("4.2");
}

#[test]
fn every_case_is_right_in_every_arm_on_6_0() {
    every_case_in_every_arm("6.0");
}

/// As in a public benchmark, which so measured ratios of 0.99 to 1.14.
#[test]
fn an_arm_that_forgets_its_session_is_no_number() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod("6.0"), "wiredTiger", &folder));
    let forgetful = Arm { passes_session: false, ..Arm::E };
    for name in ["insertOne", "findOne"] {
        let workload = Workload::named(name).unwrap();
        let error = few(set.member.port, workload, &[Arm::B, forgetful]).unwrap_err();
        let error = error.to_string();
        let says = "arm E (transaction, majority): the server counted 0 committed transactions in \
            3 iterations, and 3 were meant";
        assert!(error.contains(says), "{error}");
        // The same without the fault.
        few(set.member.port, workload, &[Arm::B, Arm::E]).unwrap();
    }
    set.member.stop().unwrap();
}

#[test]
fn a_standalone_is_refused_with_the_reason() {
    let base = folder();
    let launcher = Launcher::new().unwrap();
    for version in VERSIONS {
        let folder = DataFolder::new(base.path()).unwrap();
        let alone = launcher.start(&launch(&mongod(version), "wiredTiger", &folder));
        let alone = alone.unwrap_or_else(|e| panic!("{e}"));
        let workload = Workload::named("insertOne").unwrap();
        let error = few(alone.port, workload, &[Arm::E]).unwrap_err().to_string();
        let says = "mongod refuses a transaction (code 20): that takes a member of a replica set";
        assert!(error.contains(says), "{version}: {error}");
        alone.stop().unwrap();
    }
}

#[test]
fn iterations_that_need_more_documents_than_there_are_are_refused() {
    for (single, many) in [(3_001, 1), (1, 11), (0, 0)] {
        let plan = Plan { single, many, ..plan(&[Arm::A]) };
        let name = if many == 11 { "find" } else { "findOne" };
        let workload = Workload::named(name).unwrap();
        // Nothing listens there, and nothing has to.
        let error = measure(1, workload, &plan, |_| (), |_| true).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("documents; 1 to 3000 are there"), "{error}");
    }
}

#[test]
fn a_primary_that_is_killed_says_so_and_leaves_nothing() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let mut set = start(&launch(&mongod("6.0"), "wiredTiger", &folder));
    let pid = set.member.id();
    let workload = Workload::named("updateOne").unwrap();
    let error = measure(
        set.member.port,
        workload,
        &plan(&[Arm::B, Arm::E]),
        |done| {
            // After the warm-up.
            if done == 0 {
                signal(pid, Signal::KILL);
            }
        },
        |_| true,
    );
    let error = set.member.explain(error.unwrap_err()).to_string();
    let says = "mongod ended while it was measured: something killed it (signal 9 (SIGKILL))";
    assert!(error.starts_with(says), "{error}");
    drop((set, folder));
    assert_eq!(processes_naming(base.path()), [0; 0]);
    assert_eq!(data_folders(base.path()), [""; 0]);
}
