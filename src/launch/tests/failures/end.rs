//! Mongods that something ends, or that never get ready.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::{Message, attempt, start};
use crate::testing::{mongod, processes_naming, signal, stand_in, wait_for};

const KILLED: &str = "something killed it (signal 9 (SIGKILL))";

#[test]
fn killed_while_it_starts() {
    let executable = mongod("6.0");
    // One that gets ready before it is seen is killed too late.
    let message = wait_for("a kill in time", || {
        let attempt = attempt(&executable, "wiredTiger");
        let base = attempt.base.path();
        let outcome = thread::scope(|scope| {
            let starting = scope.spawn(|| start(&attempt.launch));
            let pid = wait_for("mongod", || processes_naming(base).first().copied());
            signal(pid, Signal::KILL);
            starting.join().unwrap()
        });
        assert_eq!(processes_naming(base), [0; 0]);
        outcome.err().map(|error| error.to_string())
    });
    Message(message).says(KILLED, "", "give the machine or container more memory");
}

#[test]
fn killed_when_it_was_asked_whether_it_is_ready() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers = format!("--answers-on={port}");
    let attempt = attempt(&stand_in("listens-elsewhere"), "wiredTiger").with(&[&answers]);
    let base = attempt.base.path().to_owned();
    let killer = thread::spawn(move || {
        let _driver = listener.accept().unwrap();
        signal(processes_naming(&base)[0], Signal::KILL);
    });
    attempt.fails().says(KILLED, "Waiting for connections", "memory");
    killer.join().unwrap();
}

#[test]
fn killed_after_a_warning_of_something_else() {
    let attempt = attempt(&stand_in("is-killed-after-a-warning"), "wiredTiger");
    attempt.fails().says(KILLED, "mbind: Operation not permitted", "memory");
}

#[test]
fn never_listening() {
    let attempt =
        attempt(&stand_in("never-listens"), "wiredTiger").within(Duration::from_millis(700));
    attempt.fails().says(
        "was alive and not listening after 700ms",
        "MongoDB starting",
        "give it longer with `timeout` under [session]",
    );
}

/// A wrapper that sends the output to a file: its end is not the end of mongod.
#[test]
fn saying_nothing_at_all() {
    let attempt = attempt(&mongod("6.0"), "ephemeralForTest").within(Duration::from_secs(1));
    let message = attempt.through("exec MONGOD \"$@\" >/dev/null 2>&1").fails();
    message.says("was alive and not listening after 1s; it printed nothing", "", "`timeout`");
}

#[test]
fn listening_without_an_answer() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    // Nobody listens on port 1.
    for port in [silent.local_addr().unwrap().port(), 1] {
        let answers = format!("--answers-on={port}");
        let attempt = attempt(&stand_in("listens-elsewhere"), "wiredTiger").with(&[&answers]);
        attempt.within(Duration::from_millis(700)).fails().says(
            "listened, but the driver got no answer to a ping: ",
            "Waiting for connections",
            "a driver speaks to a range of server versions",
        );
    }
}

#[test]
fn talking_nonsense() {
    let message = attempt(&stand_in("talks-nonsense"), "wiredTiger").fails();
    message.says("mongod ended (exit code 3)", "an error in the end", "all that it said");
    assert!(message.0.len() < 2_000, "{} bytes", message.0.len());
}
