//! One mongod from its spawn until it is ready, and then until its end.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::timeout_at;

use crate::error::{Error, Result};
use crate::host::guard;
use crate::host::guard::Owned;
use crate::launch::command::Launch;
use crate::launch::failure;
use crate::launch::failure::End;
use crate::launch::output::{Line, Output};
use crate::launch::ready;

/// When what happened, on the one monotonic clock of this process.
#[derive(Clone, Copy, Debug)]
pub struct Stamps {
    /// Right before fork and exec.
    pub spawn: Instant,
    /// The line that says mongod listens arrived.
    pub listening: Instant,
    /// The first `ping` through the driver was answered.
    pub ready: Instant,
}

/// Starts mongods, one after the other. Holds the runtime of the driver, so that no launch pays for
/// it.
#[derive(Debug)]
pub struct Launcher {
    pub(super) runtime: Runtime,
    /// Becomes true when a launch in progress is to be given up.
    pub(super) halt: Option<watch::Receiver<bool>>,
}

/// A mongod that is ready. Dropping it kills the process and waits for its end.
#[derive(Debug)]
pub struct Running {
    process: Owned,
    /// The port that it listens on, on 127.0.0.1.
    pub port: u16,
    /// When it got how far.
    pub stamps: Stamps,
    output: Output,
}

impl Running {
    /// The process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The log up to now.
    pub fn log(&self) -> Vec<Line> {
        self.output.lines()
    }

    /// Why something failed that this mongod was needed for: a signal asked for the end, or the
    /// mongod has ended, or else `error` itself.
    pub fn explain(&mut self, error: Error) -> Error {
        if guard::interrupted_within(HEARING) {
            return Error::interrupted();
        }
        match self.process.wait_until(Instant::now() + HEARING) {
            Ok(Some(status)) => failure::lost(status, &self.output.lines()),
            _ => error,
        }
    }

    /// Ends the process as an operator would, so that its data can be opened again without
    /// recovery.
    ///
    /// # Errors
    /// It ended in another way, or was still there after `limit`: it is killed then.
    pub fn shut_down(mut self, limit: Duration) -> Result<()> {
        let waited = |e| Error::io("cannot wait for mongod's end", e);
        self.process.terminate();
        match self.process.wait_until(Instant::now() + limit).map_err(waited)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.explain(failure::lost(status, &self.output.lines()))),
            None => Err(Error::environment(format!(
                "mongod did not shut down within {limit:?}, and was killed"
            ))
            .help("raise `timeout` under [session]")),
        }
    }

    /// Kills the process and waits for its end: right for data that is thrown away.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn stop(mut self) -> Result<()> {
        self.process.kill().map(drop).map_err(|e| Error::io("cannot wait for mongod's end", e))
    }
}

impl Launcher {
    /// # Errors
    /// The runtime cannot be set up.
    pub fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| Error::io("cannot set up the driver's runtime", e))?;
        Ok(Self { runtime, halt: None })
    }

    /// Starts a mongod and waits until it answers its first ping.
    ///
    /// # Errors
    /// It did not get there: the message names the cause, the last log lines and the remedy. The
    /// process is gone then.
    pub fn start(&self, launch: &Launch) -> Result<Running> {
        let pipe = |e| Error::io("cannot make a pipe for mongod's output", e);
        let (reader, writer) = std::io::pipe().map_err(pipe)?;
        let mut command = launch.command();
        command.stdin(Stdio::null()).stdout(writer.try_clone().map_err(pipe)?).stderr(writer);
        let spawn = Instant::now();
        let mut process = Owned::spawn(&mut command)?;
        // Our copies of the writing end: while one is open, the output has no end.
        drop(command);
        let mut output = Output::read(reader)?;
        let started = self.runtime.block_on(async {
            tokio::select! {
                started = become_ready(launch, spawn, &mut output) => started,
                () = self.halted() => Err(Stopped::Halted),
            }
        });
        let end = match started {
            Ok((port, stamps)) => {
                return Ok(Running { process, port, stamps, output });
            }
            // The end of the output is not always the end of the process: a wrapper may have sent
            // it elsewhere.
            Err(Stopped::Ended) => process
                .wait_until(spawn + launch.timeout)
                .map_err(|e| Error::io("cannot wait for mongod's end", e))?
                .map_or(End::TimedOut(launch.timeout), End::Exited),
            Err(Stopped::TimedOut) => End::TimedOut(launch.timeout),
            Err(Stopped::NoAnswer(error)) => End::NoAnswer(error.to_string()),
            Err(Stopped::Halted) => End::Halted,
        };
        // Killed before the message is made: whoever reads it may start the next one.
        let _ = process.kill();
        // Ctrl-C ends mongod too, perhaps before our own signal has been heard.
        if guard::interrupted_within(HEARING) {
            return Err(Error::interrupted());
        }
        Err(failure::explain(launch, &end, &output.lines()))
    }

    /// Waits until launches are to be given up: for ever, where nobody can say so.
    pub(super) async fn halted(&self) {
        if let Some(halt) = &self.halt
            && halt.clone().wait_for(|&halt| halt).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

/// How long a signal to the whole process group may take to be heard here.
const HEARING: Duration = Duration::from_millis(100);

enum Stopped {
    Ended,
    TimedOut,
    NoAnswer(mongodb::error::Error),
    Halted,
}

async fn become_ready(
    launch: &Launch,
    spawn: Instant,
    output: &mut Output,
) -> std::result::Result<(u16, Stamps), Stopped> {
    let deadline = tokio::time::Instant::from_std(spawn + launch.timeout);
    let (port, listening) = match timeout_at(deadline, output.listening()).await {
        Err(_) => return Err(Stopped::TimedOut),
        Ok(None) => return Err(Stopped::Ended),
        Ok(Some(found)) => found,
    };
    let answer = loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let answer = tokio::select! {
            answer = ready::ping(port, left) => answer,
            () = output.end() => return Err(Stopped::Ended),
        };
        match answer {
            Err(error) if ready::is_cut(&error) && !left.is_zero() => {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            answer => break answer,
        }
    };
    let ready = answer.map_err(Stopped::NoAnswer)?;
    let stamps = Stamps { spawn, listening, ready };
    Ok((port, stamps))
}
