//! `mongate transactions`.

use std::process::ExitCode;

use clap::Args;

use crate::advise::claims;
use crate::cli::console::Console;
use crate::cli::exit_code;
use crate::cli::output::{Output, OutputArgs};
use crate::config::{Cases, Config, MacroIterations};
use crate::error::{Error, Result};
use crate::job;
use crate::job::TransactionsRequest;
use crate::model::DbPathKind;
use crate::model::TransactionProfile;
use crate::model::results::Results;
use crate::model::workload::TransactionCase;
use crate::plan::{self, Fetch};
use crate::report::{self, tables};

#[derive(Debug, Args)]
pub struct Transactions {
    /// An id, a pattern with '*', or a part of an id; it may name cases and versions that the
    /// configuration leaves out
    filter: Option<String>,
    /// How thorough: quick, fair or article [default: the configuration's, quick] [env:
    /// MONGATE_PROFILE]
    #[arg(long)]
    profile: Option<TransactionProfile>,
    /// Where the data goes: disk or ramdisk [default: the configuration's, disk] [env:
    /// MONGATE_DB_PATH]
    #[arg(long, value_name = "KIND")]
    db_path: Option<DbPathKind>,
    /// Macro-iterations of every arm, at least 2 [default: the profile's] [env: MONGATE_MACROS]
    #[arg(long, value_name = "N")]
    macros: Option<MacroIterations>,
    /// Which cases: article, all, or names and patterns with commas between them [default: the
    /// configuration's, article] [env: MONGATE_CASES]
    #[arg(long)]
    cases: Option<Cases>,
    /// Check common claims about transactions on this machine, in about three minutes
    #[arg(long, conflicts_with_all = ["filter", "cases"])]
    explain: bool,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Transactions) -> Result<ExitCode> {
    let output = command.output.open()?;
    config.transactions.profile = command.profile.unwrap_or(config.transactions.profile);
    config.transactions.db_path = command.db_path.unwrap_or(config.transactions.db_path);
    config.transactions.macro_iterations = command.macros.or(config.transactions.macro_iterations);
    config.session.seed = command.seed.or(config.session.seed);
    if let Some(cases) = &command.cases {
        config.transactions.cases = cases.clone();
    }
    if command.explain {
        return explain(&config, output);
    }
    let only_these = command.cases.is_some();
    let selected = plan::transactions::select(&config, command.filter.as_deref(), only_these)?;
    let console = Console::new();
    let results = measured(&config, &selected, &console)?;
    console.clear();
    output.results(&tables::document(&results), &results)?;
    Ok(exit_code(&results))
}

/// Measures what the claims need, and judges them.
fn explain(config: &Config, output: Output) -> Result<ExitCode> {
    let (label, cases) = plan::transactions::explaining(config).ok_or_else(|| {
        Error::usage("no version is configured: name at least one of `versions` under [mongod]")
    })?;
    let console = Console::new();
    let results = measured(config, &cases, &console)?;
    console.clear();
    let claims = claims::claims(&results, label.as_str());
    output.document(&report::claims::document(&claims, &results), &claims)?;
    Ok(exit_code(&results))
}

fn measured(config: &Config, cases: &[TransactionCase], console: &Console) -> Result<Results> {
    let request =
        TransactionsRequest { cases, fetch: Fetch::All, run_id: &job::new_run_id(), before: None };
    Ok(job::transactions(config, &request, console)?.0)
}
