//! A program to start, with the libraries that it needs.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A program file and the folder of shared libraries that it needs beside the system's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// The program file.
    pub path: PathBuf,
    /// Put in front of LD_LIBRARY_PATH for this program alone.
    pub libraries: Option<PathBuf>,
}

impl Executable {
    /// A program at `path`; the folder `lib` beside its `bin` is where our cache keeps the
    /// libraries that it needs.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let libraries = path
            .parent()
            .filter(|folder| folder.ends_with("bin"))
            .and_then(|bin| bin.parent())
            .map(|top| top.join("lib"))
            .filter(|lib| lib.is_dir());
        Self { path, libraries }
    }

    /// A command for this program, without arguments.
    pub fn command(&self) -> Command {
        self.with_libraries(Command::new(&self.path))
    }

    /// As [`Executable::command`], through a shell that first sleeps and then becomes the program.
    pub fn command_after(&self, delay: Duration) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "sleep \"$0\"; exec \"$@\""])
            .arg(format!("{:.6}", delay.as_secs_f64()))
            .arg(&self.path);
        self.with_libraries(command)
    }

    fn with_libraries(&self, mut command: Command) -> Command {
        if let Some(libraries) = &self.libraries {
            let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            // An empty entry would mean the current folder.
            let inherited = std::env::split_paths(&inherited).filter(|f| !f.as_os_str().is_empty());
            let folders = std::iter::once(libraries.clone()).chain(inherited);
            // join_paths fails only for a folder with ':' in its name; then ours alone is the right
            // answer.
            let value = std::env::join_paths(folders).unwrap_or_else(|_| libraries.into());
            command.env("LD_LIBRARY_PATH", value);
        }
        command
    }
}
