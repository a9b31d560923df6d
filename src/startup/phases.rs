//! A start divided into phases.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::log::{self, Event, id};

/// A stretch of a start. Each lasts from the end of the one before it to the event that is named
/// here; one whose event never came is missing, and its time belongs to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before all others, where the dbPath is a copy of a template: from the beginning of the copy
    /// to the spawn.
    TemplateCopy,
    /// From the spawn to the first line of the log: fork, exec, the loader, mongod's static
    /// initialisers.
    ExecInit,
    /// To `MongoDB starting`.
    ProcessInit,
    /// To `Opening WiredTiger`, or to the word that a journal is left behind.
    EngineSelect,
    /// A journal is left behind: to `Opening WiredTiger`.
    JournalTransition,
    /// To `WiredTiger opened`; an engine that announces no opening has no such phase.
    EngineOpen,
    /// To `Flow Control is enabled`: the catalogue, the feature compatibility version.
    CatalogFcv,
    /// To `Waiting for connections`.
    Services,
    /// To the first answer to the driver.
    ClientReady,
    /// To the receipt of replSetInitiate.
    RsWait,
    /// To the new replica-set configuration.
    RsInitiate,
    /// To the election that is won.
    RsElection,
    /// To the end of the transition to primary.
    RsStepup,
    /// To the first acknowledged write with w:majority.
    RsWritable,
}

impl Phase {
    /// The name in results and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TemplateCopy => "template_copy",
            Self::ExecInit => "exec_init",
            Self::ProcessInit => "process_init",
            Self::EngineSelect => "engine_select",
            Self::JournalTransition => "journal_transition",
            Self::EngineOpen => "engine_open",
            Self::CatalogFcv => "catalog_fcv",
            Self::Services => "services",
            Self::ClientReady => "client_ready",
            Self::RsWait => "rs_wait",
            Self::RsInitiate => "rs_initiate",
            Self::RsElection => "rs_election",
            Self::RsStepup => "rs_stepup",
            Self::RsWritable => "rs_writable",
        }
    }

    /// The phase that a line of this id ends.
    fn ended_by(id: u32) -> Option<Self> {
        Some(match id {
            id::STARTING => Self::ProcessInit,
            id::JOURNAL_TRANSITION | id::OPENING => Self::EngineSelect,
            id::OPENED | id::RECOVERY_TIMESTAMP => Self::EngineOpen,
            id::FLOW_CONTROL => Self::CatalogFcv,
            id::LISTENING => Self::Services,
            id::INITIATE => Self::RsWait,
            id::NEW_CONFIG => Self::RsInitiate,
            id::ELECTED => Self::RsElection,
            id::PRIMARY => Self::RsStepup,
            _ => return None,
        })
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A part of [`Phase::EngineOpen`], divided at WiredTiger's first own message. It is inside that
/// phase and never added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// WiredTiger opens its files and its journal.
    WtBase,
    /// WiredTiger's recovery, and what follows it.
    WtRecovery,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WtBase => "wt_base",
            Self::WtRecovery => "wt_recovery",
        })
    }
}

/// What the client saw, since the spawn.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The first ping was answered.
    pub ready: Duration,
    /// Of a replica set: the first write with w:majority was acknowledged.
    pub majority_write: Option<Duration>,
}

/// A start in phases. All times are milliseconds, to the microsecond.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// What each phase took; together exactly the whole start.
    pub phases_ms: BTreeMap<Phase, f64>,
    /// The parts of [`Phase::EngineOpen`], where WiredTiger said something while it opened.
    pub parts_ms: BTreeMap<Part, f64>,
    /// What mongod itself says that the engine took to open.
    pub opened_ms: Option<f64>,
    /// mongod's own account of its start by steps, where the binary prints one. Its clock is coarse
    /// and begins after `main`: never add it up.
    pub steps_ms: BTreeMap<String, f64>,
}

/// Divides a start into phases: `lines` are those of the log, each with its arrival since the
/// spawn.
///
/// The spawn and what the client saw are on our own clock. All boundaries between them are the
/// log's own times, which have whole milliseconds of the machine's wall clock. They are laid on our
/// clock by one offset: the smallest difference between a line's arrival and its time. So no line
/// comes after its arrival, one of them comes exactly then, and the differences between two log
/// times stay what the log says. Should the wall clock be set in the middle of a start, a time is
/// cut off at the spawn and at the line's arrival.
///
/// Boundaries are taken in the order of their times; of a repeated line the first counts. What is
/// missing or out of order can therefore move time between phases, but they never overlap, none is
/// negative, and they sum to the whole start: to `ready`, of a replica set to `majority_write`.
pub fn profile<'a>(
    lines: impl IntoIterator<Item = (Duration, &'a str)>,
    client: &Client,
) -> Profile {
    let events: Vec<(i64, Event)> = lines
        .into_iter()
        .filter_map(|(at, line)| Some((microseconds(at), log::parse(line)?)))
        .collect();
    let end = client.majority_write.unwrap_or(client.ready);
    let timeline = Timeline::new(&events, microseconds(end));
    let boundaries = timeline.boundaries(&events, client);
    let mut profile = Profile::default();
    let mut from = 0;
    for &(phase, to) in &boundaries {
        profile.phases_ms.insert(phase, milliseconds(to - from));
        if phase == Phase::EngineOpen {
            profile.parts_ms = timeline.parts(&events, from, to);
        }
        from = to;
    }
    profile.opened_ms = events.iter().find_map(|(_, event)| event.duration_ms);
    let mut summaries = events.into_iter().map(|(_, event)| event.steps_ms);
    profile.steps_ms = summaries.find(|steps| !steps.is_empty()).unwrap_or_default();
    profile
}

/// Lays the log's times on the clock of the arrivals; all in microseconds since the spawn.
struct Timeline {
    offset: i64,
    end: i64,
}

impl Timeline {
    fn new(events: &[(i64, Event)], end: i64) -> Self {
        // Of the lines that are known, so that a foreign one with another clock cannot shift them.
        let known = events.iter().filter(|(_, event)| {
            event.id.and_then(Phase::ended_by).is_some() || event.id == Some(id::SUMMARY)
        });
        let offsets = known.filter_map(|(at, event)| Some(at - event.time?.as_microsecond()));
        Self { offset: offsets.min().unwrap_or(0), end }
    }

    /// When a line was written: by its own time where it has one.
    fn place(&self, (at, event): &(i64, Event)) -> i64 {
        let written = event.time.map_or(*at, |time| time.as_microsecond() + self.offset);
        written.clamp(0, *at).min(self.end)
    }

    /// Where each phase ends, in the order of time.
    fn boundaries(&self, events: &[(i64, Event)], client: &Client) -> Vec<(Phase, i64)> {
        let mut ends: BTreeMap<Phase, i64> = BTreeMap::new();
        let mut leaves_journal = false;
        for event in events {
            ends.entry(Phase::ExecInit).or_insert(self.place(event));
            let Some(id) = event.1.id else { continue };
            leaves_journal |= id == id::JOURNAL_TRANSITION;
            let phase = match Phase::ended_by(id) {
                Some(_) if id == id::OPENING && leaves_journal => Phase::JournalTransition,
                // What a standalone server says of replica sets ends nothing.
                Some(phase) if phase > Phase::ClientReady && client.majority_write.is_none() => {
                    continue;
                }
                Some(phase) => phase,
                None => continue,
            };
            ends.entry(phase).or_insert(self.place(event));
        }
        ends.insert(Phase::ClientReady, microseconds(client.ready).min(self.end));
        if client.majority_write.is_some() {
            ends.insert(Phase::RsWritable, self.end);
        }
        let mut boundaries: Vec<(Phase, i64)> = ends.into_iter().collect();
        // Stable: at one and the same time the phases keep their own order.
        boundaries.sort_by_key(|&(_, at)| at);
        boundaries
    }

    fn parts(&self, events: &[(i64, Event)], from: i64, to: i64) -> BTreeMap<Part, f64> {
        let messages = events.iter().filter(|(_, event)| event.id == Some(id::WIRED_TIGER));
        let first = messages.map(|event| self.place(event)).find(|at| (from..=to).contains(at));
        first.map_or(BTreeMap::new(), |at| {
            BTreeMap::from([
                (Part::WtBase, milliseconds(at - from)),
                (Part::WtRecovery, milliseconds(to - at)),
            ])
        })
    }
}

/// Whole microseconds, rounded as every stamp of a sample is. A duration of thousands of years
/// counts as a thousand.
fn microseconds(duration: Duration) -> i64 {
    const MOST: u64 = 1000 * 366 * 24 * 3600;
    let duration = duration.min(Duration::from_secs(MOST));
    (duration.as_secs_f64() * 1e6).round() as i64
}

fn milliseconds(microseconds: i64) -> f64 {
    microseconds as f64 / 1e3
}
