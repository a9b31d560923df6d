//! The main job, from a configuration and cases to results.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::cases::Case;
use crate::config::Config;
use crate::error::Result;
use crate::launch::guard;
use crate::machine::Machine;
use crate::mongod::{Probes, cache_folder};
use crate::results::{self, Results};
use crate::session::lock::Lock;
use crate::session::{self, Arm, Fetch, Observer, Plan, Store, prepare, target_folder};

/// Measures start-ups in one session and keeps the results in `target/mongate/<run id>/`; returns them with the folder.
///
/// # Errors
/// The machine's lock or the results' folder cannot be used, or a signal came before the first launch. A signal during the session is no error:
/// the results say that they were interrupted.
pub fn startup(
    config: &Config,
    cases: &[Case],
    fetch: Fetch,
    run_id: &str,
    observer: &dyn Observer,
) -> Result<(Results, PathBuf)> {
    guard::watch_signals()?;
    let _lock = take_lock(observer)?;
    let target = target_folder();
    let arms = prepare::prepare(config, cases, fetch, &target, observer)?;
    let started = Timestamp::now().to_string();
    let machine = Machine::read();
    let plan = Plan {
        min: config.session.blocks.min,
        max: config.session.blocks.max,
        seed: config.session.seed.unwrap_or_else(new_seed),
        timeout: config.session.timeout.0,
    };
    let mut store = Store::create(&target, run_id)?;
    // Without a rule there is nothing to decide, and the minimum is enough.
    let measured = session::run(arms, &plan, &mut store, observer, |_| true)?;
    let results = results::assemble(&measured, store.run_id(), &started, plan.seed, machine);
    store.finish(&results)?;
    Ok((results, store.folder().to_owned()))
}

/// Asks the binaries of `cases` that are on this machine and were never asked what they are and which engines they have.
///
/// # Errors
/// As for [`survey`].
pub fn learn(config: &Config, cases: &[Case], observer: &dyn Observer) -> Result<()> {
    let probes = Probes::open(&cache_folder());
    if cases
        .iter()
        .any(|case| prepare::is_unknown(case, config, &probes))
    {
        survey(config, cases, observer)?;
    }
    Ok(())
}

/// Finds out which of `cases` can run here, from what is on this machine.
///
/// # Errors
/// The machine's lock cannot be used, or a signal asked for the end.
pub fn survey(config: &Config, cases: &[Case], observer: &dyn Observer) -> Result<Vec<Arm>> {
    guard::watch_signals()?;
    // Asking a binary for its engines starts it, which would disturb another's measurement.
    let _lock = take_lock(observer)?;
    prepare::prepare(config, cases, Fetch::Nothing, &target_folder(), observer)
}

/// A name for a run: the time and the process.
pub fn new_run_id() -> String {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    format!("{time}-{}", std::process::id())
}

fn take_lock(observer: &dyn Observer) -> Result<Lock> {
    Lock::take(|path| {
        observer.note(&format!(
            "waiting: another mongate measures on this machine (lock {})",
            path.display()
        ));
    })
}

/// A seed that a person can type: from the clock, below 2^32.
fn new_seed() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ since.as_secs() & 0xffff_ffff
}
