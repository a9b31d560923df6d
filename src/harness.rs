//! Cases as tests, for a test target with `harness = false`. The only file that knows libtest-mimic and the runners.
//!
//! ```no_run
//! # // tests/mongate.rs
//! mongate::main!();
//! ```
//!
//! Under `cargo test` one process measures all selected cases in one session. Under `cargo nextest run` each process measures its case
//! together with the case's reference. Listing reads the configuration and starts nothing.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::cases::{self, Case};
use crate::config::Config;
use crate::error::Result;
use crate::measure::{self, Request};
use crate::mongod::install::Progress;
use crate::mongod::{Probes, cache_folder};
use crate::report::table::{self, Style};
use crate::results::{Results, Status};
use crate::session::{Fetch, Observer, prepare};

/// Makes a test target with `harness = false` measure the cases of the package's `.config/mongate.toml`.
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::harness::main()
        }
    };
}

/// Runs the cases as tests, with the command line of libtest; returns the exit code: 0, or 101 where a case failed.
///
/// A case under `versions` that cannot be measured fails. One under `optional` is ignored until its binary is known to run here. A broken
/// configuration lists one test, `mongate::configuration`, which fails with the message.
pub fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Two measurements at once would measure each other. One thread also means this one, which lives as long as its children.
    arguments.test_threads = Some(1);
    let config = match Config::load(None) {
        Ok(config) => config,
        Err(error) => return broken(arguments, &error.to_string()),
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
    for (case, ignored) in cases {
        let (gate, id) = (Arc::clone(&gate), case.id());
        let trial = Trial::test(id.clone(), move || gate.judge(&id)).with_ignored_flag(ignored);
        if !arguments.is_filtered_out(&trial) && !arguments.is_ignored(&trial) {
            selected.push(case);
        }
        trials.push(trial);
    }
    let _ = gate.selected.set(selected);
    let conclusion = libtest_mimic::run(&arguments, trials);
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
        let (results, _) = measure::startup(
            &self.config,
            &Request {
                cases: selected,
                fetch: Fetch::Required,
                run_id: &run_id(selected),
                save: None,
            },
            &Plain,
        )?;
        Ok(results)
    }
}

/// One folder for all processes of a nextest run, with one below it for each process; else one for this process.
fn run_id(selected: &[Case]) -> String {
    match (env::var("NEXTEST_RUN_ID"), selected) {
        (Ok(run), [case]) => format!("{run}/{}", case.id().replace("::", "-")),
        (Ok(run), _) => format!("{run}/{}", std::process::id()),
        (Err(_), _) => measure::new_run_id(),
    }
}

/// A broken configuration must not break the listing of a whole workspace; when tests run, no filter turns it into a pass.
fn broken(arguments: Arguments, message: &str) -> ExitCode {
    let message = message.to_owned();
    let trial = Trial::test("mongate::configuration", move || Err(message.into()));
    let arguments = if arguments.list {
        arguments
    } else {
        Arguments {
            filter: None,
            skip: Vec::new(),
            ignored: false,
            ..arguments
        }
    };
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
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
