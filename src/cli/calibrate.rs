//! `mongate calibrate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::console::Console;
use crate::cli::output::OutputArgs;
use crate::config;
use crate::config::{Blocks, Config, Milliseconds, Share};
use crate::error::{Error, Result};
use crate::job;
use crate::judge::calibrate;
use crate::judge::calibrate::{Parameters, Record, calibrate};
use crate::model;
use crate::model::Case;
use crate::model::Observer;
use crate::report::calibration;

#[derive(Debug, Args)]
pub struct Calibrate {
    /// Which cases: an id, a pattern with '*', or a part of an id [default: every engine of the
    /// last version, on the last dbPath kind]
    filter: Option<String>,
    /// Blocks to record; 500 take 4 to 12 minutes
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(20..=10_000))]
    blocks: u32,
    /// Judge this record again instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "blocks"])]
    record: Option<PathBuf>,
    /// Tolerance to judge with [default: the configuration's, 5%]
    #[arg(long, value_name = "SHARE")]
    tolerance: Option<Share>,
    /// Floor of the tolerance [default: the configuration's, 5ms]
    #[arg(long, value_name = "TIME")]
    floor: Option<Milliseconds>,
    /// Sessions to judge with: MIN..MAX blocks [default: 10..50]
    #[arg(long, value_name = "MIN..MAX")]
    session: Option<Blocks>,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order and of the drawn sessions [default: a new one; 1 with --record]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Calibrate) -> Result<ExitCode> {
    let output = command.output.open()?;
    let console = Console::new();
    let mut parameters =
        Parameters { tolerance: job::rules(&config).tolerance, ..Parameters::default() };
    if let Some(Share(share)) = command.tolerance {
        parameters.tolerance.share = share;
    }
    if let Some(Milliseconds(floor)) = command.floor {
        parameters.tolerance.floor_ms = floor;
    }
    if let Some(Blocks { min, max }) = command.session {
        (parameters.min_blocks, parameters.max_blocks) = (min as usize, max as usize);
    }
    let file = match &command.record {
        Some(file) => {
            parameters.seed = command.seed.unwrap_or(parameters.seed);
            file.clone()
        }
        None => {
            config.session.blocks = Blocks { min: command.blocks, max: command.blocks };
            config.session.seed = command.seed.or(config.session.seed);
            let cases = select(&config, command.filter.as_deref())?;
            job::identical(&config, &cases, &job::new_run_id(), &console)?
        }
    };
    let record = read(&file)?;
    console.clear();
    if record.cut {
        console.note(&format!("the last line of {} is cut off and does not count", file.display()));
    }
    let calibration = calibrate(&record, &parameters)?;
    output.document(&calibration::document(&calibration), &calibration)?;
    console
        .note(&format!("record: {}; `mongate calibrate --record` judges it again", file.display()));
    Ok(ExitCode::SUCCESS)
}

/// What the filter means; without one, every engine of the last version on the last dbPath kind.
/// The noise of a machine is the same for its other versions.
fn select(config: &Config, filter: Option<&str>) -> Result<Vec<Case>> {
    let all = config::startup_cases(config);
    if filter.is_some() {
        return model::select(all, filter);
    }
    let label = config.mongod.versions.last().or(config.mongod.optional.last()).cloned();
    let kind = config.startup.db_paths.last().copied();
    Ok(all
        .into_iter()
        .filter(|case| Some(&case.label) == label.as_ref() && Some(case.db_path) == kind)
        .collect())
}

fn read(file: &Path) -> Result<Record> {
    let text = fs::read_to_string(file).map_err(|e| {
        Error::usage(format!("cannot read the record {}: {e}", file.display()))
            .help("`mongate calibrate` without --record makes one")
    })?;
    calibrate::Record::parse(&text, file)
}
