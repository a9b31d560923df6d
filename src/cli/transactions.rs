//! `mongate transactions`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::console::{self, Console};
use crate::cli::{Format, chosen, print};
use crate::config::{Cases, Config, MacroIterations, variable_of};
use crate::error::{Error, Result};
use crate::measure;
use crate::report::{explain, json, transactions};
use crate::results::{Results, Status};
use crate::workload::{self, Profile};

#[derive(Debug, Args)]
pub struct Transactions {
    /// An id, a pattern with '*', or a part of an id
    filter: Option<String>,
    /// How thorough: quick, fair or article [default: the configuration's, quick] [env: MONGATE_PROFILE]
    #[arg(long)]
    profile: Option<Profile>,
    /// Macro-iterations of every arm, at least 2 [default: the profile's] [env: MONGATE_MACROS]
    #[arg(long, value_name = "N")]
    macros: Option<MacroIterations>,
    /// Which cases: article, all, or names and patterns with commas between them [default: the configuration's, article] [env: MONGATE_CASES]
    #[arg(long)]
    cases: Option<Cases>,
    /// Judge what is said of transactions by measurements on this machine, in about three minutes
    #[arg(long, conflicts_with_all = ["filter", "cases"])]
    explain: bool,
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Transactions) -> Result<ExitCode> {
    let format = chosen(command.format)?;
    let profile = variable_of("MONGATE_PROFILE", str::parse)?;
    config.transactions.profile = command
        .profile
        .or(profile)
        .unwrap_or(config.transactions.profile);
    let macros = variable_of("MONGATE_MACROS", str::parse)?;
    let macros = command.macros.or(macros);
    config.transactions.macro_iterations = macros.or(config.transactions.macro_iterations);
    config.session.seed = command.seed.or(config.session.seed);
    let named = variable_of("MONGATE_CASES", str::parse)?;
    let named = command.cases.clone().or(named);
    config.transactions.cases = named.unwrap_or(config.transactions.cases);
    if command.explain {
        return explain(&config, format);
    }
    let selected = workload::select(&config, command.filter.as_deref())?;
    let console = Console::new();
    let run_id = measure::new_run_id();
    let (results, _) = measure::transactions(&config, &selected, &run_id, &console)?;
    console.clear();
    print(&match format {
        Format::Table => transactions::render(&results, console::style()),
        Format::Json => json::render(&results),
    })?;
    Ok(exit_code(&results))
}

/// Measures what the claims need, and judges them.
fn explain(config: &Config, format: Format) -> Result<ExitCode> {
    let (label, cases) = workload::explaining(config).ok_or_else(|| {
        Error::usage("no version is configured: name at least one of `versions` under [mongod]")
    })?;
    let console = Console::new();
    let run_id = measure::new_run_id();
    let (results, _) = measure::transactions(config, &cases, &run_id, &console)?;
    console.clear();
    let claims = explain::claims(&results, label.as_str());
    let style = console::style();
    print(&match format {
        Format::Table => format!(
            "{}{}",
            explain::render(&claims, style),
            transactions::render(&results, style)
        ),
        Format::Json => json::render(&claims),
    })?;
    Ok(exit_code(&results))
}

/// 130 for a session that was cut short, 1 for a case that failed, 4 for one that must run here and cannot.
fn exit_code(results: &Results) -> ExitCode {
    let any = |status| {
        let mut cases = results.transactions.iter();
        cases.any(|case| case.status == status && (case.required || status == Status::Failed))
    };
    ExitCode::from(if results.session.interrupted {
        130
    } else if any(Status::Failed) {
        1
    } else if any(Status::Unavailable) {
        4
    } else {
        0
    })
}
