//! `mongate report`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::format;
use crate::cli::format::Output;
use crate::cli::print;
use crate::error::Result;
use crate::host::target_folder;
use crate::job::runs;
use crate::model::results;

#[derive(Debug, Args)]
pub struct Report {
    /// Files, folders or run ids, which are brought together [default: the last run]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Output>,
}

pub fn run(report: &Report) -> Result<ExitCode> {
    let format = format::chosen(report.format)?;
    let places = runs::find(&target_folder(), &report.runs)?;
    let all: Result<Vec<_>> = places.iter().map(|place| runs::read(place)).collect();
    if let Some(results) = results::merge(all?) {
        print(&format::render(&results, format))?;
    }
    Ok(ExitCode::SUCCESS)
}
