//! `mongate profile`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::console;
use crate::cli::console::Console;
use crate::cli::{Format, chosen, exit_code, print, without_rules};
use crate::config::{Blocks, Config};
use crate::error::{Error, Result};
use crate::host::write::Pending;
use crate::job;
use crate::plan::profile;
use crate::report::{html, json, phases};

#[derive(Debug, Args)]
pub struct Profile {
    /// Ids, patterns with '*', parts of an id, versions, or paths of mongods
    #[arg(required = true, value_name = "CASE")]
    cases: Vec<String>,
    /// Blocks to measure [default: 10] [env: MONGATE_BLOCKS]
    #[arg(long, value_name = "N")]
    blocks: Option<Blocks>,
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Also write a page with a timeline of every case
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Profile) -> Result<ExitCode> {
    let format = chosen(command.format)?;
    config.session.blocks = without_rules(command.blocks)?;
    config.session.seed = command.seed.or(config.session.seed);
    let asked = profile::cases(&mut config, &command.cases)?;
    // Before minutes of measuring, and not after them.
    let page = command.html.as_deref().map(page_at).transpose()?;
    let console = Console::new();
    let results = job::profile(&config, &asked, &console)?;
    console.clear();
    if let Some((page, path)) = page {
        page.finish(html::render(&results)?.as_bytes()).map_err(|e| failed(path, e))?;
    }
    print(&match format {
        Format::Table => phases::render(&results, console::style()),
        Format::Json => json::render(&results),
    })?;
    Ok(exit_code(&results))
}

/// Begins the page; its place is tried before the measurement.
fn page_at(path: &Path) -> Result<(Pending, &Path)> {
    let page = Pending::at(path).map_err(|e| failed(path, e).help("--html takes a file"))?;
    Ok((page, path))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::io(format_args!("cannot write {}", path.display()), error)
}
