//! One session for advice.

use crate::advise::belongs;
use crate::config::{Blocks, Config};
use crate::dbpath::space;
use crate::error::{Error, Result};
use crate::host::target_folder;
use crate::job::{begin, new_run_id, rules, session};
use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::Machine;
use crate::model::Observer;
use crate::model::results::Results;
use crate::model::{Case, Engine};
use crate::plan::advise::{cases, of_flags};
use crate::plan::{Fetch, PlannedCase, prepare};

/// The memory that several servers of wiredTiger need, each: twice what an empty one was seen to
/// take.
const MEMORY_MB: u64 = 256;

/// Flag cases get three times as many blocks: their effects are small, and 10 blocks rarely exclude
/// a 10 % effect where the difference within a block varies by 15 %. The number is fixed before the
/// session: one that goes on until something is shown finds it too often.
const OF_FLAGS: u32 = 3;

/// Measures what advice on these servers needs, or on the first of the configuration that runs
/// here, interleaved and without rules: every case in as many blocks as the configuration has at
/// least, and those that show what single arguments do in three times as many. Keeps the results in
/// `target/mongate/<run id>/` and returns them with the labels that the advice is about.
///
/// # Errors
/// As for [`startup`](super::startup); or none of the servers runs here.
pub fn advise(
    config: &Config,
    named: &[Label],
    observer: &dyn Observer,
) -> Result<(Results, Vec<Label>)> {
    let _lock = begin(observer)?;
    let mut advised: Vec<Label> = Vec::new();
    for label in named {
        if !advised.contains(label) {
            advised.push(label.clone());
        }
    }
    if advised.is_empty() {
        advised.push(first(config, observer)?);
    }
    let configured = config.mongod.versions.iter().chain(&config.mongod.optional);
    let beside = configured.filter(|label| belongs(label) && !advised.contains(label));
    let others: Vec<Label> = beside.cloned().collect();
    let cases = cases(&advised, &others);
    let mut arms = arms(config, &cases, observer)?;
    let memory_mb = Machine::read().memory_mb;
    let mut config = config.clone();
    let shared = config.session.blocks.min;
    let all = shared.saturating_mul(OF_FLAGS);
    config.session.blocks = Blocks { min: all, max: all };
    for arm in &mut arms {
        // Here a case that cannot run is part of the answer.
        arm.required = false;
        let goes_on = of_flags(&arm.case) && advised.contains(&arm.case.label);
        arm.complete_after = (!goes_on).then_some(shared);
        require_room(arm, memory_mb);
    }
    for label in &advised {
        let mut own = arms.iter().filter(|arm| arm.case.label == *label);
        if own.clone().all(|arm| arm.ready.is_err()) {
            let why = own.next().and_then(|arm| arm.ready.as_ref().err());
            return Err(Error::environment(why.cloned().unwrap_or_default()));
        }
    }
    let (results, _) = session(&config, arms, &rules(&config), &new_run_id(), observer)?;
    Ok((results, advised))
}

/// The first server of the configuration that runs here.
fn first(config: &Config, observer: &dyn Observer) -> Result<Label> {
    let mut reasons = Vec::new();
    for label in config.mongod.versions.iter().chain(&config.mongod.optional) {
        let on = |kind| Case::plain(label.clone(), Engine::WiredTiger, kind);
        let arms = arms(config, &[DbPathKind::Disk, DbPathKind::Ramdisk].map(on), observer)?;
        if arms.iter().any(|arm| arm.ready.is_ok()) {
            return Ok(label.clone());
        }
        let why = arms.first().and_then(|arm| arm.ready.as_ref().err());
        reasons.push(format!("{label}: {}", why.map_or("", String::as_str)));
    }
    Err(Error::environment(format!(
        "no mongod of the configuration runs here\n{}",
        reasons.join("\n")
    )))
}

fn arms(config: &Config, cases: &[Case], observer: &dyn Observer) -> Result<Vec<PlannedCase>> {
    prepare::prepare(config, cases, &[], Fetch::All, &target_folder(), observer)
}

/// Several servers at once are measured only where they all fit, on the dbPath's file system and in
/// memory.
fn require_room(arm: &mut PlannedCase, memory_mb: u64) {
    let servers = u64::from(arm.case.at_once);
    let Ok((_, base)) = &arm.ready else { return };
    if servers == 1 {
        return;
    }
    let needed = prepare::needed_space(arm.case.engine) * servers;
    if let Err(error) = space::require(base, needed) {
        arm.ready = Err(error.to_string());
    } else if memory_mb < servers * MEMORY_MB {
        arm.ready = Err(format!(
            "{servers} servers need about {} MiB of memory, and this machine has {memory_mb}",
            servers * MEMORY_MB
        ));
    }
}
