//! Several servers at once: all of them at the same time, each on its own, and nothing of them afterwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::dbpath::DataFolder;
use crate::launch::{Launch, Launcher, Running, together};
use crate::testing::{data_folders, folder, launch, mongod, processes_naming, stand_in};

type Server = (Running, DataFolder);

fn start(launcher: &Launcher, (launch, folder): (Launch, DataFolder)) -> crate::Result<Server> {
    Ok((launcher.start(&launch)?, folder))
}

/// What was seen of one of them.
struct Seen {
    port: u16,
    folder: PathBuf,
    id: u32,
    ready: Instant,
    at: Instant,
    alive: usize,
}

#[test]
fn servers_that_start_together_are_up_together() {
    let base = folder();
    let executable = mongod("6.0");
    let folders: Vec<DataFolder> = (0..3).map(|_| DataFolder::new(base.path()).unwrap()).collect();
    let expected: Vec<_> = folders.iter().map(DataFolder::db).collect();
    let items = folders
        .into_iter()
        .map(|folder| (launch(&executable, "ephemeralForTest", &folder), folder));
    // None ends before all have looked around.
    let seen_all = Barrier::new(3);
    let seen = together(items.collect(), start, |(running, folder)| {
        let at = Instant::now();
        let alive = processes_naming(base.path()).len();
        seen_all.wait();
        Ok(Seen {
            port: running.port,
            folder: folder.db(),
            id: running.id(),
            ready: running.stamps.ready,
            at,
            alive,
        })
    });
    let seen = seen.unwrap_or_else(|e| panic!("{e}"));
    let ports: BTreeSet<u16> = seen.iter().map(|server| server.port).collect();
    let processes: BTreeSet<u32> = seen.iter().map(|server| server.id).collect();
    assert_eq!((ports.len(), processes.len()), (3, 3));
    // In the order that they were asked for.
    let folders: Vec<PathBuf> = seen.iter().map(|server| server.folder.clone()).collect();
    assert_eq!(folders, expected);
    assert!(seen.iter().all(|server| server.alive == 3));
    let last_ready = seen.iter().map(|server| server.ready).max();
    assert!(seen.iter().all(|server| Some(server.at) >= last_ready));
    assert_nothing_left(base.path());
}

#[track_caller]
fn assert_nothing_left(base: &Path) {
    assert_eq!(processes_naming(base), [0; 0]);
    assert_eq!(data_folders(base), [""; 0]);
}

/// The others need not get ready, or run into their timeout of two minutes, first.
#[test]
fn the_failure_of_one_ends_the_others() {
    let base = folder();
    let hangs = stand_in("never-listens");
    let item = |executable, arguments: &[&str]| {
        let folder = DataFolder::new(base.path()).unwrap();
        let mut launch = launch(executable, "ephemeralForTest", &folder);
        launch.arguments.extend(arguments.iter().map(|&a| a.to_owned()));
        (launch, folder)
    };
    let real = mongod("6.0");
    let items = vec![item(&hangs, &[]), item(&real, &["--noSuchOption"]), item(&hangs, &[])];
    let began = Instant::now();
    let error = together(items, start, |_| -> crate::Result<()> {
        panic!("looked at in spite of the failure")
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("mongod does not know one of its options"), "{error}");
    assert!(error.contains("noSuchOption"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(100), "only after its timeout");
    assert_nothing_left(base.path());
}
