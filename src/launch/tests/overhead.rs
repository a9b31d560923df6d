//! What mongate adds to a start-up: its launch against a bare loop that spawns the same binary and
//! reads until it listens.
//!
//! Both in one run, in random order within each pair, on the RAM disk where there is one. `cargo
//! test --release --lib -- --ignored --nocapture bench_launch`; MONGATE_BENCH_PAIRS is how many.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::dbpath;
use crate::dbpath::{DataFolder, Env};
use crate::launch::{Launch, Launcher};
use crate::measure::Schedule;
use crate::model::DbPathKind as Kind;
use crate::mongod::Executable;
use crate::stats::{Summary, hodges_lehmann, quantile};
use crate::testing::mongod;

#[test]
#[ignore = "a measurement, which no run of the tests needs"]
fn bench_launch() {
    let pairs = std::env::var("MONGATE_BENCH_PAIRS").map_or(100, |pairs| pairs.parse().unwrap());
    run(pairs).unwrap_or_else(|e| panic!("{e}"));
}

fn run(pairs: usize) -> crate::Result<()> {
    let executable = mongod("6.0");
    let environment = Env::current(&crate::host::target_folder());
    let place = dbpath::choose(Kind::Ramdisk, &environment)
        .or_else(|_| dbpath::choose(Kind::Disk, &environment))?;
    let launcher = Launcher::new()?;
    println!("mongod 6.0, {}, {pairs} pairs, ms", place.file_system);
    for engine in ["ephemeralForTest", "wiredTiger"] {
        let launch = |db_path: &Path| Launch {
            executable: executable.clone(),
            engine: engine.to_owned(),
            db_path: db_path.to_owned(),
            arguments: Vec::new(),
            delay: None,
            timeout: Duration::from_secs(60),
        };
        let (mut ours, mut bare, mut ready) = (Vec::new(), Vec::new(), Vec::new());
        let mut schedule = Schedule::new(1, 2);
        for pair in 0..pairs + 2 {
            let mut times = [0.0; 2];
            for arm in schedule.block() {
                let folder = DataFolder::new(&place.base)?;
                if arm == 0 {
                    let running = launcher.start(&launch(&folder.db()))?;
                    let stamps = running.stamps;
                    times[0] = (stamps.listening - stamps.spawn).as_secs_f64() * 1e3;
                    if pair >= 2 {
                        ready.push((stamps.ready - stamps.listening).as_secs_f64() * 1e3);
                    }
                    running.stop()?;
                } else {
                    times[1] = bare_start(&executable, &folder.db(), engine);
                }
            }
            // The first two pairs warm the page cache.
            if pair >= 2 {
                ours.push(times[0]);
                bare.push(times[1]);
            }
        }
        report(engine, &ours, &bare, &ready);
    }
    Ok(())
}

/// What a first attempt at measuring does: spawn, read lines until one says that it listens, kill.
fn bare_start(executable: &Executable, db: &Path, engine: &str) -> f64 {
    let mut command = Command::new(&executable.path);
    if let Some(libraries) = &executable.libraries {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    command
        .arg("--dbpath")
        .arg(db)
        .args(["--port", "0", "--bind_ip", "127.0.0.1", "--nounixsocket"])
        .args(["--storageEngine", engine])
        .stdout(Stdio::piped());
    let spawn = Instant::now();
    let mut child = command.spawn().expect("mongod starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output is piped"));
    let mut line = String::new();
    while !line.contains("aiting for connections") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("its output is text") > 0, "it ended");
    }
    let time = spawn.elapsed().as_secs_f64() * 1e3;
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    time
}

fn report(engine: &str, ours: &[f64], bare: &[f64], ready: &[f64]) {
    let differences: Vec<f64> = ours.iter().zip(bare).map(|(a, b)| a - b).collect();
    let (Some(ours_), Some(bare_), Some(ready)) =
        (Summary::of(ours), Summary::of(bare), Summary::of(ready))
    else {
        return;
    };
    let p99 = |values| quantile(values, 0.99).unwrap_or(f64::NAN);
    println!("{engine}");
    println!("  bare   median {:.2}, p99 {:.2}", bare_.median, p99(bare));
    println!("  ours   median {:.2}, p99 {:.2}", ours_.median, p99(ours));
    if let Some(shift) = hodges_lehmann(&differences) {
        let [low, high] = shift.ci95.unwrap_or([f64::NAN; 2]);
        println!("  ours - bare  {:.2}, 95 % [{low:.2}, {high:.2}]", shift.estimate);
    }
    println!(
        "  medians' difference {:.2}, p99s' difference {:.2}",
        ours_.median - bare_.median,
        p99(ours) - p99(bare)
    );
    println!("  ready after listening  median {:.2}, p95 {:.2}", ready.median, ready.p95);
}
