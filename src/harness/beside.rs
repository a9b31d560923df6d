//! Tells whether other tests run beside a measurement.

use std::env;
use std::fs::{self, OpenOptions};
use std::path::Path;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// What to do about it.
const NOTE: &str = "other tests of this nextest run are running beside the measurement, which \
    makes it unsteady. Run `mongate test`, or put \
this into .config/nextest.toml:
    [[profile.default.overrides]]
    filter = 'test(/^(startup|transactions)::/)'
    threads-required = \"num-test-threads\"";

/// Whether nextest runs another test now: its children are the tests that are running. With
/// measurements that need all its threads this one is alone.
pub fn are_running() -> bool {
    let alone = |name: &str| env::var(name).is_ok_and(|threads| threads == "1");
    if env::var_os("NEXTEST_RUN_ID").is_none() || alone("NEXTEST_TEST_THREADS") {
        return false;
    }
    let mut system = System::new();
    system.refresh_processes_specifics(
        ProcessesToUpdate::All,
        false,
        ProcessRefreshKind::nothing(),
    );
    let own = Pid::from_u32(std::process::id());
    let Some(runner) = system.process(own).and_then(sysinfo::Process::parent) else {
        return false;
    };
    system.processes().values().any(|process| {
        process.parent() == Some(runner) && process.pid() != own && process.thread_kind().is_none()
    })
}

/// The note for the first process of a run that asks.
pub fn note(run: &Path) -> Option<&'static str> {
    fs::create_dir_all(run).ok()?;
    let mut options = OpenOptions::new();
    let first = options.write(true).create_new(true).open(run.join("beside"));
    first.is_ok().then_some(NOTE)
}
