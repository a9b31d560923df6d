//! The main job, from a configuration and cases to results.

mod advise;
pub mod baselines;
pub mod inject;
mod profile;
pub mod runs;
mod transactions;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::macros::format_description;

use crate::config::{self, Config};
use crate::error::{Error, Result};
use crate::host::guard;
use crate::host::lock::{self, Held};
use crate::host::target_folder;
use crate::job::baselines::{Baselines, Update};
use crate::judge;
use crate::judge::calibrate;
use crate::judge::{Rules, Tolerance};
use crate::launch::Probes;
use crate::measure;
use crate::measure::results::Frame;
use crate::measure::{Measured, Plan, Store};
use crate::model::Case;
use crate::model::Machine;
use crate::model::results::Results;
use crate::model::{self, Observer, Silent};
use crate::mongod::cache_folder;
use crate::plan::compare;
use crate::plan::{Fetch, PlannedCase, prepare};

pub use advise::advise;
pub use profile::profile;
pub use transactions::{TransactionsRequest, transactions};

/// Measures the start-ups of a configuration in one session, judges them, and keeps the results
/// below `target/mongate/`. A filter is part of a case's id, or a pattern with `*`; without one all
/// cases are measured. A mongod that is missing is fetched.
///
/// ```no_run
/// let config = mongate::Config::load(None)?;
/// let results = mongate::run(&config, Some("startup::6.0::*"))?;
/// for case in &results.startup {
///     println!("{}: {:?}", case.id, case.summary.as_ref().map(|times| times.median));
/// }
/// # Ok::<(), mongate::Error>(())
/// ```
///
/// # Errors
/// No case matches the filter; the baseline, the machine's lock or the results' folder cannot be
/// used; or a signal came before the first launch. A case that cannot run is not an error: its
/// status and verdict say so.
pub fn run(config: &Config, filter: Option<&str>) -> Result<Results> {
    let cases = model::select(config::startup_cases(config), filter)?;
    let request = Request { cases: &cases, fetch: Fetch::All, run_id: &new_run_id(), save: None };
    Ok(startup(config, &request, &Silent)?.0)
}

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The cases; their references, and what limits compare them with, join.
    pub cases: &'a [Case],
    /// Which missing binaries may be fetched.
    pub fetch: Fetch,
    /// The run's name.
    pub run_id: &'a str,
    /// Adds the session to the baseline of this name.
    pub save: Option<&'a str>,
}

/// Measures start-ups in one session, judges them and keeps the results in `target/mongate/<run
/// id>/`; returns them with the folder.
///
/// # Errors
/// The baseline cannot be read; the machine's lock or the results' folder cannot be used; or a
/// signal came before the first launch. A signal during the session is no error: the results say
/// that they were interrupted.
pub fn startup(
    config: &Config,
    request: &Request<'_>,
    observer: &dyn Observer,
) -> Result<(Results, PathBuf)> {
    let _lock = begin(observer)?;
    let baselines = Baselines::of(config);
    let update = Update::current()?;
    let settings = config.gate.baseline.as_ref();
    let document = settings.map(|_| baselines.read()).transpose()?;
    let arms = prepare::prepare(
        config,
        request.cases,
        &prepare::joining(config, request.cases),
        request.fetch,
        &target_folder(),
        observer,
    )?;
    let rules = Rules {
        limits: &config.gate.limits.0,
        baseline: document.as_ref().zip(settings),
        ..rules(config)
    };
    let (results, folder) = session(config, arms, &rules, request.run_id, observer)?;
    for notice in keep_as_baseline(&baselines, &results, config, update, request.save)? {
        observer.note(&notice);
    }
    Ok((results, folder))
}

/// The rules of a session without limits and baselines.
pub fn rules(config: &Config) -> Rules<'_> {
    Rules {
        tolerance: Tolerance { share: config.gate.tolerance.0, floor_ms: config.gate.floor.0 },
        on_inconclusive: config.gate.on_inconclusive,
        limits: &[],
        baseline: None,
        pairs: false,
    }
}

/// Measures arms until every rule is decided, and keeps the results. The caller holds the machine's
/// lock.
///
/// # Errors
/// As for [`startup`].
pub fn session(
    config: &Config,
    arms: Vec<PlannedCase>,
    rules: &Rules<'_>,
    run_id: &str,
    observer: &dyn Observer,
) -> Result<(Results, PathBuf)> {
    let plan = Plan {
        min: config.session.blocks.min,
        max: config.session.blocks.max,
        seed: config.session.seed.unwrap_or_else(new_seed),
        timeout: config.session.timeout.0,
    };
    let mut store = Store::create(&target_folder(), run_id)?;
    let frame = Frame {
        run_id: store.run_id().to_owned(),
        started: crate::host::now(),
        seed: plan.seed,
        machine: Machine::read(),
    };
    let judged = |measured: &Measured| {
        let mut results = measure::results::assemble(measured, &frame);
        judge::judge(&mut results, rules);
        results
    };
    let measured =
        measure::run(arms, &plan, &mut store, observer, |measured| judged(measured).is_decided())?;
    let results = judged(&measured);
    store.finish(&results)?;
    Ok((results, store.folder().to_owned()))
}

/// Measures each case against itself and keeps the record in `target/mongate/<run id>/`; returns
/// its file.
///
/// # Errors
/// As for [`startup`]; or none of the cases can be measured; or a signal came: what was measured
/// before it is kept.
pub fn identical(
    config: &Config,
    cases: &[Case],
    run_id: &str,
    observer: &dyn Observer,
) -> Result<PathBuf> {
    let _lock = begin(observer)?;
    let pairs: Vec<_> = cases.iter().map(|c| (c.clone(), c.clone())).collect();
    let arms = compare::arms(config, &pairs, observer)?;
    let (results, folder) = session(config, arms, &rules(config), run_id, observer)?;
    for pair in results.startup.chunks(2) {
        if let Some(why) = &pair[0].reason {
            observer.note(&format!("{} is unavailable: {why}", pair[0].id));
        }
    }
    let Some(record) = calibrate::record::of_pairs(&results) else {
        return Err(if results.session.interrupted {
            Error::interrupted()
        } else {
            Error::environment("none of the cases can be measured here")
                .help("`mongate list` says what each of them lacks")
        });
    };
    let file = folder.join("record.jsonl");
    std::fs::write(&file, record)
        .map_err(|e| Error::io(format_args!("cannot write {}", file.display()), e))?;
    if results.session.interrupted {
        observer.note(&format!(
            "{} blocks are kept: `mongate calibrate --record {}` judges them",
            results.session.blocks,
            file.display()
        ));
        return Err(Error::interrupted());
    }
    Ok(file)
}

/// Adds a session to the baselines that want it; returns what a user should know of it.
fn keep_as_baseline(
    baselines: &Baselines,
    results: &Results,
    config: &Config,
    update: Update,
    save: Option<&str>,
) -> Result<Vec<String>> {
    let own = config.gate.baseline.as_ref().map(|b| (b.name.as_str(), update));
    let wanted = match save {
        Some(name) => Some((name, Update::Always)),
        None => own,
    };
    let Some((name, update)) = wanted else {
        return Ok(Vec::new());
    };
    let Some(session) = judge::baseline::Session::of(results, name) else {
        let why = "interrupted, its sentinel invalid, or without a case that has another one as \
            its reference";
        return Ok(match save {
            Some(name) => vec![format!(
                "the baseline {name:?} stays as it is: this session is {why}; measure again when \
                    the machine is quiet"
            )],
            None => Vec::new(),
        });
    };
    let sessions = session.cases.len();
    Ok(match baselines.add(session, update)? {
        Some(file) if update == Update::Always => {
            vec![format!("added {sessions} cases to the baseline {name:?} in {}", file.display())]
        }
        Some(file) => vec![format!(
            "added {sessions} cases to {}; `mongate baseline accept` makes them part of the \
                baseline",
            file.display()
        )],
        None => Vec::new(),
    })
}

/// Asks the binaries of `cases` that are on this machine and were never asked what they are and
/// which engines they have.
///
/// # Errors
/// The machine's lock cannot be used, or a signal asked for the end.
pub fn learn(config: &Config, cases: &[Case], observer: &dyn Observer) -> Result<()> {
    let probes = Probes::open(&cache_folder());
    if cases.iter().any(|case| prepare::is_unknown(case, config, &probes)) {
        // Asking a binary for its engines starts it, which would disturb another's measurement.
        let _lock = begin(observer)?;
        survey(config, cases, observer)?;
    }
    Ok(())
}

/// Finds out which of `cases` can run here, from what is on this machine. It takes no lock: a
/// list must not wait for a measurement.
///
/// # Errors
/// A signal asked for the end.
pub fn survey(
    config: &Config,
    cases: &[Case],
    observer: &dyn Observer,
) -> Result<Vec<PlannedCase>> {
    guard::watch_signals()?;
    prepare::prepare(config, cases, &[], Fetch::Nothing, &target_folder(), observer)
}

/// A name for a run: the time and the process.
pub fn new_run_id() -> String {
    let time = OffsetDateTime::now_utc()
        .format(format_description!("[year][month][day]T[hour][minute][second]Z"))
        .expect("every part of a date has a format");
    format!("{time}-{}", std::process::id())
}

/// Begins a session: watches for signals and takes the machine's lock, which lasts as long as what
/// is returned.
///
/// # Errors
/// The lock cannot be used, or a signal asked for the end.
pub fn begin(observer: &dyn Observer) -> Result<Held> {
    guard::watch_signals()?;
    Held::wait(&lock::of_machine(), |path| {
        observer.note(&format!(
            "waiting: another mongate measures on this machine (lock {})",
            path.display()
        ));
    })
}

/// A seed that a person can type: from the clock, below 2^32.
fn new_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ since.as_secs() & 0xffff_ffff
}
