//! What transactions cost, from a configuration and cases to results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cases::{self, Engine};
use crate::config::Config;
use crate::dbpath::{DataFolder, space};
use crate::error::{Error, Kind, Result};
use crate::gate::{self, Outcome, Rules, Verdict};
use crate::launch::{Launch, Launcher};
use crate::machine::Machine;
use crate::measure::{begin, new_seed, rules};
use crate::mongod::{Binary, Label};
use crate::results::{self, Frame, Results, Status, TransactionsCase};
use crate::session::{Arm, Fetch, Observer, Store, prepare, target_folder};
use crate::workload::{self, Measured, TransactionCase};

/// What to measure of transactions.
#[derive(Clone, Copy, Debug)]
pub struct TransactionsRequest<'a> {
    /// The cases.
    pub cases: &'a [TransactionCase],
    /// Which missing binaries may be fetched.
    pub fetch: Fetch,
    /// The run's name.
    pub run_id: &'a str,
    /// What the same run found before, which its results keep.
    pub before: Option<&'a Results>,
}

/// Measures transactions, each case on a fresh replica set and until its limits are decided, and keeps the results in `target/mongate/<run id>/`
/// after each; returns them with the folder.
///
/// # Errors
/// The machine's lock or the results' folder cannot be used; or a signal came before the first case. A case that fails says so in the results,
/// and so does a session that a signal ended.
pub fn transactions(
    config: &Config,
    request: &TransactionsRequest<'_>,
    observer: &dyn Observer,
) -> Result<(Results, PathBuf)> {
    let _lock = begin(observer)?;
    let cases = request.cases;
    let servers = servers(config, request, observer)?;
    let launcher = Launcher::new()?;
    let mut store = Store::create(&target_folder(), request.run_id)?;
    let mut results = request.before.cloned().unwrap_or_else(|| {
        results::empty(&Frame {
            run_id: store.run_id().to_owned(),
            started: Timestamp::now().to_string(),
            seed: config.session.seed.unwrap_or_else(new_seed),
            machine: Machine::read(),
        })
    });
    let plan = config.transactions.profile.plan(results.seed);
    let rules = Rules {
        limits: &config.gate.limits.0,
        ..rules(config)
    };
    let rounds = plan.macros + 1;
    let all = rounds * u32::try_from(cases.len()).unwrap_or(u32::MAX);
    for (number, case) in (0..).zip(cases) {
        let server = &servers[&case.label];
        let blank = blank(config, case, server);
        let mut finished = match &server.ready {
            Err(why) => TransactionsCase {
                reason: Some(why.clone()),
                ..blank
            },
            Ok((binary, base)) => {
                // What is measured until a limit is decided shows no progress.
                let done =
                    |round: u32| observer.blocks(number * rounds + rounds.min(round + 1), all);
                observer.blocks(number * rounds, all);
                let enough = |measured: &Measured| {
                    let mut case = blank.clone().measured(measured);
                    gate::judge_transactions(&mut case, &rules);
                    case.verdict.outcome != Outcome::Inconclusive
                };
                let measured = on_fresh_set(config, &launcher, binary, base, |port| {
                    workload::measure(port, case.workload, &plan, done, enough)
                });
                match measured {
                    Ok(measured) => blank.measured(&measured),
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
        gate::judge_transactions(&mut finished, &rules);
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
    request: &TransactionsRequest<'_>,
    observer: &dyn Observer,
) -> Result<BTreeMap<Label, Arm>> {
    let wanted = cases::distinct(request.cases.iter().map(|case| case.server(config)));
    let arms = prepare::prepare(
        config,
        &wanted,
        &[],
        request.fetch,
        &target_folder(),
        observer,
    )?;
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
        checks: None,
        verdict: Verdict::measured(),
    }
}

fn on_fresh_set(
    config: &Config,
    launcher: &Launcher,
    binary: &Binary,
    base: &Path,
    measure: impl FnOnce(u16) -> Result<Measured>,
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
    let measured = measure(set.member.port).map_err(|error: Error| set.member.explain(error));
    set.member.stop()?;
    measured
}
