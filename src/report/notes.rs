//! What stands below the tables: what the rules say, and where and how it was measured.

use super::cells::bracketed;
use super::sessions;
use crate::figures::{ratio, short_time};
use crate::model::results::{DbPath, Results};
use crate::model::{Outcome, Verdict};

/// What the gate says in a line; nothing where no rule is for any case.
pub(super) fn gate(results: &Results) -> Option<String> {
    let all = || results.verdicts().map(|(_, verdict)| verdict);
    let judged = all().filter(|verdict| verdict.rule.is_some() || verdict.fails);
    let mut outcomes: Vec<Outcome> = judged.map(|verdict| verdict.outcome).collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(*outcome));
    let count = |group: &[Outcome]| format!("{} {}", group.len(), group[0]);
    let counts: Vec<String> = outcomes.chunk_by(|a, b| a == b).map(count).collect();
    let word = if all().any(|verdict| verdict.fails) { "failed" } else { "passed" };
    (!counts.is_empty()).then(|| format!("gate {word}: {}", counts.join(", ")))
}

/// What the rules say, the heaviest first.
pub(super) fn verdicts(results: &Results) -> Vec<String> {
    let all = results.verdicts().map(|(_, verdict)| verdict);
    let mut judged: Vec<&Verdict> = all.filter(|verdict| verdict.rule.is_some()).collect();
    judged.sort_by_key(|verdict| std::cmp::Reverse(verdict.outcome));
    judged.into_iter().map(ToString::to_string).collect()
}

/// Where and how it was measured.
pub(super) fn context(results: &Results) -> Vec<String> {
    let startup = results.startup.iter().map(|case| &case.db_path);
    let transactions = results.transactions.iter().map(|case| &case.db_path);
    let mut notes = places(startup.chain(transactions));
    if !results.parts.is_empty() {
        notes.extend(sessions::notes(results));
        return notes;
    }
    if let Some(sentinel) = &results.sentinel {
        let judgement = match sentinel.invalid {
            true => ": the machine was not steady, and this session says nothing",
            false => "",
        };
        notes.push(format!(
            "sentinel: {} against itself {}{}{judgement}",
            sentinel.case,
            ratio(sentinel.ratio.estimate),
            bracketed(sentinel.ratio.ci95)
        ));
    }
    notes.extend(sessions::voided(results));
    if results.session.interrupted {
        let done = match results.startup.is_empty() {
            true => format!("{} cases", results.transactions.len()),
            false => format!("{} blocks", results.session.blocks),
        };
        notes.push(format!("interrupted after {done}"));
    }
    notes.push(format!("machine: {}", results.machine));
    notes.push(format!("run: {}, seed {}", results.run_id, results.seed));
    notes
}

/// Where data went, each place once.
fn places<'a>(db_paths: impl Iterator<Item = &'a DbPath>) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for db_path in db_paths {
        if let (Some(path), Some(name)) = (&db_path.path, &db_path.file_system) {
            let fsync = db_path.fsync_us;
            let fsync = fsync.map_or(String::new(), |us| format!(", fsync {}", short_time(us)));
            let place = format!("{}: {} ({name}{fsync})", db_path.kind, path.display());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}
