//! `mongate test`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use clap::Args;

use crate::cli::console::{self, Console};
use crate::cli::print;
use crate::error::{Error, Result};
use crate::host::{guard, tool};
use crate::host::{results_folder, target_folder};
use crate::job;
use crate::job::runs;
use crate::model::Observer;
use crate::model::results::Results;
use crate::report::{tables, terminal};

/// What nextest is told of measurements.
const SETTINGS: &str = include_str!("nextest.toml");

#[derive(Debug, Args)]
pub struct Test {
    /// Arguments for `cargo nextest run`: packages, profiles, filters
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn run(config: Option<&Path>, test: &Test) -> Result<ExitCode> {
    // A signal is the runner's; mongate ends when it has.
    guard::watch_signals()?;
    let console = Console::new();
    // Here and not where the packages lie, in which the runner starts the tests.
    let target = absolute(target_folder())?;
    let folder = match results_folder() {
        Some(folder) => absolute(folder)?,
        None => target.join("mongate").join(job::new_run_id()),
    };
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    if has_nextest()? {
        let settings = write_settings(&target.join("mongate"))?;
        command.args(["nextest", "run", "--tool-config-file"]);
        command.arg(settings);
    } else {
        console.note(
            "cargo has no nextest here, so this is `cargo test`: `cargo install --locked \
            cargo-nextest` gets it",
        );
        command.arg("test");
    }
    command.args(&test.arguments).env("MONGATE_RESULTS", &folder);
    if let Some(config) = config {
        command.env("MONGATE_CONFIG", absolute(config.to_owned())?);
    }
    let status = tool::attended(&mut command)?;
    // No case ran where there is no folder, and the runner has said why.
    let results = folder.is_dir().then(|| runs::read(&folder)).transpose();
    let results = results.unwrap_or_else(|error| {
        console.note(&error.to_string());
        None
    });
    if let Some(results) = &results {
        print(&format!("\n{}", terminal::render(&tables::document(results), console::style())))?;
        console.note(&format!("kept in {}", folder.display()));
    }
    Ok(exit_code(status, results.as_ref()))
}

fn absolute(path: PathBuf) -> Result<PathBuf> {
    std::path::absolute(&path)
        .map_err(|e| Error::io(format_args!("cannot find {}", path.display()), e))
}

fn has_nextest() -> Result<bool> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    let output = tool::run(command.args(["nextest", "--version"]), || ())?;
    Ok(output.status.success())
}

/// Writes the settings; returns how nextest wants them named.
fn write_settings(folder: &Path) -> Result<OsString> {
    let file = folder.join("nextest.toml");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, SETTINGS))
        .map_err(|e| Error::io(format_args!("cannot write {}", file.display()), e))?;
    let mut named = OsString::from("mongate:");
    named.push(file);
    Ok(named)
}

/// 130 after a signal, 1 where the gate failed, else the runner's.
fn exit_code(runner: ExitStatus, results: Option<&Results>) -> ExitCode {
    if guard::interrupted() {
        return ExitCode::from(130);
    }
    if results.is_some_and(|results| results.failure().is_some()) {
        return ExitCode::from(1);
    }
    // A runner that a signal ended has no code.
    ExitCode::from(runner.code().map_or(1, |code| u8::try_from(code).unwrap_or(1)))
}
