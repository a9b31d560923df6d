//! What transactions cost, from a configuration and cases to results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cases::{Case, Engine};
use crate::config::Config;
use crate::dbpath::{DataFolder, space};
use crate::error::{Error, Kind, Result};
use crate::launch::{Launch, Launcher};
use crate::machine::Machine;
use crate::measure::{begin, new_seed};
use crate::mongod::{Binary, Label};
use crate::results::{self, Frame, Results, Status, TransactionsCase};
use crate::session::{Arm, Fetch, Observer, Store, prepare, target_folder};
use crate::workload::{self, Measured, Plan, TransactionCase};

/// Measures transactions, each case on a fresh replica set, and keeps the results in `target/mongate/<run id>/` after each; returns them with
/// the folder.
///
/// # Errors
/// The machine's lock or the results' folder cannot be used; or a signal came before the first case. A case that fails says so in the results,
/// and so does a session that a signal ended.
pub fn transactions(
    config: &Config,
    cases: &[TransactionCase],
    run_id: &str,
    observer: &dyn Observer,
) -> Result<(Results, PathBuf)> {
    let _lock = begin(observer)?;
    let servers = servers(config, cases, observer)?;
    let launcher = Launcher::new()?;
    let mut store = Store::create(&target_folder(), run_id)?;
    let seed = config.session.seed.unwrap_or_else(new_seed);
    let plan = config.transactions.profile.plan(seed);
    let mut results = results::empty(&Frame {
        run_id: store.run_id().to_owned(),
        started: Timestamp::now().to_string(),
        seed,
        machine: Machine::read(),
    });
    let rounds = plan.macros + 1;
    let all = rounds * u32::try_from(cases.len()).unwrap_or(u32::MAX);
    for (number, case) in (0..).zip(cases) {
        let server = &servers[&case.label];
        let blank = blank(config, case, server);
        let finished = match &server.ready {
            Err(why) => TransactionsCase {
                reason: Some(why.clone()),
                ..blank
            },
            Ok((binary, base)) => {
                let done = |round: u32| observer.blocks(number * rounds + round + 1, all);
                observer.blocks(number * rounds, all);
                match on_fresh_set(config, &launcher, binary, base, case, &plan, done) {
                    Ok(measured) => blank.measured(&measured, &case.workload.shape),
                    Err(error) if error.kind() == Kind::Interrupted => {
                        results.session.interrupted = true;
                        break;
                    }
                    Err(error) => {
                        observer.note(&format!("{} failed: {error}", case.id()));
                        TransactionsCase {
                            status: Status::Failed,
                            reason: Some(error.to_string()),
                            ..blank
                        }
                    }
                }
            }
        };
        store.append_case(&finished)?;
        results.transactions.push(finished);
        store.finish(&results)?;
    }
    store.finish(&results)?;
    Ok((results, store.folder().to_owned()))
}

/// What each label needs: a binary with wiredTiger, and a place.
fn servers(
    config: &Config,
    cases: &[TransactionCase],
    observer: &dyn Observer,
) -> Result<BTreeMap<Label, Arm>> {
    let mut wanted: Vec<Case> = Vec::new();
    for case in cases {
        let server = Case {
            label: case.label.clone(),
            engine: Engine::WiredTiger,
            db_path: config.transactions.db_path,
        };
        if !wanted.contains(&server) {
            wanted.push(server);
        }
    }
    let arms = prepare::prepare(config, &wanted, &[], Fetch::All, &target_folder(), observer)?;
    Ok(arms
        .into_iter()
        .map(|arm| (arm.case.label.clone(), arm))
        .collect())
}

fn blank(config: &Config, case: &TransactionCase, server: &Arm) -> TransactionsCase {
    TransactionsCase {
        id: case.id(),
        label: case.label.to_string(),
        version: server.version.as_ref().map(ToString::to_string),
        topology: "replica_set".to_owned(),
        db_path: results::db_path(server.case.db_path, server.place.as_ref()),
        profile: config.transactions.profile,
        required: server.required,
        status: Status::Unavailable,
        reason: None,
        arms: BTreeMap::new(),
        overhead: BTreeMap::new(),
        lanes: Vec::new(),
        comparisons: Vec::new(),
        crossover: None,
        crowds: Vec::new(),
        checks: None,
    }
}

fn on_fresh_set(
    config: &Config,
    launcher: &Launcher,
    binary: &Binary,
    base: &Path,
    case: &TransactionCase,
    plan: &Plan,
    done: impl FnMut(u32),
) -> Result<Measured> {
    space::require(base, prepare::needed_space(Engine::WiredTiger))?;
    let folder = DataFolder::new(base)?;
    let mut set = launcher.start_replica_set(&Launch {
        executable: binary.executable.clone(),
        engine: Engine::WiredTiger.to_string(),
        db_path: folder.db(),
        arguments: Vec::new(),
        delay: None,
        timeout: config.session.timeout.0,
    })?;
    folder.record_child(set.member.id())?;
    let measured = workload::measure(set.member.port, case.workload, plan, done)
        .map_err(|error: Error| set.member.explain(error));
    set.member.stop()?;
    measured
}
