//! What a table of several sessions needs besides: which row is of which machine or run, and how
//! the sessions went.

use std::collections::BTreeMap;

use super::cells::letter;
use crate::figures::{interval, ratio};
use crate::model::Machine;
use crate::model::results::{Part, Results, StartupCase};

/// One letter for each machine, where results are of several; or for each test binary, where two of
/// them measured the same case.
#[derive(Debug)]
pub(super) struct Marks<'a> {
    results: &'a Results,
    sources: Vec<Source<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    machine: &'a Machine,
    /// Nothing where machines alone tell the rows apart.
    session: Option<&'a str>,
}

impl<'a> Marks<'a> {
    /// The marks that these results need.
    pub(super) fn of(results: &'a Results) -> Self {
        let mut marks = Self { results, sources: Vec::new() };
        let by_machine = |part: &'a Part| Source { machine: &part.machine, session: None };
        let by_session = |part: &'a Part| Source {
            session: part
                .run_id
                .rsplit_once('/')
                .map(|(session, _)| session)
                .or(Some(&part.run_id)),
            ..by_machine(part)
        };
        let several: Vec<Source> = distinct(results.parts.iter().map(by_machine));
        if repeats(results) {
            marks.sources = distinct(results.parts.iter().map(by_session));
        } else if several.len() > 1 {
            marks.sources = several;
        }
        marks
    }

    /// The mark of a start-up: "A"; nothing where all rows are of one kind.
    pub(super) fn mark(&self, case: &StartupCase) -> Option<String> {
        let index = self.results.startup.iter().position(|c| std::ptr::eq(c, case))?;
        self.letter(|part| part.startup.contains(&index))
    }

    fn letter(&self, is_of: impl Fn(&Part) -> bool) -> Option<String> {
        let part = self.results.parts.iter().find(|part| is_of(part))?;
        let source = self.sources.iter().position(|source| source.is_of(part))?;
        Some(letter(source))
    }
}

impl Source<'_> {
    fn is_of(&self, part: &Part) -> bool {
        self.machine.is(&part.machine)
            && self.session.is_none_or(|session| {
                // The session itself or a part of it, and none whose name only begins so.
                let rest = part.run_id.strip_prefix(session);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }
}

fn distinct<'a>(all: impl Iterator<Item = Source<'a>>) -> Vec<Source<'a>> {
    let mut sources: Vec<Source> = Vec::new();
    for source in all {
        let is_known =
            |known: &Source| known.machine.is(source.machine) && known.session == source.session;
        if !sources.iter().any(is_known) {
            sources.push(source);
        }
    }
    sources
}

/// Whether a machine has two rows for one case.
fn repeats(results: &Results) -> bool {
    let mut seen: Vec<(&str, &Machine)> = Vec::new();
    for part in &results.parts {
        let cases = part.startup.iter().filter_map(|&index| results.startup.get(index));
        for case in cases.filter(|case| !case.joined) {
            if seen.iter().any(|(id, machine)| *id == case.id && machine.is(&part.machine)) {
                return true;
            }
            seen.push((&case.id, &part.machine));
        }
    }
    false
}

/// How the sessions went, and where: what stands at the end of a table. Of results that are of one
/// session this says nothing.
pub(super) fn notes(results: &Results) -> Vec<String> {
    let parts = &results.parts;
    if parts.is_empty() {
        return Vec::new();
    }
    let marks = Marks::of(results);
    let mut notes = vec![format!(
        "{} sessions. Ratios are within one session and can be compared; times only on the same \
            machine.",
        parts.len()
    )];
    notes.extend(sentinels(parts));
    notes.extend(voided(results));
    let cut = parts.iter().filter(|part| part.session.interrupted);
    notes.extend(
        cut.map(|part| {
            format!("interrupted after {} blocks: {}", part.session.blocks, part.run_id)
        }),
    );
    notes.extend(versions(results));
    match marks.sources.as_slice() {
        [] => notes.push(format!("machine: {}", results.machine)),
        sources => {
            if sources.iter().any(|source| !source.machine.is(sources[0].machine)) {
                notes.push(
                    "the machines differ: compare ratios, not times, across letters".to_owned(),
                );
            }
            notes.extend((0..).zip(sources).map(|(index, source)| {
                let session = source.session.map_or(String::new(), |s| format!("{s}, "));
                format!("{}: {session}{}", letter(index), source.machine)
            }));
        }
    }
    let mut runs: Vec<&str> = parts.iter().map(Part::run).collect();
    runs.dedup();
    notes.push(format!("run: {}", runs.join(", ")));
    notes
}

fn sentinels(parts: &[Part]) -> Vec<String> {
    let sentinels = || parts.iter().filter_map(|part| Some((part, part.sentinel.as_ref()?)));
    let ratios: Vec<f64> = sentinels().map(|(_, sentinel)| sentinel.ratio.estimate).collect();
    let Some(least) = ratios.iter().copied().reduce(f64::min) else {
        return Vec::new();
    };
    let most = ratios.iter().copied().fold(least, f64::max);
    let all =
        format!("sentinels: references against themselves {}", interval([least, most], ratio));
    let invalid = sentinels().filter(|(_, sentinel)| sentinel.invalid);
    let unsteady = invalid.map(|(part, sentinel)| {
        format!(
            "sentinel: {} against itself {}: the machine was not steady, and the session {} says \
                nothing",
            sentinel.case,
            ratio(sentinel.ratio.estimate),
            part.run_id
        )
    });
    std::iter::once(all).chain(unsteady).collect()
}

/// Labels that meant different servers in different sessions.
fn versions(results: &Results) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in &results.startup {
        let of_label = versions.entry(&case.label).or_default();
        match case.version.as_deref() {
            Some(version) if !of_label.contains(&version) => of_label.push(version),
            _ => {}
        }
    }
    let differing = versions.into_iter().filter(|(_, all)| all.len() > 1);
    let say = |(label, all): (&str, Vec<&str>)| {
        format!("{label} is not the same everywhere: {}", all.join(", "))
    };
    differing.map(say).collect()
}

/// Launches that failed and were made again.
pub(super) fn voided(results: &Results) -> impl Iterator<Item = String> {
    let voided = results.session.voided.iter();
    voided.map(|void| format!("void: block {}, {} failed; measured again", void.block, void.case))
}
