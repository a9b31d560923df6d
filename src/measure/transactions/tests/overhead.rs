//! What mongate adds to an operation: its timed loop against a bare one over the driver that does
//! the same.
//!
//! Both on one replica set, in random order within each pair, on the RAM disk where there is one;
//! the unit is the median of a block of iterations. `cargo test --release --lib -- --ignored
//! --nocapture bench_transactions`; MONGATE_BENCH_PAIRS is how many.

use std::time::{Duration, Instant};

use crate::dbpath;
use crate::dbpath::{DataFolder, Env};
use crate::launch::{Launch, Launcher};
use crate::measure::Schedule;
use crate::measure::transactions::measure;
use crate::model::DbPathKind as Kind;
use crate::model::TransactionProfile as Profile;
use crate::model::workload::{Arm, Workload};
use crate::plan::macros::Plan;
use crate::stats::{Ratio, Summary, hodges_lehmann, log_differences, quantile};
use crate::testing::mongod;
use mongodb::bson::oid::ObjectId;
use mongodb::bson::{Document, doc};
use mongodb::options::{CollectionOptions, IndexOptions, ReadConcern, ServerAddress, WriteConcern};
use mongodb::{Client, Collection, IndexModel};

/// Iterations of a block.
const ITERATIONS: usize = 200;

type Answer<T> = Result<T, mongodb::error::Error>;

#[test]
#[ignore = "a measurement, which no run of the tests needs"]
fn bench_transactions() {
    let pairs = std::env::var("MONGATE_BENCH_PAIRS").map_or(40, |pairs| pairs.parse().unwrap());
    run(pairs).unwrap_or_else(|e| panic!("{e}"));
}

fn run(pairs: usize) -> crate::Result<()> {
    let executable = mongod("6.0");
    let environment = Env::current(&crate::host::target_folder());
    let place = dbpath::choose(Kind::Ramdisk, &environment)
        .or_else(|_| dbpath::choose(Kind::Disk, &environment))?;
    let folder = DataFolder::new(&place.base)?;
    let set = Launcher::new()?.start_replica_set(&Launch {
        executable: executable.clone(),
        engine: "wiredTiger".to_owned(),
        db_path: folder.db(),
        arguments: Vec::new(),
        delay: None,
        timeout: Duration::from_secs(60),
    })?;
    println!(
        "mongod 6.0, {}, {pairs} pairs of {ITERATIONS} iterations, w:1, us",
        place.file_system
    );
    for name in ["insertOne", "findOne"] {
        let Some(workload) = Workload::named(name) else {
            continue;
        };
        let plan = Plan {
            single: ITERATIONS,
            arms: vec![Arm::A],
            ..Profile::Quick.plan(1).with_macros(1)
        };
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        let mut schedule = Schedule::new(1, 2);
        for _ in 0..pairs {
            for side in schedule.block() {
                if side == 0 {
                    let measured = measure(set.member.port, workload, &plan, |_| (), |_| true)?;
                    ours.extend(measured.arms[0].medians_us());
                } else {
                    bare.push(bare_block(set.member.port, name).unwrap_or(f64::NAN));
                }
            }
        }
        report(name, &ours, &bare);
    }
    set.member.stop()
}

/// What a first attempt at measuring does: a client, documents, a loop with a clock around each
/// call; the second of two blocks counts, as ours has one that warms up.
fn bare_block(port: u16, name: &str) -> Answer<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let host = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: Some(port) };
        let options = mongodb::options::ClientOptions::builder().hosts(vec![host]).build();
        let database = Client::with_options(options)?.database("bare");
        database.drop().await?;
        let options = CollectionOptions::builder()
            .write_concern(WriteConcern::nodes(1))
            .read_concern(ReadConcern::local())
            .build();
        let collection: Collection<Document> = database.collection_with_options("first", options);
        let unique = IndexOptions::builder().unique(true).build();
        let index = IndexModel::builder().keys(doc! { "id": 1 }).options(unique).build();
        collection.create_index(index).await?;
        let all: Vec<Document> = (0..6_000).map(document).collect();
        collection.insert_many(&all).write_concern(WriteConcern::majority()).await?;
        let mut median = f64::NAN;
        for _ in 0..2 {
            let mut times = Vec::with_capacity(ITERATIONS);
            let fresh: Vec<Document> = (6_000..6_000 + ITERATIONS as i64).map(document).collect();
            for (new, id) in fresh.iter().zip(3_000_i64..) {
                let start = Instant::now();
                if name == "insertOne" {
                    collection.insert_one(new).await?;
                } else {
                    collection.find_one(doc! { "id": id }).await?;
                }
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
            collection
                .delete_many(doc! { "id": { "$gte": 6_000_i64 } })
                .write_concern(WriteConcern::majority())
                .await?;
            median = quantile(&times, 0.5).unwrap_or(f64::NAN);
        }
        Ok(median)
    })
}

fn document(id: i64) -> Document {
    doc! { "_id": ObjectId::new(), "id": id, "user": { "roles": [], "profile": {} }, "rate": 1 }
}

fn report(name: &str, ours: &[f64], bare: &[f64]) {
    let (Some(ours_), Some(bare_)) = (Summary::of(ours), Summary::of(bare)) else {
        println!("{name}: a block of the bare loop failed");
        return;
    };
    println!("{name}: bare median {:.1}, ours {:.1}", bare_.median, ours_.median);
    let differences: Vec<f64> = ours.iter().zip(bare).map(|(a, b)| a - b).collect();
    if let Some(shift) = hodges_lehmann(&differences) {
        let [low, high] = shift.ci95.unwrap_or([f64::NAN; 2]);
        println!("  ours - bare  {:.1} us, 95 % [{low:.1}, {high:.1}]", shift.estimate);
    }
    if let Some(ratio) = log_differences(ours, bare).and_then(|d| Ratio::of(&d)) {
        let [low, high] = ratio.ci95.unwrap_or([f64::NAN; 2]).map(|r| (r - 1.0) * 100.0);
        let estimate = (ratio.estimate - 1.0) * 100.0;
        println!("  ours over bare  {estimate:+.1} %, 95 % [{low:+.1}, {high:+.1}]");
    }
}
