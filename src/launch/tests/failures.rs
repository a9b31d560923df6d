//! Launches that fail, each class of failure on a real binary where one shows it: the cause, the
//! line that decided, the remedy, and nothing left.

mod binary;
mod db_path;
mod end;

use std::net::TcpListener;
use std::time::Duration;

use crate::dbpath::DataFolder;
use crate::error::Kind;
use crate::launch::{Launch, Launcher, Running};
use crate::mongod::Executable;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::testing::{
    data_folders, folder, launch, mongod, processes_naming, script, signal, wait_for,
};

/// The oldest with its plain text, and the newest with its JSON.
const DIALECTS: [&str; 2] = ["4.2", "6.0"];

/// A launch that must not get ready, in a place of its own.
struct Attempt {
    base: TempDir,
    folder: DataFolder,
    launch: Launch,
}

fn attempt(executable: &Executable, engine: &str) -> Attempt {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let launch = launch(executable, engine, &folder);
    Attempt { base, folder, launch }
}

impl Attempt {
    fn with(mut self, arguments: &[&str]) -> Self {
        self.launch.arguments = arguments.iter().map(|&a| a.to_owned()).collect();
        self
    }

    fn within(mut self, timeout: Duration) -> Self {
        self.launch.timeout = timeout;
        self
    }

    /// Puts a shell script between: `text`, in which MONGOD is the command without its arguments.
    fn through(mut self, text: &str) -> Self {
        let mongod = self.launch.executable.path.display().to_string();
        let text = format!("#!/bin/sh\n{}\n", text.replace("MONGOD", &mongod));
        self.launch.executable.path = script(self.base.path(), "mongod", &text);
        self
    }

    /// Lets `executable` fill the dbPath first, and end properly.
    #[track_caller]
    fn on_data_of(self, executable: &Executable, engine: &str) -> Self {
        let first = launch(executable, engine, &self.folder);
        let running = start(&first).unwrap_or_else(|e| panic!("{e}"));
        signal(running.id(), Signal::TERM);
        wait_for("its end", || processes_naming(self.base.path()).is_empty().then_some(()));
        running.stop().unwrap();
        self
    }

    #[track_caller]
    fn fails(self) -> Message {
        let error = start(&self.launch).expect_err("it started");
        assert_eq!(error.kind(), Kind::Environment);
        assert_eq!(processes_naming(self.base.path()), [0; 0], "{error}");
        drop(self.folder);
        assert_eq!(data_folders(self.base.path()), [""; 0], "{error}");
        Message(error.to_string())
    }
}

fn start(launch: &Launch) -> crate::Result<Running> {
    Launcher::new().unwrap().start(launch)
}

struct Message(String);

impl Message {
    /// The cause in the first line, the line that decided among the quoted ones, the remedy in the
    /// last.
    #[track_caller]
    fn says(&self, cause: &str, line: &str, remedy: &str) {
        let lines: Vec<&str> = self.0.lines().collect();
        let [first, quoted @ .., last] = &lines[..] else { panic!("{}", self.0) };
        assert!(first.contains(cause), "no {cause:?} in: {}", self.0);
        let found = quoted.iter().any(|l| l.starts_with("    ") && l.contains(line));
        assert!(found || line.is_empty(), "no {line:?} in: {}", self.0);
        assert!(
            last.starts_with("  help: ") && last.contains(remedy),
            "no {remedy:?} in: {}",
            self.0
        );
    }
}

#[test]
fn an_engine_that_this_build_lacks() {
    for version in DIALECTS {
        attempt(&mongod(version), "inMemory").fails().says(
            "this mongod has no such storage engine (exit code 100)",
            "unknown storage engine: inMemory",
            "take another engine or version",
        );
    }
}

#[test]
fn an_option_that_it_refuses() {
    let unknown = "mongod does not know one of its options (exit code 2)";
    let remove = "remove the option named above";
    let parameter = "mongod refused a parameter (exit code";
    let correct = "correct the parameter named above";
    let nowhere = "--noSuchOption";
    let key = ["--wiredTigerEngineConfigString", "no_such_key=1"];
    let value = ["--setParameter", "ttlMonitorSleepSecs=abc"];
    let name = ["--setParameter", "noSuchParameter=1"];
    for version in DIALECTS {
        let try_with = |arguments: &[&str]| {
            let executable = mongod(version);
            attempt(&executable, "wiredTiger").with(arguments).fails()
        };
        try_with(&[nowhere]).says(unknown, nowhere, remove);
        try_with(&["--port", "1"]).says("an option twice", "occurrences of option", remove);
        try_with(&name).says(parameter, "noSuchParameter", correct);
        try_with(&value).says(parameter, "ttlMonitorSleepSecs", correct);
        try_with(&key).says(
            "WiredTiger refused its configuration (exit code 14)",
            "'no_such_key'",
            "correct --wiredTigerEngineConfigString",
        );
        let lost = ["--wiredTigerCacheSizeGB", "much"];
        try_with(&lost).says(
            "mongod refused its options (exit code 2)",
            "wiredTigerCacheSizeGB",
            "correct the arguments",
        );
    }
}

/// All is well, says the exit code; but nothing listens.
#[test]
fn an_end_with_exit_code_0() {
    let cause = "mongod ended as if all were well, before it listened";
    let refused = ["--enableMajorityReadConcern", "false"];
    for (version, arguments, line) in [
        ("4.2", &["--help"][..], "--"),
        ("5.0", &refused, "enableMajorityReadConcern"),
        ("6.0", &["--sysinfo"], "_SC_"),
    ] {
        let attempt = attempt(&mongod(version), "wiredTiger").with(arguments);
        attempt.fails().says(cause, line, "remove the option");
    }
}

#[test]
fn a_port_that_is_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for version in DIALECTS {
        // An option of our own cannot be given twice, so that the script changes it.
        let change = format!(
            "for a; do shift; [ $a = 0 ] && a={port}; set -- \"$@\" \"$a\"; done; exec MONGOD \
                \"$@\""
        );
        let attempt = attempt(&mongod(version), "ephemeralForTest").through(&change);
        let message = attempt.fails();
        message.says(
            "the port is taken (exit code 48)",
            "Address already in use",
            "leave the port to mongate",
        );
    }
}
