//! The command line of one mongod.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::mongod::Executable;

/// What to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The mongod.
    pub executable: Executable,
    /// The storage engine, as mongod spells it.
    pub engine: String,
    /// An existing folder for the data.
    pub db_path: PathBuf,
    /// More arguments, after ours.
    pub arguments: Vec<String>,
    /// Waited before mongod, in the same process: an injected slowdown. `Some(0)` is the wrapper
    /// without a wait.
    pub delay: Option<Duration>,
    /// How long it may take until it is ready.
    pub timeout: Duration,
}

impl Launch {
    /// The command: a port that mongod chooses itself (no race for a free one), loopback only, no
    /// socket file.
    pub fn command(&self) -> Command {
        let mut command = match self.delay {
            None => self.executable.command(),
            Some(delay) => self.executable.command_after(delay),
        };
        command
            .arg("--dbpath")
            .arg(&self.db_path)
            .args(["--port", "0", "--bind_ip", "127.0.0.1", "--nounixsocket"])
            .args(["--storageEngine", &self.engine])
            .args(&self.arguments);
        command
    }
}
