//! `mongate advise`.

use std::process::ExitCode;

use clap::Args;

use crate::advise;
use crate::cli::console::{self, Console};
use crate::cli::{Format, chosen, exit_code, print};
use crate::config::{Blocks, Config, variable_of};
use crate::error::Result;
use crate::measure;
use crate::mongod::Label;
use crate::report;
use crate::report::json;

#[derive(Debug, Args)]
pub struct Advise {
    /// The servers that advice is wanted about [default: the first of `[mongod] versions` that runs here]
    #[arg(value_name = "VERSION")]
    labels: Vec<Label>,
    /// Blocks to measure; 10 take about 3 minutes [default: 10] [env: MONGATE_BLOCKS]
    #[arg(long, value_name = "N")]
    blocks: Option<Blocks>,
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Advise) -> Result<ExitCode> {
    let format = chosen(command.format)?;
    // Not those of [session]: without rules there is nothing to go on for.
    let blocks = variable_of("MONGATE_BLOCKS", str::parse)?;
    config.session.blocks = command
        .blocks
        .or(blocks)
        .unwrap_or(Blocks { min: 10, max: 10 });
    config.session.seed = command.seed.or(config.session.seed);
    let console = Console::new();
    let (results, labels) = measure::advise(&config, &command.labels, &console)?;
    console.clear();
    let advice = advise::advise(&results, &labels, measure::rules(&config).tolerance);
    print(&match format {
        Format::Table => report::advise::render(&advice, &results, console::style()),
        Format::Json => json::render(&advice),
    })?;
    Ok(exit_code(&results))
}
