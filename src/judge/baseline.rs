//! Baselines: what earlier sessions of this machine found, and a case against them. Reads and
//! writes text, not files.

use serde::{Deserialize, Serialize};

use crate::config;
use crate::config::Policy;
use crate::error::{Error, Result};
use crate::figures::{percent_interval, slower};
use crate::judge::Finding;
use crate::judge::threshold::Tolerance;
use crate::model::Machine;
use crate::model::Outcome;
use crate::model::results::{Results, StartupCase};
use crate::stats;
use crate::stats::MIN_SESSIONS;

/// The schema that this release writes.
pub const SCHEMA: &str = "mongate-baseline/1";

/// A baseline file: sessions, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: String,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// What one session found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The baseline that it belongs to.
    pub name: String,
    /// Where it was measured.
    pub machine: Key,
    /// The run.
    pub run_id: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// The cases that have a reference other than themselves.
    pub cases: Vec<Entry>,
}

/// What makes two machines comparable; the file systems stand with each case. No clock rates: they
/// change by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The processor's model.
    pub cpu: String,
    /// Logical processors.
    pub cores: usize,
    /// The kernel's major version.
    pub kernel: String,
}

/// One case of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The case.
    pub id: String,
    /// What it ran.
    pub version: Option<String>,
    /// Where its data lay.
    pub file_system: Option<String>,
    /// What it is compared with.
    pub reference: Pinned,
    /// The Hodges-Lehmann estimate of ln(case) - ln(reference).
    pub log_ratio: f64,
    /// The case's launches in ms, in the order of the blocks.
    pub case_ms: Vec<f64>,
    /// The reference's, of the same blocks.
    pub reference_ms: Vec<f64>,
}

/// A reference that must be the same for log-ratios to be comparable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    /// The case.
    pub id: String,
    /// What it ran.
    pub version: Option<String>,
    /// Where its data lay.
    pub file_system: Option<String>,
}

impl Key {
    /// That of a machine.
    pub fn of(machine: &Machine) -> Self {
        let major = machine.kernel.split('.').next().unwrap_or_default();
        Self { cpu: machine.cpu.clone(), cores: machine.cores, kernel: major.to_owned() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} cores, kernel {}", self.cpu, self.cores, self.kernel)
    }
}

impl Default for Document {
    fn default() -> Self {
        Self { schema: SCHEMA.to_owned(), sessions: Vec::new() }
    }
}

impl Document {
    /// Reads a baseline from its text; `file` is its name in messages.
    ///
    /// # Errors
    /// It is corrupt, or a newer mongate wrote it.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let wrong = |why: String| {
            Error::usage(format!("the baseline {file} cannot be read: {why}")).help(
                "restore it from version control, or remove it and accept a new one with `mongate \
                    baseline accept`",
            )
        };
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        match value["schema"].as_str() {
            Some(SCHEMA) => {}
            Some(other) if other.starts_with("mongate-baseline/") => {
                return Err(Error::usage(format!(
                    "the baseline {file} has the schema {other}, and this mongate reads {SCHEMA}"
                ))
                .help("update mongate, or name another `file` under [gate.baseline]"));
            }
            _ => {
                return Err(wrong(format!("it is not a baseline: its `schema` is not {SCHEMA:?}")));
            }
        }
        let document: Self = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        for session in &document.sessions {
            for entry in &session.cases {
                let sane =
                    |ms: &[f64]| !ms.is_empty() && ms.iter().all(|ms| ms.is_finite() && *ms > 0.0);
                if !entry.log_ratio.is_finite()
                    || !sane(&entry.case_ms)
                    || !sane(&entry.reference_ms)
                {
                    return Err(wrong(format!(
                        "{} of run {} has a number that is not a time",
                        entry.id, session.run_id
                    )));
                }
            }
        }
        Ok(document)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        // Nothing in it can fail to be written: its keys are strings, its numbers finite.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What this baseline has for a case: entries of the same name, machine, reference and file
    /// systems; else why it has none.
    fn entries(
        &self,
        case: &StartupCase,
        name: &str,
        results: &Results,
    ) -> std::result::Result<Vec<&Entry>, String> {
        let key = Key::of(&results.machine);
        let reference =
            pinned(case, results).ok_or_else(|| "its reference was not measured".to_owned())?;
        let all: Vec<(&Session, &Entry)> = self
            .sessions
            .iter()
            .filter(|session| session.name == name)
            .flat_map(|session| session.cases.iter().map(move |entry| (session, entry)))
            .filter(|(_, entry)| entry.id == case.id)
            .collect();
        let Some((newest, _)) = all.last() else {
            return Err(format!("the baseline {name:?} has no session with it"));
        };
        let here: Vec<_> = all.iter().filter(|(session, _)| session.machine == key).collect();
        if here.is_empty() {
            return Err(format!(
                "the baseline {name:?} is of another machine ({}; this one: {key})",
                newest.machine
            ));
        }
        let same: Vec<&Entry> = here
            .iter()
            .map(|(_, entry)| *entry)
            .filter(|entry| {
                entry.reference == reference && entry.file_system == case.db_path.file_system
            })
            .collect();
        if same.is_empty() {
            return Err(format!(
                "the baseline {name:?} compares it with another reference: {} {} on {}",
                here[0].1.reference.id,
                here[0].1.reference.version.as_deref().unwrap_or("?"),
                here[0].1.reference.file_system.as_deref().unwrap_or("?"),
            ));
        }
        Ok(same)
    }
}

impl Session {
    /// What a session found that may become part of a baseline; `None` where it has no case with a
    /// reference of its own, was interrupted, or its sentinel says that the machine was not steady.
    pub fn of(results: &Results, name: &str) -> Option<Self> {
        let sound =
            !results.session.interrupted && results.sentinel.as_ref().is_some_and(|s| !s.invalid);
        let cases: Vec<Entry> = results
            .startup
            .iter()
            .filter_map(|case| {
                let against = case.against.as_ref().filter(|a| !a.substitute)?;
                let other = results.startup.iter().find(|c| c.id == against.reference)?;
                let (case_ms, reference_ms) = case
                    .samples
                    .iter()
                    .filter_map(|sample| {
                        let other = other.samples.iter().find(|s| s.block == sample.block)?;
                        Some((sample.ready_ms, other.ready_ms))
                    })
                    .unzip();
                Some(Entry {
                    id: case.id.clone(),
                    version: case.version.clone(),
                    file_system: case.db_path.file_system.clone(),
                    reference: pinned(case, results)?,
                    log_ratio: against.ratio.estimate.ln(),
                    case_ms,
                    reference_ms,
                })
            })
            .collect();
        (sound && !cases.is_empty()).then(|| Self {
            name: name.to_owned(),
            machine: Key::of(&results.machine),
            run_id: results.run_id.clone(),
            started: results.started.clone(),
            cases,
        })
    }
}

fn pinned(case: &StartupCase, results: &Results) -> Option<Pinned> {
    let against = case.against.as_ref().filter(|a| !a.substitute)?;
    let other = results.startup.iter().find(|c| c.id == against.reference)?;
    Some(Pinned {
        id: other.id.clone(),
        version: other.version.clone(),
        file_system: other.db_path.file_system.clone(),
    })
}

/// Judges a case by its baseline; nothing for a case that is its own reference, which no ratio can
/// judge.
///
/// The interval is the wider of two at each end: the prediction interval for one more session from
/// the stored ones (they scatter), and this session's own (it may be shorter than the stored ones).
pub(super) fn by_baseline(
    case: &StartupCase,
    document: &Document,
    settings: &config::Baseline,
    tolerance: Tolerance,
    results: &Results,
) -> Option<Finding> {
    let against = case.against.as_ref()?;
    let rule = format!("baseline {:?}", settings.name);
    let missing = |why: String| Finding {
        outcome: match settings.missing {
            Policy::Warn => Outcome::Measured,
            Policy::Fail => Outcome::Invalid,
        },
        rule: rule.clone(),
        detail: format!("{} has no baseline: {why}", case.id),
        strict: settings.missing == Policy::Fail,
    };
    let entries = match document.entries(case, &settings.name, results) {
        Ok(entries) => entries,
        Err(why) => return Some(missing(why)),
    };
    let log_ratios: Vec<f64> = entries.iter().map(|entry| entry.log_ratio).collect();
    let medians: Vec<f64> =
        entries.iter().filter_map(|entry| stats::quantile(&entry.case_ms, 0.5)).collect();
    let base = stats::quantile(&medians, 0.5)?;
    let mean = log_ratios.iter().sum::<f64>() / log_ratios.len() as f64;
    let own = against.ratio.ci95?.map(|end| end.ln() - mean);
    let shift = against.ratio.estimate.ln() - mean;
    let interval = match stats::prediction_interval(&log_ratios) {
        Some(prediction) if log_ratios.len() >= MIN_SESSIONS => {
            let half = prediction.interval95[1] - prediction.mean;
            [own[0].min(shift - half), own[1].max(shift + half)]
        }
        _ => own,
    }
    .map(f64::exp);
    let mut outcome = stats::classify(interval, tolerance.over(base)).into();
    let mut detail = format!(
        "start-up of {} is {} than its baseline (95 %: {}), {}",
        case.id,
        slower(shift.exp()),
        percent_interval(interval),
        tolerance.words(base)
    );
    if log_ratios.len() < MIN_SESSIONS {
        outcome = Outcome::Measured;
        detail += &format!(
            "; advice only: {} of the {MIN_SESSIONS} sessions that a verdict needs are stored",
            log_ratios.len()
        );
    }
    Some(Finding { outcome, rule, detail, strict: false })
}
