//! `mongate profile`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::console::Console;
use crate::cli::output::OutputArgs;
use crate::cli::{exit_code, without_rules};
use crate::config::{Blocks, Config};
use crate::error::Result;
use crate::job;
use crate::plan::profile;
use crate::report::phases;

#[derive(Debug, Args)]
pub struct Profile {
    /// Ids, patterns with '*', parts of an id, versions, or paths of mongods
    #[arg(required = true, value_name = "CASE")]
    cases: Vec<String>,
    /// Blocks to measure [default: 10] [env: MONGATE_BLOCKS]
    #[arg(long, value_name = "N")]
    blocks: Option<Blocks>,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Profile) -> Result<ExitCode> {
    let output = command.output.open()?;
    config.session.blocks = without_rules(command.blocks)?;
    config.session.seed = command.seed.or(config.session.seed);
    let asked = profile::cases(&mut config, &command.cases)?;
    let console = Console::new();
    let results = job::profile(&config, &asked, &console)?;
    console.clear();
    output.results(&phases::document(&results), &results)?;
    Ok(exit_code(&results))
}
