//! Cases as tests, for a test target with `harness = false`. The only room that knows libtest-mimic and the runners.
//!
//! ```no_run
//! # // tests/mongate.rs
//! mongate::main!();
//! ```
//!
//! Under `cargo test` one process measures all selected cases in one session. Under `cargo nextest run` each process measures its case
//! together with the case's reference. Listing reads the configuration and starts nothing.

mod arguments;
mod beside;
mod place;

use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use arguments::CommandLine;

use crate::cases::{self, Case, Engine};
use crate::config::{Config, variable_of};
use crate::error::{Error, Result};
use crate::measure::{self, Request};
use crate::mongod::install::Progress;
use crate::mongod::{Label, Probes, cache_folder};
use crate::report::table::{self, Style};
use crate::results::{Results, Status};
use crate::runs;
use crate::session::{Fetch, Observer, prepare};
use crate::workload;

/// Makes a test target with `harness = false` measure the cases of the package's `.config/mongate.toml`.
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::harness::main()
        }
    };
}

/// As [`main!`], with a configuration elsewhere: a path that starts in the package's folder. MONGATE_CONFIG goes before it.
#[macro_export]
macro_rules! harness {
    ($configuration:expr) => {
        fn main() -> ::std::process::ExitCode {
            let package = ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR"));
            $crate::harness::with(&package.join($configuration))
        }
    };
}

/// Runs the cases as tests, with the command line of libtest; returns the exit code: 0, or 101 where a case failed or the command line is wrong.
///
/// A case under `versions` that cannot be measured fails. One under `optional` is ignored until its binary is known to run here. A broken
/// configuration lists one test, `mongate::configuration`, which fails with the message.
pub fn main() -> ExitCode {
    run(None)
}

/// As [`main`], with the configuration in this file.
pub fn with(configuration: &Path) -> ExitCode {
    run(Some(configuration))
}

fn run(configuration: Option<&Path>) -> ExitCode {
    let given = env::args_os().skip(1);
    let mut line = match CommandLine::parse(given.map(|a| a.to_string_lossy().into_owned())) {
        Ok(line) => line,
        Err(message) => return arguments::refuse(&message).into(),
    };
    // Two measurements at once would measure each other. One thread also means this one, which lives as long as its children.
    line.arguments.test_threads = Some(1);
    let arguments = &line.arguments;
    let variable = env::var_os("MONGATE_CONFIG").filter(|name| !name.is_empty());
    let config = match Config::load(configuration.filter(|_| variable.is_none())) {
        Ok(config) => config,
        Err(error) => return broken(line, &error.to_string()),
    };
    let cases = cases::all(&config);
    let (required, optional): (Vec<_>, Vec<_>) = cases
        .into_iter()
        .partition(|case| config.mongod.versions.contains(&case.label));
    if !arguments.list && !optional.is_empty() {
        // Not being able to is no failure of the gate: what is not known to run stays ignored.
        let _ = measure::learn(&config, &optional, &Plain);
    }
    let probes = Probes::open(&cache_folder());
    let ignored = |case: &Case| !prepare::is_known_to_run(case, &config, &probes);
    let cases = required
        .into_iter()
        .map(|case| (case, false))
        .chain(optional.into_iter().map(|case| {
            let ignored = ignored(&case);
            (case, ignored)
        }));
    let gate = Arc::new(Gate {
        config: config.clone(),
        selected: OnceLock::new(),
        outcome: Mutex::new(None),
    });
    let mut selected = Vec::new();
    let mut trials = Vec::new();
    for (case, ignored) in cases.filter(|(case, _)| line.names(&case.id())) {
        let (gate, id) = (Arc::clone(&gate), case.id());
        let trial = Trial::test(id.clone(), move || gate.judge(&id)).with_ignored_flag(ignored);
        if !arguments.is_filtered_out(&trial) && !arguments.is_ignored(&trial) {
            selected.push(case);
        }
        trials.push(trial);
    }
    let _ = gate.selected.set(selected);
    let conclusion = libtest_mimic::run(arguments, trials);
    if let Some(Ok(results)) = &*gate.outcome() {
        print(&table::render(results, style()));
    }
    conclusion.exit_code()
}

/// The session behind the tests: measured when the first of them runs.
struct Gate {
    config: Config,
    selected: OnceLock<Vec<Case>>,
    outcome: Mutex<Option<std::result::Result<Results, String>>>,
}

impl Gate {
    fn outcome(&self) -> std::sync::MutexGuard<'_, Option<std::result::Result<Results, String>>> {
        // A panic in the session leaves nothing in here, so that the next test measures again.
        self.outcome.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Passes where the case was measured and no rule fails it.
    fn judge(&self, id: &str) -> std::result::Result<(), Failed> {
        let mut outcome = self.outcome();
        let outcome = outcome.get_or_insert_with(|| self.measure().map_err(|e| e.to_string()));
        let results = outcome
            .as_ref()
            .map_err(|message| Failed::from(message.as_str()))?;
        let case = results.startup.iter().find(|case| case.id == id);
        match case {
            _ if results.session.interrupted => Err("interrupted".into()),
            Some(case) if case.verdict.fails => {
                let outcome = case.verdict.outcome;
                Err(match &case.verdict.detail {
                    Some(detail) => format!("{outcome}: {detail}").into(),
                    None => outcome.to_string().into(),
                })
            }
            // An optional case that was thought to run, and did not.
            Some(case) if case.status == Status::Unavailable => Err(case
                .reason
                .as_deref()
                .unwrap_or("it was not measured")
                .into()),
            Some(_) => Ok(()),
            None => Err(format!("{id} is not among the results of its session").into()),
        }
    }

    fn measure(&self) -> Result<Results> {
        let selected = self.selected.get().map_or(&[][..], Vec::as_slice);
        let run_id = place::run_id(selected);
        if let [case] = selected {
            place::stands(&run_id, &case.id())?;
        }
        let save = variable_of("MONGATE_SAVE_BASELINE", |name| {
            Ok::<_, Error>(name.to_owned())
        })?;
        let mut beside = beside::are_running();
        let (results, folder) = measure::startup(
            &self.config,
            &Request {
                cases: selected,
                fetch: Fetch::Required,
                run_id: &run_id,
                save: save.as_deref(),
            },
            &Plain,
        )?;
        beside = beside || beside::are_running();
        if let Some(run) = place::run_folder(&folder, &run_id) {
            runs::gather(&run)?;
            if let Some(note) = beside.then(|| beside::note(&run)).flatten() {
                Plain.note(note);
            }
        }
        Ok(results)
    }
}

/// A broken configuration must not break the listing of a whole workspace. When tests run, a filter that may mean a case turns it into no
/// pass; one that means other tests does leave it out.
fn broken(line: CommandLine, message: &str) -> ExitCode {
    const NAME: &str = "mongate::configuration";
    let message = message.to_owned();
    let may_mean_us = !line.arguments.list && line.filters().any(may_mean_a_case);
    let line = if may_mean_us {
        line.without_filters()
    } else {
        line
    };
    let trials = line
        .names(NAME)
        .then(|| Trial::test(NAME, move || Err(message.into())));
    let arguments = Arguments {
        // The ignored ones are cases, too.
        ignored: line.arguments.ignored && line.arguments.list,
        ..line.arguments
    };
    libtest_mimic::run(&arguments, trials.into_iter().collect()).exit_code()
}

/// Whether a filter could select a case of some configuration, so that it would have selected one if only this could be read.
fn may_mean_a_case(filter: &str) -> bool {
    let mut config = Config::default();
    config.startup.engines = Engine::ALL.to_vec();
    let startup = cases::all(&config).into_iter().map(|case| case.id());
    let transactions = workload::all(&config).into_iter().map(|case| case.id());
    let is_version = filter
        .parse::<Label>()
        .is_ok_and(|label| label.numbers().is_some());
    let is_ours = ["startup::", "transactions::"]
        .iter()
        .any(|kind| filter.starts_with(kind));
    is_version || is_ours || startup.chain(transactions).any(|id| id.contains(filter))
}

fn style() -> Style {
    let stated = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    Style {
        width: stated.unwrap_or(100),
        color: false,
    }
}

fn print(text: &str) {
    // A runner that no longer reads is no failure of the gate.
    let _ = writeln!(io::stdout(), "{text}");
}

/// Notes on standard error; progress only where that is a terminal.
struct Plain;

impl Progress for Plain {
    fn begin(&self, what: &str, total_bytes: Option<u64>) {
        let size = total_bytes.map_or(String::new(), |n| format!(" ({} MB)", n / 1_000_000));
        self.note(&format!("{what}{size}"));
    }

    fn advance(&self, _bytes_so_far: u64) {}

    fn end(&self) {}
}

impl Observer for Plain {
    fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "mongate: {text}");
    }

    fn blocks(&self, done: u32, of: u32) {
        let mut err = io::stderr();
        if err.is_terminal() {
            let _ = write!(err, "\rmongate: block {done} of {of} \r");
        }
    }
}
