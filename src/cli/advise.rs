//! `mongate advise`.

use std::process::ExitCode;

use clap::Args;

use crate::advise;
use crate::cli::console::Console;
use crate::cli::output::OutputArgs;
use crate::cli::{exit_code, without_rules};
use crate::config::{Blocks, Config};
use crate::error::{Error, Result};
use crate::host::target_folder;
use crate::job;
use crate::job::runs;
use crate::model::Label;
use crate::model::results::Results;
use crate::report;

#[derive(Debug, Args)]
pub struct Advise {
    /// The servers to advise on [default: the first of `[mongod] versions` that runs here]
    #[arg(value_name = "VERSION")]
    labels: Vec<Label>,
    /// Advise again from a saved run, without measuring: a file, a folder or a run id. VERSION is
    /// then every version of that run by default
    #[arg(long, value_name = "RUN", conflicts_with_all = ["blocks", "seed"])]
    run: Option<String>,
    /// Blocks of every case. Cases that show what flags do get three times as many. 10 blocks take 4
    /// to 5 minutes [default: 10] [env: MONGATE_BLOCKS]
    #[arg(long, value_name = "N")]
    blocks: Option<Blocks>,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Advise) -> Result<ExitCode> {
    let output = command.output.open()?;
    config.session.blocks = without_rules(command.blocks)?;
    config.session.seed = command.seed.or(config.session.seed);
    let console = Console::new();
    let (results, labels) = match &command.run {
        Some(run) => kept(run, &command.labels)?,
        None => job::advise(&config, &command.labels, &console)?,
    };
    console.clear();
    let advice = advise::advise(&results, &labels, job::rules(&config).tolerance);
    output.document(&report::advice::document(&advice, &results), &advice)?;
    Ok(exit_code(&results))
}

/// The results of a run, and the servers in them that advice is wanted about.
fn kept(run: &str, named: &[Label]) -> Result<(Results, Vec<Label>)> {
    let place = runs::find_one(&target_folder(), run)?;
    let results = runs::read(&place)?;
    let mut labels: Vec<Label> = Vec::new();
    for case in &results.startup {
        let label = case.label.parse()?;
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    if let Some(label) = named.iter().find(|label| !labels.contains(label)) {
        let known: Vec<&str> = labels.iter().map(Label::as_str).collect();
        return Err(Error::usage(format!(
            "no start of {label} is in the results {}, which are of {}",
            place.display(),
            known.join(", ")
        )));
    }
    Ok(match named {
        [] => (results, labels),
        named => (results, named.to_vec()),
    })
}
