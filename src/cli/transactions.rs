//! `mongate transactions`.

use std::process::ExitCode;

use clap::Args;

use crate::cases;
use crate::cli::console::{self, Console};
use crate::cli::{Format, chosen, exit_code, print};
use crate::config::Config;
use crate::dbpath::Kind;
use crate::error::Result;
use crate::measure::{self, TransactionsRequest};
use crate::report::{json, transactions};
use crate::session::Fetch;
use crate::workload::{self, Profile, TransactionCase};

#[derive(Debug, Args)]
pub struct Transactions {
    /// An id, a pattern with '*', or a part of an id
    filter: Option<String>,
    /// How thorough: quick or fair [default: the configuration's, quick] [env: MONGATE_PROFILE]
    #[arg(long)]
    profile: Option<Profile>,
    /// Where the data goes: disk or ramdisk [default: the configuration's, disk] [env: MONGATE_DB_PATH]
    #[arg(long, value_name = "KIND")]
    db_path: Option<Kind>,
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, command: &Transactions) -> Result<ExitCode> {
    let format = chosen(command.format)?;
    config.transactions.profile = command.profile.unwrap_or(config.transactions.profile);
    config.transactions.db_path = command.db_path.unwrap_or(config.transactions.db_path);
    config.session.seed = command.seed.or(config.session.seed);
    let selected = cases::pick(
        workload::all(&config),
        TransactionCase::id,
        command.filter.as_deref(),
        "`mongate transactions` measures",
    )?;
    let console = Console::new();
    let run_id = measure::new_run_id();
    let request = TransactionsRequest {
        cases: &selected,
        fetch: Fetch::All,
        run_id: &run_id,
        before: None,
    };
    let (results, _) = measure::transactions(&config, &request, &console)?;
    console.clear();
    print(&match format {
        Format::Table => transactions::render(&results, console::style()),
        Format::Json => json::render(&results),
    })?;
    Ok(exit_code(&results))
}
