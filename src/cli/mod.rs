//! The command line: what it says, and what is called for it.

mod advise;
mod baseline;
mod calibrate;
mod compare;
mod console;
mod output;
mod profile;
mod report;
mod test;
mod transactions;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::cli::console::Console;
use crate::cli::output::OutputArgs;
use crate::config::{self, AnyCase};
use crate::config::{Blocks, Config, variable_of};
use crate::error::{Error, ErrorKind, Result};
use crate::job;
use crate::job::Request;
use crate::model;
use crate::model::Label;
use crate::model::Observer;
use crate::model::Outcome;
use crate::model::results::Results;
use crate::mongod::cache_folder;
use crate::plan::{Fetch, obtain};
use crate::report::tables;

/// Measures how long mongod takes to start and what a transaction costs, as test cases, and fails
/// when that gets worse.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES)]
struct Cli {
    /// The configuration [default: the nearest .config/mongate.toml] [env: MONGATE_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 fine; 1 the gate failed; 2 usage or configuration; 3 \
    inconclusive or invalid where that fails the gate; 4 the machine cannot do it (no binary, \
    cannot start); 130 interrupted.
Without a command, mongate does `mongate run`.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure start-ups and print a table
    Run(Run),
    /// Compare two servers in one interleaved session, and judge the second
    Compare(compare::Compare),
    /// Show how often the gate would be wrong on this machine, and what it would catch
    Calibrate(calibrate::Calibrate),
    /// Measure what transactions cost, per operation, on a replica set of one
    Transactions(transactions::Transactions),
    /// Show the phases of a start-up, and what it waits for
    Profile(profile::Profile),
    /// Run `cargo nextest run` with measurements by themselves, then print one table of all cases
    Test(test::Test),
    /// Print saved runs, convert them, or merge the shards of several machines
    Report(report::Report),
    /// Say which configuration to use for which kind of test suite
    Advise(advise::Advise),
    /// Show or update the stored sessions that `[gate.baseline]` compares with
    Baseline {
        #[command(subcommand)]
        command: baseline::Baseline,
    },
    /// List the cases, and why one cannot run here
    List {
        /// An id, a pattern with '*', or a part of an id
        filter: Option<String>,
    },
    /// Fetch mongod binaries into the cache
    Install {
        /// Versions such as 6.0 (the newest that runs here) or 6.0.24
        #[arg(required = true, value_name = "VERSION")]
        labels: Vec<Label>,
    },
}

#[derive(Debug, Default, Args)]
struct Run {
    /// An id, a pattern with '*', or a part of an id
    filter: Option<String>,
    /// Blocks to measure: N, or MIN..MAX to stop as soon as the rules are decided [env:
    /// MONGATE_BLOCKS]
    #[arg(long, value_name = "N|MIN..MAX")]
    blocks: Option<Blocks>,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Add this session to the baseline of this name [env: MONGATE_SAVE_BASELINE]
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
}

/// Parses the command line, does what it says and returns the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "mongate: {error}");
            ExitCode::from(code_of(&error))
        }
    }
}

fn code_of(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Usage => 2,
        ErrorKind::Environment => 4,
        ErrorKind::Interrupted => 130,
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode> {
    let named = cli.config.as_deref();
    let config = || Config::load(named);
    match cli.command.unwrap_or_else(|| Command::Run(Run::default())) {
        Command::Run(run) => run_cases(config()?, &run),
        Command::Compare(command) => compare::run(config()?, &command),
        Command::Calibrate(command) => calibrate::run(config()?, &command),
        Command::Transactions(command) => transactions::run(config()?, &command),
        Command::Profile(command) => profile::run(config()?, &command),
        Command::Advise(command) => advise::run(config()?, &command),
        // A broken configuration is for the tests to say, and what is saved needs none.
        Command::Test(command) => test::run(named, &command),
        Command::Report(command) => report::run(&command),
        Command::Baseline { command } => baseline::run(&config()?, command),
        Command::List { filter } => list(&config()?, filter.as_deref()),
        Command::Install { labels } => install(&config()?, &labels),
    }
}

fn run_cases(mut config: Config, run: &Run) -> Result<ExitCode> {
    config.session.blocks = run.blocks.unwrap_or(config.session.blocks);
    config.session.seed = run.seed.or(config.session.seed);
    let output = run.output.open()?;
    let selected = model::select(config::startup_cases(&config), run.filter.as_deref())?;
    let console = Console::new();
    let run_id = job::new_run_id();
    let save = variable_of("MONGATE_SAVE_BASELINE", |name| Ok::<_, Error>(name.to_owned()))?;
    let save = run.save_baseline.clone().or(save);
    let request =
        Request { cases: &selected, fetch: Fetch::All, run_id: &run_id, save: save.as_deref() };
    let (results, folder) = job::startup(&config, &request, &console)?;
    console.clear();
    output.results(&tables::document(&results), &results)?;
    if io::stderr().is_terminal() {
        console.note(&format!("kept in {}", folder.join("results.json").display()));
    }
    Ok(exit_code(&results))
}

/// The blocks of a session that nothing judges: those of the command line, else of MONGATE_BLOCKS,
/// else 10. Not those of `[session]`: without rules there is nothing to go on for.
fn without_rules(blocks: Option<Blocks>) -> Result<Blocks> {
    let variable = variable_of("MONGATE_BLOCKS", str::parse)?;
    Ok(blocks.or(variable).unwrap_or(Blocks { min: 10, max: 10 }))
}

/// 130 for a session that was cut short, else what the gate says.
fn exit_code(results: &Results) -> ExitCode {
    if results.session.interrupted {
        return ExitCode::from(130);
    }
    ExitCode::from(match results.failure() {
        Some(Outcome::Regressed | Outcome::Failed) => 1,
        Some(Outcome::Unavailable) => 4,
        Some(_) => 3,
        None => 0,
    })
}

fn list(config: &Config, filter: Option<&str>) -> Result<ExitCode> {
    let selected = model::pick(AnyCase::all(config), AnyCase::id, filter, "`mongate list` shows")?;
    let servers = config::distinct(selected.iter().map(|case| case.server(config)));
    let console = Console::new();
    let arms = job::survey(config, &servers, &console)?;
    console.clear();
    let mut text = String::new();
    for case in &selected {
        let (id, server) = (case.id(), case.server(config));
        // Every server was surveyed.
        let Some(arm) = arms.iter().find(|arm| arm.case == server) else {
            continue;
        };
        // Writing to a String cannot fail.
        let _ = match (&arm.ready, &arm.version) {
            (Ok(_), Some(version)) => writeln!(text, "{id}: mongod {version}"),
            (Err(why), _) if arm.required => writeln!(text, "{id}: unavailable: {why}"),
            (Err(why), _) => writeln!(text, "{id}: optional, unavailable: {why}"),
            (Ok(_), None) => writeln!(text, "{id}"),
        };
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn install(config: &Config, labels: &[Label]) -> Result<ExitCode> {
    crate::host::guard::watch_signals()?;
    let cache = cache_folder().join("mongod");
    let console = Console::new();
    for label in labels {
        let installed = match crate::mongod::install::cached(label, &cache) {
            None if obtain::offline() => {
                return Err(Error::environment(format!(
                    "mongod {label} is not in the cache, and MONGATE_OFFLINE forbids downloads"
                ))
                .help("unset MONGATE_OFFLINE"));
            }
            _ => obtain::install_from(label, config, &cache, &console)?,
        };
        console.clear();
        let how = if installed.fetched { "fetched" } else { "already here" };
        print(&format!(
            "{label}: mongod {}, {how}: {}\n",
            installed.version,
            installed.executable.path.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints on standard output; a reader that has gone (`| head`) is no failure.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("cannot write to standard output", e))
        }
        _ => Ok(()),
    }
}
