//! Cases as tests, for a test target with `harness = false`. The only room that knows libtest-mimic
//! and the runners.
//!
//! ```no_run
//! # // tests/mongate.rs
//! mongate::main!();
//! ```
//!
//! Under `cargo test` one process measures all selected start-ups in one session, and then what
//! transactions cost, one case after the other. Under `cargo nextest run` each process measures its
//! case, a start-up together with its reference. Listing reads the configuration and starts
//! nothing.

mod arguments;
mod beside;
mod place;

use std::collections::HashMap;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::mem::{self, Discriminant};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use arguments::CommandLine;

use crate::config::{self, AnyCase};
use crate::config::{Config, variable_of};
use crate::error::{Error, Result};
use crate::host::locale;
use crate::job;
use crate::job::runs;
use crate::job::{Request, TransactionsRequest};
use crate::launch::Probes;
use crate::model::Label;
use crate::model::Observer;
use crate::model::Outcome;
use crate::model::Progress;
use crate::model::results::Results;
use crate::model::workload::TransactionCase;
use crate::model::{Case, Engine};
use crate::mongod::cache_folder;
use crate::plan::{Fetch, prepare};
use crate::report::tables;
use crate::report::terminal::{self, Style};

/// Makes a test target with `harness = false` measure the cases of the package's
/// `.config/mongate.toml`.
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::harness::main()
        }
    };
}

/// As [`main!`], with a configuration elsewhere: a path that starts in the package's folder.
/// MONGATE_CONFIG goes before it.
#[macro_export]
macro_rules! harness {
    ($configuration:expr) => {
        fn main() -> ::std::process::ExitCode {
            let package = ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR"));
            $crate::harness::with(&package.join($configuration))
        }
    };
}

/// Runs the cases as tests, with the command line of libtest; returns the exit code: 0, or 101
/// where a case failed or the command line is wrong.
///
/// A case under `versions` that cannot be measured fails. One under `optional` is ignored until its
/// binary is known to run here. A broken configuration lists one test, `mongate::configuration`,
/// which fails with the message.
pub fn main() -> ExitCode {
    run(None)
}

/// As [`main()`], with the configuration in this file.
pub fn with(configuration: &Path) -> ExitCode {
    run(Some(configuration))
}

fn run(configuration: Option<&Path>) -> ExitCode {
    let given = env::args_os().skip(1);
    let mut line = match CommandLine::parse(given.map(|a| a.to_string_lossy().into_owned())) {
        Ok(line) => line,
        Err(message) => return arguments::refuse(&message).into(),
    };
    // Two measurements at once would measure each other. One thread also means this one, which
    // lives as long as its children.
    line.arguments.test_threads = Some(1);
    let arguments = &line.arguments;
    let variable = env::var_os("MONGATE_CONFIG").filter(|name| !name.is_empty());
    let config = match Config::load(configuration.filter(|_| variable.is_none())) {
        Ok(config) => config,
        Err(error) => return broken(line, &error.to_string()),
    };
    let cases = AnyCase::all(&config);
    let mut optional = config::distinct(cases.iter().map(|case| case.server(&config)));
    optional.retain(|server| !config.mongod.versions.contains(&server.label));
    if !arguments.list && !optional.is_empty() {
        // Not being able to is no failure of the gate: what is not known to run stays ignored.
        let _ = job::learn(&config, &optional, &Plain);
    }
    let probes = Probes::open(&cache_folder());
    let mut ignored = optional;
    ignored.retain(|server| !prepare::is_known_to_run(server, &config, &probes));
    let gate = Arc::new(Gate {
        config: config.clone(),
        selected: OnceLock::new(),
        found: Mutex::default(),
    });
    let mut selected = Vec::new();
    let mut trials = Vec::new();
    for case in cases.into_iter().filter(|case| line.names(&case.id())) {
        let (gate, tested) = (Arc::clone(&gate), case.clone());
        let trial = Trial::test(case.id(), move || gate.judge(&tested));
        let trial = trial.with_ignored_flag(ignored.contains(&case.server(&config)));
        if !arguments.is_filtered_out(&trial) && !arguments.is_ignored(&trial) {
            selected.push(case);
        }
        trials.push(trial);
    }
    let _ = gate.selected.set(Selected::new(selected));
    let conclusion = libtest_mimic::run(arguments, trials);
    if let Some(results) = &gate.found().results {
        print_tables(results);
    }
    conclusion.exit_code()
}

/// What is behind the tests: start-ups are measured when the first of their tests runs,
/// transactions when the first of theirs does.
struct Gate {
    config: Config,
    selected: OnceLock<Selected>,
    found: Mutex<Found>,
}

/// What this process measures.
#[derive(Default)]
struct Selected {
    startups: Vec<Case>,
    transactions: Vec<TransactionCase>,
    run_id: String,
}

impl Selected {
    fn new(cases: Vec<AnyCase>) -> Self {
        let mut selected = Self { run_id: place::run_id(&cases), ..Self::default() };
        for case in cases {
            match case {
                AnyCase::Startup(case) => selected.startups.push(case),
                AnyCase::Transactions(case) => selected.transactions.push(case),
            }
        }
        selected
    }
}

/// What it found.
#[derive(Default)]
struct Found {
    /// Of both kinds.
    results: Option<Results>,
    /// By kind, once it was measured: what went wrong for all of its cases.
    ended: HashMap<Discriminant<AnyCase>, std::result::Result<(), String>>,
}

impl Gate {
    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        // A panic in a session leaves nothing in here, so that the next test measures again.
        self.found.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Passes where the case was measured and no rule fails it.
    fn judge(&self, case: &AnyCase) -> std::result::Result<(), Failed> {
        let mut found = self.found();
        let interrupted = |found: &Found| {
            let results = found.results.as_ref();
            results.is_some_and(|results| results.session.interrupted)
        };
        if !interrupted(&found) {
            self.measure(case, &mut found)?;
        }
        let id = case.id();
        let mut verdicts = found.results.iter().flat_map(Results::verdicts);
        match verdicts.find(|(of, _)| *of == id) {
            _ if interrupted(&found) => Err("interrupted".into()),
            // An optional case that was thought to run, and did not, is unavailable and yet no
            // failure of the gate's.
            Some((_, verdict)) if verdict.fails || verdict.outcome == Outcome::Unavailable => {
                Err(verdict.into())
            }
            Some(_) => Ok(()),
            None => Err(format!("{id} is not among the results of its session").into()),
        }
    }

    /// Measures all selected cases of the kind of this one, unless that was done.
    fn measure(&self, case: &AnyCase, found: &mut Found) -> std::result::Result<(), String> {
        let kind = mem::discriminant(case);
        if let Some(ended) = found.ended.get(&kind) {
            return ended.clone();
        }
        let ended = match self.session(case, found.results.as_ref()) {
            Ok(results) => {
                found.results = Some(results);
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        };
        found.ended.insert(kind, ended.clone());
        ended
    }

    /// Measures all selected cases of the kind of this one; `before` is what this process found of
    /// the other kind.
    fn session(&self, case: &AnyCase, before: Option<&Results>) -> Result<Results> {
        let selected = self.selected.get_or_init(Selected::default);
        let run_id = &selected.run_id;
        if selected.startups.len() + selected.transactions.len() == 1 {
            place::stands(run_id, &case.id())?;
        }
        let mut beside = beside::are_running();
        let (results, folder) = match case {
            AnyCase::Startup(_) => {
                let save =
                    variable_of("MONGATE_SAVE_BASELINE", |name| Ok::<_, Error>(name.to_owned()))?;
                let request = Request {
                    cases: &selected.startups,
                    fetch: Fetch::Required,
                    run_id,
                    save: save.as_deref(),
                };
                job::startup(&self.config, &request, &Plain)?
            }
            AnyCase::Transactions(_) => {
                let request = TransactionsRequest {
                    cases: &selected.transactions,
                    fetch: Fetch::Required,
                    run_id,
                    // Their tests come after those of start-ups.
                    before,
                };
                job::transactions(&self.config, &request, &Plain)?
            }
        };
        beside = beside || beside::are_running();
        if let Some(run) = place::run_folder(&folder, run_id) {
            runs::gather(&run)?;
            if let Some(note) = beside.then(|| beside::note(&run)).flatten() {
                Plain.note(note);
            }
        }
        Ok(results)
    }
}

/// A broken configuration must not break the listing of a whole workspace. When tests run, a filter
/// that may mean a case turns it into no pass; one that means other tests does leave it out.
fn broken(line: CommandLine, message: &str) -> ExitCode {
    const NAME: &str = "mongate::configuration";
    let message = message.to_owned();
    let may_mean_us = !line.arguments.list && line.filters().any(may_mean_a_case);
    let line = if may_mean_us { line.without_filters() } else { line };
    let trials = line.names(NAME).then(|| Trial::test(NAME, move || Err(message.into())));
    let arguments = Arguments {
        // The ignored ones are cases, too.
        ignored: line.arguments.ignored && line.arguments.list,
        ..line.arguments
    };
    libtest_mimic::run(&arguments, trials.into_iter().collect()).exit_code()
}

/// Whether a filter could select a case of some configuration, so that it would have selected one
/// if only this could be read.
fn may_mean_a_case(filter: &str) -> bool {
    let mut config = Config::default();
    config.startup.engines = Engine::ALL.to_vec();
    let startup = config::startup_cases(&config).into_iter().map(|case| case.id());
    let transactions = config::transaction_cases::all(&config).into_iter().map(|case| case.id());
    let is_version = filter.parse::<Label>().is_ok_and(|label| label.numbers().is_some());
    let is_ours = ["startup::", "transactions::"].iter().any(|kind| filter.starts_with(kind));
    is_version || is_ours || startup.chain(transactions).any(|id| id.contains(filter))
}

fn style() -> Style {
    let stated = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    Style { width: stated.unwrap_or(100), color: false, unicode: locale::shows_unicode() }
}

fn print_tables(results: &Results) {
    if !results.startup.is_empty() || !results.transactions.is_empty() {
        print(&terminal::render(&tables::document(results), style()));
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
