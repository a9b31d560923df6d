//! Whatever ends a launch in this process, its mongod ends, and its folder goes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::thread;

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::dbpath::DataFolder;
use crate::launch::Launcher;
use crate::testing::{
    data_folders, folder, launch, mongod, processes_naming, run, start, wait_for,
};

// -- in one process
// ---------------------------------------------------------------------------------

#[track_caller]
fn assert_nothing_left(base: &Path) {
    assert_eq!(processes_naming(base), [0; 0]);
    assert_eq!(data_folders(base), [""; 0]);
}

#[test]
fn a_panic_while_a_mongod_runs_leaves_nothing() {
    let base = folder();
    let executable = mongod("6.0");
    let mut pid = 0;
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let folder = DataFolder::new(base.path()).unwrap();
        let running = start(&executable, &folder);
        pid = running.id();
        assert_eq!(processes_naming(base.path()), [pid]);
        panic!("on purpose");
    }));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"on purpose"));
    assert_nothing_left(base.path());
    assert!(!fs::exists(format!("/proc/{pid}")).unwrap(), "killed, not reaped");
}

#[test]
fn a_panic_in_another_thread_ends_its_own_mongod_only() {
    let base = folder();
    let executable = mongod("6.0");
    let folder = DataFolder::new(base.path()).unwrap();
    let running = start(&executable, &folder);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let folder = DataFolder::new(base.path()).unwrap();
            let _running = start(&executable, &folder);
            assert_eq!(processes_naming(base.path()).len(), 2);
            panic!("on purpose");
        });
        assert_eq!(other.join().unwrap_err().downcast_ref(), Some(&"on purpose"));
    });
    assert_eq!(processes_naming(base.path()), [running.id()]);
    assert_eq!(data_folders(base.path()).len(), 1);
}

/// Open files and threads of this process.
fn held() -> usize {
    let count = |what| fs::read_dir(format!("/proc/self/{what}")).map_or(0, Iterator::count);
    count("fd") + count("task")
}

/// Not a test: the process of [`many_launches_leave_nothing`], in which no other test opens files.
#[test]
#[ignore = "a helper process of many_launches_leave_nothing"]
fn many_launches() {
    let Some(base) = std::env::var_os("MONGATE_TEST_LAUNCHES_BASE") else {
        return;
    };
    let base = Path::new(&base);
    let executable = mongod("6.0");
    let launcher = Launcher::new().unwrap();
    let mut first = None;
    for _ in 0..20 {
        let folder = DataFolder::new(base).unwrap();
        let mut launch = launch(&executable, "ephemeralForTest", &folder);
        let running = launcher.start(&launch).unwrap_or_else(|e| panic!("{e}"));
        running.stop().unwrap();
        launch.arguments.push("--noSuchOption".to_owned());
        launcher.start(&launch).unwrap_err();
        drop(folder);
        assert_nothing_left(base);
        assert_eq!(wait(WaitOptions::NOHANG).unwrap_err(), Errno::CHILD, "a child is left");
        // The threads that read the output are just ending.
        let now = wait_for("the usual files and threads", || {
            let now = held();
            first.is_none_or(|first| now <= first).then_some(now)
        });
        first.get_or_insert(now);
    }
}

#[test]
fn many_launches_leave_nothing() {
    let base = folder();
    let (_, module) = module_path!().split_once("::").unwrap();
    let outcome = run(Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--nocapture", "--exact"])
        .arg(format!("{module}::many_launches"))
        .env("MONGATE_TEST_LAUNCHES_BASE", base.path()));
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("1 passed"), "{}", outcome.stdout);
}
