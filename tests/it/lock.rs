//! The machine's lock, seen from outside.

use std::fs::{File, exists};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Background, Sandbox, clean, run};

/// Nothing can be measured, so that a run ends as soon as it has the lock.
const CONFIG: &str = "[mongod]\nversions = ['7.0']\noptional = []\nsources = ['cache']\n";

/// A sandbox with an empty cache, and a command in it that uses this lock file.
fn mongate(sandbox: &Sandbox, verb: &str, lock: &Path) -> Command {
    let mut command = sandbox.private(&[verb]);
    command.env("MONGATE_LOCK", lock);
    command
}

#[test]
fn a_run_waits_for_the_lock_that_it_names_and_a_list_for_none() {
    let sandbox = Sandbox::new(CONFIG);
    let (lock, other) = (sandbox.path().join("lock"), sandbox.path().join("other"));
    let held = File::create(&lock).unwrap();
    held.lock().unwrap();
    let listed = run(&mut mongate(&sandbox, "list", &lock));
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let elsewhere = run(&mut mongate(&sandbox, "run", &other));
    assert!(!elsewhere.stderr.contains("waiting") && other.exists(), "{elsewhere:?}");
    let mut waits = Background::spawn(&mut mongate(&sandbox, "run", &lock));
    waits.says("waiting: another mongate measures on this machine");
    drop(held);
    assert_eq!(waits.end().code, elsewhere.code);
}

#[test]
fn a_fifo_at_the_lock_is_refused_at_once_and_stops_no_list() {
    let sandbox = Sandbox::new(CONFIG);
    let lock = sandbox.path().join("lock");
    assert!(Command::new("mkfifo").arg(&lock).status().unwrap().success());
    let begin = Instant::now();
    let refused = run(&mut mongate(&sandbox, "run", &lock));
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("it is not a regular file"), "{refused:?}");
    assert_eq!(run(&mut mongate(&sandbox, "list", &lock)).code, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_only_tmp_moves_the_lock_to_the_temporary_folder() {
    let sandbox = Sandbox::new(CONFIG);
    // A mount namespace. The binary and the sandbox stay reachable where they lie in /tmp.
    let script = "mount -t tmpfs none /mnt && mkdir /mnt/bin /mnt/place \
        && mount --rbind \"$1\" /mnt/bin && mount --rbind \"$2\" /mnt/place \
        && mount -t tmpfs -o ro none /tmp && cd /mnt/place || exit 77; exec /mnt/bin/mongate run";
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-Urm" };
    let mut command = Command::new("unshare");
    clean(&mut command);
    let binary = Path::new(env!("CARGO_BIN_EXE_mongate"));
    command.args([flags, "sh", "-c", script, "sh"]).arg(binary.parent().unwrap());
    command.arg(sandbox.path()).env("MONGATE_OFFLINE", "1").env("CARGO_TARGET_DIR", "target");
    command.env("HOME", "/mnt/place").env("XDG_CACHE_HOME", "/mnt/place/cache");
    let outcome = run(command.env("TMPDIR", "/mnt/place/tmp"));
    if outcome.code == Some(77) || outcome.stderr.starts_with("unshare:") {
        eprintln!("skipped: this system lets us mount nothing");
        return;
    }
    assert!(!outcome.stderr.contains("lock file"), "{outcome:?}");
    assert!(exists(sandbox.path().join("tmp/mongate.lock")).unwrap(), "{outcome:?}");
}
