//! From what a session measured to results.

use crate::dbpath::{Place, Ram};
use crate::measure::Measured;
use crate::model::paired::compare;
use crate::model::results::{
    Against, DbPath, Results, SCHEMA, Sentinel, SessionFacts, StartupCase, Status, Tool, adjust,
};
use crate::model::{DbPathKind, Machine, Sample, Verdict};
use crate::plan::PlannedCase;
use crate::stats;

/// What results say besides what the session measured.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The run's name.
    pub run_id: String,
    /// When the session began: RFC 3339, UTC.
    pub started: String,
    /// The seed of the random order.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
}

/// Turns what a session measured into results without verdicts.
pub fn assemble(session: &Measured, frame: &Frame) -> Results {
    let cases = session.arms.iter().enumerate();
    let mut startup: Vec<StartupCase> =
        cases.map(|(index, arm)| startup_case(session, index, arm)).collect();
    adjust(&mut startup);
    Results {
        session: SessionFacts {
            blocks: session.blocks,
            voided: session.voided.clone(),
            measured_ms: session.measured.as_secs_f64() * 1e3,
            wall_ms: session.wall.as_secs_f64() * 1e3,
            interrupted: session.interrupted,
        },
        startup,
        sentinel: sentinel(session),
        ..empty(frame)
    }
}

/// Results in which nothing has been measured yet.
pub fn empty(frame: &Frame) -> Results {
    Results {
        schema: SCHEMA.to_owned(),
        run_id: frame.run_id.clone(),
        started: frame.started.clone(),
        tool: Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        seed: frame.seed,
        machine: frame.machine.clone(),
        session: SessionFacts::default(),
        startup: Vec::new(),
        transactions: Vec::new(),
        sentinel: None,
        notices: Vec::new(),
        parts: Vec::new(),
    }
}

fn startup_case(session: &Measured, index: usize, arm: &PlannedCase) -> StartupCase {
    let samples = &session.samples[index];
    let (status, reason) = match &arm.ready {
        Ok(_) => (Status::Measured, None),
        Err(why) => (Status::Unavailable, Some(why.clone())),
    };
    let reference = session.references[index].filter(|&r| r != index && status == Status::Measured);
    StartupCase {
        id: arm.case.id(),
        label: arm.case.label.to_string(),
        version: arm.version.as_ref().map(ToString::to_string),
        engine: arm.case.engine,
        topology: arm.case.topology,
        cache: arm.case.cache,
        at_once: arm.case.at_once,
        variant: arm.case.variant.as_ref().map(ToString::to_string),
        db_path: db_path(arm.case.db_path, arm.place.as_ref()),
        required: arm.required,
        joined: arm.joined,
        status,
        reason,
        summary: stats::Summary::of(&ready(samples)),
        samples: samples.clone(),
        against: reference.and_then(|reference| {
            let other = &session.arms[reference].case;
            let compared = compare(samples, &session.samples[reference])?;
            Some(Against {
                reference: other.id(),
                substitute: reference != arm.reference,
                ratio: compared.ratio,
                p_holm: None,
            })
        }),
        verdict: Verdict::measured(),
    }
}

/// What the results say of a place.
pub(crate) fn db_path(kind: DbPathKind, place: Option<&Place>) -> DbPath {
    DbPath {
        kind,
        path: place.map(|p| p.base.clone()),
        file_system: place.map(|p| p.file_system.name.clone()),
        is_ram: place.and_then(|p| match p.file_system.ram {
            Ram::Yes => Some(true),
            Ram::No => Some(false),
            Ram::Unknown => None,
        }),
        fsync_us: place.and_then(|p| p.fsync_us),
    }
}

fn sentinel(session: &Measured) -> Option<Sentinel> {
    let (arm, samples) = session.sentinel.as_ref()?;
    let compared = compare(samples, &session.samples[*arm])?;
    Some(Sentinel {
        case: session.arms[*arm].case.id(),
        ratio: compared.ratio,
        invalid: false,
        samples: samples.clone(),
    })
}

fn ready(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.ready_ms).collect()
}
