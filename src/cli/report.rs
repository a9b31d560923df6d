//! `mongate report`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::output::OutputArgs;
use crate::error::Result;
use crate::host::target_folder;
use crate::job::runs;
use crate::model::results;
use crate::report::tables;

#[derive(Debug, Args)]
pub struct Report {
    /// Files, folders or run ids to merge [default: the last run]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(report: &Report) -> Result<ExitCode> {
    let output = report.output.open()?;
    let places = runs::find(&target_folder(), &report.runs)?;
    let all: Result<Vec<_>> = places.iter().map(|place| runs::read(place)).collect();
    if let Some(results) = results::merge(all?) {
        output.results(&tables::document(&results), &results)?;
    }
    Ok(ExitCode::SUCCESS)
}
