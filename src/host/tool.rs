//! Runs a helper program (pip, `mongod --version`) to its end.

use std::fs::File;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;

use crate::error::{Error, Result};
use crate::host::guard;
use crate::host::guard::Owned;

/// What a helper program left.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Its standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

/// Runs `command` to its end with standard input closed and calls `tick` every few milliseconds
/// meanwhile.
///
/// # Errors
/// The program cannot be started, or a signal asked for the end (the program is killed then). A
/// program that fails is no error here: see [`Output::status`].
pub fn run(command: &mut Command, mut tick: impl FnMut()) -> Result<Output> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let mut owned = Owned::spawn(command)?;
    let stdout = drain(owned.child_mut().stdout.take());
    let stderr = drain(owned.child_mut().stderr.take());
    while !owned.has_ended() {
        tick();
        thread::sleep(Duration::from_millis(5));
    }
    let status = owned.wait().map_err(|e| Error::io("cannot wait for a helper program", e))?;
    if guard::interrupted() {
        return Err(Error::interrupted());
    }
    Ok(Output {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

/// Reads a pipe to its end on a thread of its own, so that neither of two full pipes can block the
/// program.
fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What could be read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a program that shares our terminal, outputs and input, to its end. Unlike with [`run`] a
/// signal does not kill it: it is one that ends its own children first (a test runner), so it is
/// asked, where the terminal has not asked it already, and waited for.
///
/// # Errors
/// The program cannot be started or waited for.
pub fn attended(command: &mut Command) -> Result<ExitStatus> {
    guard::watch_signals()?;
    let mut child = guard::spawn_attended(command)?;
    // A signal to our whole group has reached it already, and a second one would make it give up
    // its tests unasked: so it gets some time.
    const PATIENCE: Duration = Duration::from_secs(3);
    let mut interrupted = None;
    let mut asked = is_in_foreground();
    loop {
        let ended = child.try_wait();
        if let Some(status) = ended.map_err(|e| Error::io("cannot wait for the runner", e))? {
            return Ok(status);
        }
        if guard::interrupted() {
            let since = *interrupted.get_or_insert_with(Instant::now);
            if !asked && since.elapsed() > PATIENCE {
                asked = true;
                // The only failure is that it has just ended.
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a Ctrl-C of our terminal goes to us and to our children alike.
fn is_in_foreground() -> bool {
    let foreground = File::open("/dev/tty").and_then(|tty| Ok(tcgetpgrp(tty)?));
    foreground.is_ok_and(|group| group == getpgrp())
}
