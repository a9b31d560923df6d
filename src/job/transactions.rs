//! What transactions cost, from a configuration and cases to results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config;
use crate::config::{Config, Limit};
use crate::dbpath::{DataFolder, space};
use crate::error::{Error, ErrorKind, Result};
use crate::host::target_folder;
use crate::job::{begin, new_seed, rules};
use crate::judge;
use crate::judge::Rules;
use crate::launch::{Launch, Launcher, ReplicaSet};
use crate::measure;
use crate::measure::Store;
use crate::measure::results::Frame;
use crate::measure::transactions::Measured;
use crate::model::Engine;
use crate::model::Label;
use crate::model::Machine;
use crate::model::Observer;
use crate::model::results::{Results, Status, TransactionsCase};
use crate::model::workload::{Shape, TransactionCase};
use crate::model::{Outcome, Verdict};
use crate::mongod::Binary;
use crate::plan::macros::{HEADLINE, Plan};
use crate::plan::{Fetch, PlannedCase, prepare};

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

/// Measures transactions, all cases of a server on one replica set and each until its limits are
/// decided, and keeps the results in `target/mongate/<run id>/` after each; returns them with the
/// folder.
///
/// # Errors
/// The machine's lock or the results' folder cannot be used; or a signal came before the first
/// case. A case that fails says so in the results, and so does a session that a signal ended.
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
        measure::results::empty(&Frame {
            run_id: store.run_id().to_owned(),
            started: crate::host::now(),
            seed: config.session.seed.unwrap_or_else(new_seed),
            machine: Machine::read(),
        })
    });
    let plan = config.transactions.plan(results.seed);
    let rules = Rules { limits: &config.gate.limits.0, ..rules(config) };
    can_judge(cases, &plan, rules.limits)?;
    let mut running: Option<Set> = None;
    let rounds = plan.max_macros + 1;
    let all = rounds * u32::try_from(cases.len()).unwrap_or(u32::MAX);
    for (number, case) in (0..).zip(cases) {
        let server = &servers[&case.label];
        let blank = blank(config, case, server);
        let mut finished = match &server.ready {
            Err(why) => TransactionsCase { reason: Some(why.clone()), ..blank },
            Ok((binary, base)) => {
                let done = |round: u32| observer.blocks(number * rounds + round + 1, all);
                observer.blocks(number * rounds, all);
                let shape = &case.workload.shape;
                let judged = |measured: &Measured| {
                    let mut case = blank.clone().measured(measured, shape, config.gate.tolerance.0);
                    judge::judge_transactions(&mut case, &rules);
                    case
                };
                // More macro-iterations may decide a limit, and steady a sentinel.
                let enough = |measured: &Measured| match judged(measured).verdict.outcome {
                    Outcome::Inconclusive | Outcome::Invalid => false,
                    Outcome::Regressed => plan.is_usual_look(measured.macros()),
                    _ => true,
                };
                let set = match running.take().filter(|set| set.label == case.label) {
                    Some(set) => Ok(set),
                    None => Set::start(config, &launcher, binary, base, &case.label),
                };
                match set.and_then(|set| set.measure(case, &plan, done, enough)) {
                    Ok((measured, set)) => {
                        running = Some(set);
                        judged(&measured)
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {
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
        judge::judge_transactions(&mut finished, &rules);
        store.append_case(&finished)?;
        results.transactions.push(finished);
        store.finish(&results)?;
    }
    if let Some(set) = running {
        set.server.member.stop()?;
    }
    store.finish(&results)?;
    Ok((results, store.folder().to_owned()))
}

/// A limit whose arms are not measured is found before the measuring, which may take hours.
fn can_judge(cases: &[TransactionCase], plan: &Plan, limits: &[Limit]) -> Result<()> {
    let has = |letter: &str| plan.arms.iter().any(|arm| arm.letter == letter);
    if HEADLINE.into_iter().all(has) {
        return Ok(());
    }
    let mut judged = cases.iter().filter(|case| case.workload.shape == Shape::Arms);
    match judged.find(|case| limits.iter().any(|limit| limit.is_for(&case.id()))) {
        Some(case) => Err(Error::usage(format!(
            "the limit of {} compares arms E and B, which this profile does not measure",
            case.id()
        ))
        .help(
            "measure under \"quick\" or \"fair\", or with another --config that has no \
            `max_overhead`",
        )),
        None => Ok(()),
    }
}

/// What each label needs: a binary with wiredTiger, and a place.
fn servers(
    config: &Config,
    request: &TransactionsRequest<'_>,
    observer: &dyn Observer,
) -> Result<BTreeMap<Label, PlannedCase>> {
    let wanted = config::distinct(request.cases.iter().map(|case| case.server(config)));
    let arms = prepare::prepare(config, &wanted, &[], request.fetch, &target_folder(), observer)?;
    Ok(arms.into_iter().map(|arm| (arm.case.label.clone(), arm)).collect())
}

fn blank(config: &Config, case: &TransactionCase, server: &PlannedCase) -> TransactionsCase {
    TransactionsCase {
        id: case.id(),
        label: case.label.to_string(),
        version: server.version.as_ref().map(ToString::to_string),
        topology: "replica_set".to_owned(),
        db_path: measure::results::db_path(server.case.db_path, server.place.as_ref()),
        profile: config.transactions.profile,
        required: server.required,
        status: Status::Unavailable,
        reason: None,
        arms: BTreeMap::new(),
        overhead: BTreeMap::new(),
        sentinel: None,
        article: None,
        lanes: Vec::new(),
        comparisons: Vec::new(),
        crossover: None,
        crowds: Vec::new(),
        checks: None,
        verdict: Verdict::measured(),
    }
}

/// A replica set, as long as the cases of its label take turns on it.
struct Set {
    label: Label,
    // Dropped before the folder that it writes into.
    server: ReplicaSet,
    _folder: DataFolder,
}

impl Set {
    fn start(
        config: &Config,
        launcher: &Launcher,
        binary: &Binary,
        base: &Path,
        label: &Label,
    ) -> Result<Self> {
        space::require(base, prepare::needed_space(Engine::WiredTiger))?;
        let folder = DataFolder::new(base)?;
        let server = launcher.start_replica_set(&Launch {
            executable: binary.executable.clone(),
            engine: Engine::WiredTiger.to_string(),
            db_path: folder.db(),
            arguments: Vec::new(),
            delay: None,
            timeout: config.session.timeout.0,
        })?;
        folder.record_child(server.member.id())?;
        Ok(Self { label: label.clone(), server, _folder: folder })
    }

    /// Measures a case; after a failure the set is gone, so that the next case starts afresh.
    fn measure(
        mut self,
        case: &TransactionCase,
        plan: &Plan,
        done: impl FnMut(u32),
        enough: impl FnMut(&Measured) -> bool,
    ) -> Result<(Measured, Self)> {
        let member = &mut self.server.member;
        let measured =
            measure::transactions::measure(member.port, case.workload, plan, done, enough);
        match measured {
            Ok(measured) => Ok((measured, self)),
            Err(error) => Err(member.explain(error)),
        }
    }
}
