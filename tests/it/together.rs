//! Several servers at once: all of them at the same time, each on its own, and nothing of them
//! afterwards.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use mongate::dbpath::DataFolder;
use mongate::launch::{Launch, Launcher, Running, together};
use serde_json::Value;

use crate::support::{
    Sandbox, data_folders, folder, launch, mongod, processes_naming, run, stand_in,
};

type Server = (Running, DataFolder);

fn start(launcher: &Launcher, (launch, folder): (Launch, DataFolder)) -> mongate::Result<Server> {
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
    let error = together(items, start, |_| -> mongate::Result<()> {
        panic!("looked at in spite of the failure")
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("mongod does not know one of its options"), "{error}");
    assert!(error.contains("noSuchOption"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(100), "only after its timeout");
    assert_nothing_left(base.path());
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn a_session_tells_each_server_and_all_of_them() {
    let config = "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['6.0']\n\
                  [startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\nconcurrent = \
                  [1, 2]\n";
    let Some(sandbox) = Sandbox::in_ram(config) else {
        return;
    };
    let mut command = sandbox.private(&["run"]);
    command.env("XDG_CACHE_HOME", sandbox.cache(&["6.0.27"]));
    let outcome = run(command.env("COLUMNS", "160"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    sandbox.assert_clean();
    let table = &outcome.stdout;
    let header = table.lines().nth(1).unwrap();
    let columns: Vec<&str> = header.split_whitespace().collect();
    assert!(columns.ends_with(&["last", "RSS", "data"]), "{table}");
    let scale = "on N cores, the last of several against one alone, \
        startup::6.0::ephemeralForTest::ramdisk: x2 ";
    let cores = thread::available_parallelism().unwrap().to_string();
    let unwrapped = table.replace("\n    ", " ");
    assert!(unwrapped.contains(&scale.replace('N', &cores)), "{table}");

    let file = sandbox.results().join("results.json");
    let results: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let [one, two, _] = list(&results["startup"]) else {
        panic!("{results}");
    };
    assert_eq!(two["id"], "startup::6.0::ephemeralForTest::ramdisk::x2");
    assert_eq!((&one["at_once"], &two["at_once"]), (&1.into(), &2.into()));
    for sample in list(&one["samples"]) {
        assert_eq!((sample.get("servers"), sample.get("last_ready_ms")), (None, None));
    }
    assert_eq!(list(&two["samples"]).len(), 6);
    for sample in list(&two["samples"]) {
        let servers = list(&sample["servers"]);
        assert_eq!(servers.len(), 2);
        let number =
            |of: &Value, key: &str| of[key].as_f64().unwrap_or_else(|| panic!("{key}: {of}"));
        let sum = |key: &str| number(&servers[0], key) + number(&servers[1], key);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}: {sample}");
        // Of two the median is the mean.
        for key in ["first_line_ms", "listening_ms", "ready_ms", "rss_mb", "folder_mb"] {
            near(number(sample, key), sum(key) / 2.0);
        }
        near(number(sample, "total_rss_mb"), sum("rss_mb"));
        near(number(sample, "total_folder_mb"), sum("folder_mb"));
        let last = number(sample, "last_ready_ms");
        for server in servers {
            assert!(number(server, "listening_ms") <= number(server, "ready_ms"));
            assert!(number(server, "ready_ms") <= last + 0.01, "{sample}");
            assert!(number(server, "rss_mb") > 10.0 && number(server, "folder_mb") > 0.0);
        }
    }
}
