//! What stands below the table of start-ups: explanations, verdicts, and where it was measured.

use crate::figures::{interval, milliseconds, ratio};
use crate::model::Verdict;
use crate::model::results::{DbPath, Results};
use crate::report::conditions;
use crate::report::sessions;
use crate::report::table::{how, is_same};

/// Where data went, each place once.
pub(super) fn places<'a>(db_paths: impl Iterator<Item = &'a DbPath>) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for db_path in db_paths {
        if let (Some(path), Some(name)) = (&db_path.path, &db_path.file_system) {
            let fsync =
                db_path.fsync_us.map_or(String::new(), |us| format!(", fsync {}", time(us)));
            let place = format!("{}: {} ({name}{fsync})", db_path.kind, path.display());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

pub(super) fn all(results: &Results, reasons: &[&str]) -> Vec<String> {
    let mut notes = Vec::new();
    for (number, why) in (1..).zip(reasons) {
        notes.push(format!("[{number}] {why}"));
    }
    let against = || results.startup.iter().filter_map(|case| case.against.as_ref());
    if against().any(|a| !a.substitute) {
        let alike = match results.startup.iter().any(|case| !how(case).is_empty()) {
            true => "version and topology",
            false => "version",
        };
        notes.push(format!(
            "ratio: to the row marked ref of the same {alike} (wiredTiger on disk), block by block"
        ));
    }
    if against().any(is_same) {
        let adjusted = against().filter(|a| a.p_holm.is_some()).count();
        let by = match adjusted {
            0 => {
                "the interval contains 1; for a claim over all rows at once there are too few \
                    blocks"
            }
            _ if adjusted == against().count() => "signed-rank test at 5 %, by Holm for all rows",
            _ => {
                "signed-rank test at 5 %, by Holm for all rows with enough blocks for it; of the \
                    others the interval contains 1"
            }
        };
        notes.push(format!("~: no difference from the ref is shown ({by})"));
    }
    if let Some(a) = against().find(|a| a.substitute) {
        notes.push(format!("ratio: to {}, since the usual reference cannot run here", a.reference));
    }
    notes.extend(conditions::notes(&results.startup, results.machine.cores));
    notes.extend(verdicts(results.startup.iter().map(|case| &case.verdict)));
    let notices = results.notices.iter();
    notes.extend(notices.map(|notice| format!("note: {notice}")));
    notes.extend(context(results));
    notes
}

/// What the rules say, the heaviest first.
pub(super) fn verdicts<'a>(all: impl Iterator<Item = &'a Verdict>) -> Vec<String> {
    let mut judged: Vec<&Verdict> = all.filter(|verdict| verdict.rule.is_some()).collect();
    judged.sort_by_key(|verdict| std::cmp::Reverse(verdict.outcome));
    judged.into_iter().map(ToString::to_string).collect()
}

/// Where and how it was measured.
pub(super) fn context(results: &Results) -> Vec<String> {
    let mut notes = places(results.startup.iter().map(|case| &case.db_path));
    if !results.parts.is_empty() {
        notes.extend(sessions::notes(results));
        return notes;
    }
    if let Some(sentinel) = &results.sentinel {
        let ci = sentinel.ci95.map_or(String::new(), |ci| format!(" [{}]", interval(ci, ratio)));
        let judgement = if sentinel.invalid {
            ": the machine was not steady, and this session says nothing"
        } else {
            ""
        };
        notes.push(format!(
            "sentinel: {} against itself {}{ci}{judgement}",
            sentinel.case,
            ratio(sentinel.ratio)
        ));
    }
    for void in &results.session.voided {
        notes.push(format!("void: block {}, {} failed; measured again", void.block, void.case));
    }
    if results.session.interrupted {
        notes.push(format!("interrupted after {} blocks", results.session.blocks));
    }
    notes.push(format!("machine: {}", results.machine));
    notes.push(format!("run: {}, seed {}", results.run_id, results.seed));
    notes
}

fn time(us: f64) -> String {
    if us < 1000.0 { format!("{us:.0} us") } else { format!("{} ms", milliseconds(us / 1000.0)) }
}
