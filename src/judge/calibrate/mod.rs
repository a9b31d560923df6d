//! What the gate would say on this machine: false alarms, power and undecided sessions, by blocks
//! and effect, from a record of identical arms.
//!
//! No part of this measures: [`Record`] reads what a session of identical arms left, [`calibrate`]
//! judges it, and it can be judged again with other parameters.

pub mod advice;
pub mod record;
pub mod resample;
pub mod rivals;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use advice::Advice;
pub use record::{Arms, Block, Header, Record};
pub use resample::{Outcomes, Rate, Session, Window};
pub use rivals::{Claims, Order, Rival, RivalRow};

use crate::error::{Error, Result};
use crate::judge::Tolerance;
use crate::model::Machine;
use crate::stats::{LOOKS, Summary};

/// The schema of a [`Calibration`] as JSON.
pub const SCHEMA: &str = "mongate-calibration/1";

/// How much longer B is made, as fractions; 0 shows the false alarms.
pub const EFFECTS: [f64; 4] = [0.0, 0.05, 0.1, 0.2];

/// Longest sessions that are judged besides those of the usual looks and the configured one, in
/// blocks: what a noisy machine needs.
const LONGER: [usize; 2] = [70, 100];

/// How many launches of each arm the rivals get, or as many as the longest session has if that is
/// shorter.
const RIVAL_BLOCKS: usize = 30;

/// How to judge a record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The gate's tolerance.
    pub tolerance: Tolerance,
    /// The first look, in blocks.
    pub min_blocks: usize,
    /// The longest session that is configured, in blocks.
    pub max_blocks: usize,
    /// How many sessions are resampled for each row.
    pub sessions: usize,
    /// Bootstrap resamples of criterion's rule, which takes 100,000 itself.
    pub resamples: usize,
    /// Decides the windows and the bootstrap.
    pub seed: u64,
}

impl Default for Parameters {
    /// The gate's defaults: 5 % and 5 ms, 10 to 50 blocks; 1,000 sessions.
    fn default() -> Self {
        Self {
            tolerance: Tolerance { share: 0.05, floor_ms: 5.0 },
            min_blocks: 10,
            max_blocks: 50,
            sessions: 1000,
            resamples: 1000,
            seed: 1,
        }
    }
}

/// What a record says about the gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calibration {
    /// [`SCHEMA`].
    pub schema: String,
    /// The run that made the record.
    pub run_id: String,
    /// The machine that it was made on.
    pub machine: Machine,
    /// Blocks in the record.
    pub blocks: usize,
    /// How it was judged.
    pub parameters: Parameters,
    /// By id, in alphabetical order.
    pub cases: Vec<CaseCalibration>,
}

/// What a record says about one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseCalibration {
    /// The case's id.
    pub id: String,
    /// The median of both arms, in ms.
    pub median_ms: f64,
    /// The standard deviation of the logarithms of both arms: 0.07 is about 7 %.
    pub sd_log: f64,
    /// The tolerance at the median, as a fraction: larger than the configured one where the floor
    /// is.
    pub tolerance: f64,
    /// The gate, by the longest session.
    pub rows: Vec<Row>,
    /// Other tools' rules.
    pub rivals: Vec<RivalRow>,
    /// Which tolerance and how many blocks catch each effect here.
    pub advice: Vec<Advice>,
}

/// The gate with sessions of at most so many blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The longest session; looks in between may end it earlier.
    pub blocks: usize,
    /// Identical arms said to be slower or faster.
    pub false_alarms: Rate,
    /// For each of [`EFFECTS`].
    pub outcomes: Vec<Outcomes>,
}

/// Judges a record.
///
/// A row needs a record of twice its blocks: in a shorter one all windows are nearly the same, and
/// two in sequence have no room.
///
/// # Errors
/// The record is too short for the shortest row, or the parameters ask for no sessions, no
/// resamples, or a tolerance that is none.
pub fn calibrate(record: &Record, parameters: &Parameters) -> Result<Calibration> {
    let lengths = lengths(record, parameters)?;
    let cases = record.cases.iter();
    Ok(Calibration {
        schema: SCHEMA.to_owned(),
        run_id: record.header.run_id.clone(),
        machine: record.header.machine.clone(),
        blocks: record.blocks,
        parameters: *parameters,
        cases: cases.filter_map(|(id, arms)| case(id, arms, &lengths, parameters)).collect(),
    })
}

/// The blocks of each row, ascending.
fn lengths(record: &Record, parameters: &Parameters) -> Result<Vec<usize>> {
    let Tolerance { share, floor_ms } = parameters.tolerance;
    if parameters.sessions == 0 || parameters.resamples == 0 || parameters.max_blocks == 0 {
        return Err(Error::usage("no sessions, no resamples or no blocks to judge"));
    }
    if ![share, floor_ms].iter().all(|t| t.is_finite() && *t >= 0.0) {
        return Err(Error::usage(format!(
            "a tolerance of {share} with a floor of {floor_ms} ms: neither may be below 0"
        )));
    }
    let mut lengths: Vec<usize> = LOOKS.into_iter().chain(LONGER).collect();
    lengths.push(parameters.max_blocks);
    lengths.sort_unstable();
    lengths.dedup();
    lengths.retain(|n| n.saturating_mul(2) <= record.blocks);
    if lengths.is_empty() {
        let least = 2 * LOOKS[0].min(parameters.max_blocks);
        return Err(Error::usage(format!(
            "the record {} has {} blocks, too few to resample sessions from",
            record.header.run_id, record.blocks
        ))
        .help(format!("record at least {least} blocks, better 500")));
    }
    Ok(lengths)
}

/// `None` where a time is not above 0 and finite, which [`Record::parse`] rules out.
fn case(
    id: &str,
    arms: &Arms,
    lengths: &[usize],
    parameters: &Parameters,
) -> Option<CaseCalibration> {
    let Parameters { tolerance, min_blocks, sessions, resamples, seed, .. } = *parameters;
    let times: Vec<f64> = arms.a.iter().chain(&arms.b).copied().collect();
    let logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    let median_ms = Summary::of(&times)?.median;
    let mut resampled = Vec::new();
    for &blocks in lengths {
        let windows = resample::windows(seed, sessions, arms.a.len(), blocks);
        let session = |window: Window| Session::of(window.cut(arms, blocks, 0)?, min_blocks);
        let sessions: Option<Vec<_>> = windows.into_iter().map(session).collect();
        resampled.push((blocks, sessions?));
    }
    let row = |(blocks, sessions): &(usize, Vec<Session>)| {
        let outcomes: Vec<_> = EFFECTS
            .into_iter()
            .map(|effect| Outcomes::count(sessions, effect, tolerance))
            .collect();
        let wrong = outcomes[0].regressed + outcomes[0].improved;
        Row {
            blocks: *blocks,
            false_alarms: Rate::new(wrong, sessions.len(), arms.a.len() / blocks),
            outcomes,
        }
    };
    let longest = lengths.last().copied().unwrap_or_default();
    let launches = RIVAL_BLOCKS.min(longest);
    Some(CaseCalibration {
        id: id.to_owned(),
        median_ms,
        sd_log: Summary::of(&logs)?.sd?,
        tolerance: tolerance.over(median_ms),
        rows: resampled.iter().map(row).collect(),
        rivals: rivals::compare(arms, launches, &EFFECTS, sessions, seed, resamples),
        advice: advice::advise(&resampled, median_ms, tolerance.floor_ms),
    })
}
