//! `mongate profile`.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tempfile::NamedTempFile;

use crate::cli::console;
use crate::cli::console::Console;
use crate::cli::{Format, chosen, exit_code, print, without_rules};
use crate::config::{Blocks, Config};
use crate::error::{Error, Result};
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
    let page = command.html.as_deref().map(Page::at).transpose()?;
    let console = Console::new();
    let results = job::profile(&config, &asked, &console)?;
    console.clear();
    if let Some(page) = page {
        page.write(&html::render(&results)?)?;
    }
    print(&match format {
        Format::Table => phases::render(&results, console::style()),
        Format::Json => json::render(&results),
    })?;
    Ok(exit_code(&results))
}

/// A file that appears whole or not at all.
struct Page<'a> {
    path: &'a Path,
    temporary: NamedTempFile,
}

impl<'a> Page<'a> {
    fn at(path: &'a Path) -> Result<Self> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a folder", path.display()))
                .help("--html takes the name of a file"));
        }
        let temporary = tempfile::Builder::new()
            // As any new file: the umask takes what it wants.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent.unwrap_or(Path::new(".")))
            .map_err(|e| failed(path, e))?;
        Ok(Self { path, temporary })
    }

    fn write(mut self, text: &str) -> Result<()> {
        self.temporary.write_all(text.as_bytes()).map_err(|e| failed(self.path, e))?;
        self.temporary.persist(self.path).map_err(|e| failed(self.path, e.error))?;
        Ok(())
    }
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::io(format_args!("cannot write {}", path.display()), error)
}
