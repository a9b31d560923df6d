//! Data folders in which no mongod can start.

use std::fs;
use std::process::Command;

use crate::dbpath::DataFolder;

use super::{Attempt, DIALECTS, attempt, start};
use crate::testing::{folder, launch, mongod, processes_naming};

#[test]
fn a_db_path_that_another_mongod_uses() {
    for version in DIALECTS {
        let executable = mongod(version);
        let base = folder();
        let folder = DataFolder::new(base.path()).unwrap();
        let running = start(&launch(&executable, "wiredTiger", &folder)).unwrap();
        let mut second = attempt(&executable, "wiredTiger");
        second.launch.db_path = folder.db();
        second.fails().says(
            "another mongod uses the dbPath (exit code 100)",
            "DBPathInUse",
            "end the other mongod",
        );
        assert_eq!(processes_naming(base.path()), [running.id()]);
    }
}

#[test]
fn a_db_path_that_is_not_there() {
    for version in DIALECTS {
        let attempt = attempt(&mongod(version), "wiredTiger");
        fs::remove_dir(attempt.folder.db()).unwrap();
        attempt.fails().says(
            "the dbPath does not exist (exit code 100)",
            "NonExistentPath",
            "something removed the folder",
        );
    }
}

#[test]
fn data_of_another_engine() {
    for version in DIALECTS {
        let executable = mongod(version);
        let attempt =
            attempt(&executable, "ephemeralForTest").on_data_of(&executable, "wiredTiger");
        attempt.fails().says(
            "the dbPath holds data of another storage engine (exit code 100)",
            "created by the 'wiredTiger' storage engine",
            "start with an empty dbPath",
        );
    }
}

#[test]
fn data_of_another_version() {
    let another = "the dbPath holds data of another version (exit code 62)";
    let check = "mongod gave up on a failed check (fassert) (exit code 14)";
    for (written_by, read_by, cause, line) in [
        ("4.2", "6.0", another, "UPGRADE PROBLEM"),
        ("6.0", "4.4", another, "UPGRADE PROBLEM"),
        ("6.0", "4.2", check, "Fatal Assertion"),
    ] {
        let attempt = attempt(&mongod(read_by), "wiredTiger");
        let attempt = attempt.on_data_of(&mongod(written_by), "wiredTiger");
        attempt.fails().says(cause, line, "start with an empty dbPath");
    }
}

/// A script that mounts a file system on the dbPath, which nobody else sees and which ends with
/// mongod; `None` where that is not allowed.
fn mounting(options: &str, attempt: &Attempt) -> Option<String> {
    let unshare = "unshare --mount --map-root-user sh -c";
    let allowed = format!("{unshare} 'mount -t tmpfs none /tmp'");
    let answer = Command::new("sh").args(["-c", &allowed]).output();
    if !answer.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: nothing can be mounted here");
        return None;
    }
    let db = attempt.folder.db();
    let mount = format!("mount -t tmpfs -o {options} none \"{}\" && exec \"$@\"", db.display());
    Some(format!("exec {unshare} '{mount}' sh MONGOD \"$@\""))
}

#[test]
fn a_db_path_without_space() {
    for version in DIALECTS {
        let attempt = attempt(&mongod(version), "wiredTiger");
        let Some(mount) = mounting("size=16k", &attempt) else {
            return;
        };
        attempt.through(&mount).fails().says(
            "there is no space left in the dbPath (signal 6 (SIGABRT))",
            "No space left on device",
            "MONGATE_RAMDISK",
        );
    }
}

#[test]
fn a_db_path_that_is_not_writable() {
    for version in DIALECTS {
        let attempt = attempt(&mongod(version), "wiredTiger");
        let Some(mount) = mounting("ro", &attempt) else {
            return;
        };
        attempt.through(&mount).fails().says(
            "the dbPath is not writable (exit code 100)",
            "ead-only",
            "check the owner and the mount options",
        );
    }
}
