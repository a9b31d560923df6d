//! Asks a binary for its version.

use crate::error::{Error, Result};
use crate::host::{guard, tool};
use crate::model::Version;
use crate::mongod::Executable;

/// Asks a binary for its version with `mongod --version`.
///
/// # Errors
/// The binary does not run here (a shared library is missing, another architecture, not
/// executable), or it is no mongod.
pub fn ask(executable: &Executable) -> Result<Version> {
    let path = executable.path.display();
    let output = tool::run(executable.command().arg("--version"), || ())?;
    if let Some(version) = parse(&output.stdout) {
        return Ok(version);
    }
    let said = match output.stderr.trim() {
        "" => output.stdout.trim(),
        stderr => stderr,
    };
    Err(Error::environment(format!(
        "{path} does not say its version ({}): {said}",
        guard::describe(output.status)
    ))
    .help(
        "is it a mongod for this system? `ldd` lists the libraries that it misses; `mongate \
        install <version>` fetches one that runs",
    ))
}

/// Reads the line `db version v6.0.27` of `mongod --version`.
fn parse(output: &str) -> Option<Version> {
    output
        .lines()
        .find_map(|line| line.trim().strip_prefix("db version v"))
        .and_then(|text| Version::parse(text.trim()).ok())
}
