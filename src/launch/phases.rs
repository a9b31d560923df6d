//! A start divided into phases.

use std::collections::BTreeMap;
use std::time::Duration;

use super::log::{self, Event, id};
use crate::model::{Part, Phase};

/// The phase that a line of this id ends.
fn ended_by(id: u32) -> Option<Phase> {
    Some(match id {
        id::STARTING => Phase::ProcessInit,
        id::JOURNAL_TRANSITION | id::OPENING => Phase::EngineSelect,
        id::OPENED | id::RECOVERY_TIMESTAMP => Phase::EngineOpen,
        id::FLOW_CONTROL => Phase::CatalogFcv,
        id::LISTENING => Phase::Services,
        id::INITIATE => Phase::RsWait,
        id::NEW_CONFIG => Phase::RsInitiate,
        id::ELECTED => Phase::RsElection,
        id::PRIMARY => Phase::RsStepup,
        _ => return None,
    })
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
            event.id.and_then(ended_by).is_some() || event.id == Some(id::SUMMARY)
        });
        let offsets = known.filter_map(|(at, event)| Some(at - since_1970(event.time?)));
        Self { offset: offsets.min().unwrap_or(0), end }
    }

    /// When a line was written: by its own time where it has one.
    fn place(&self, (at, event): &(i64, Event)) -> i64 {
        let written = event.time.map_or(*at, |time| since_1970(time) + self.offset);
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
            let phase = match ended_by(id) {
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

/// Whole microseconds since 1970.
fn since_1970(time: time::OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1000).expect("a year of four digits")
}
