//! The result of `mongate profile`: a table of phases, bars, and findings.

use super::cells::{ends, letter, times};
use super::doc::{Bar, Block, Cell, Chart, Column, Doc, Table, Tone};
use super::notes;
use crate::advise::profile::{Difference, Figures, Row, Stretch, diagnose, differences};
use crate::figures::{milliseconds, percent, percent_interval};
use crate::model::Phase;
use crate::model::results::{Results, StartupCase};

/// The phases of all cases side by side, as bars, and what they mean.
pub(crate) fn document(results: &Results) -> Doc {
    let mut doc = Doc::new("phases of mongod's start");
    doc.heading(2, "phases of the start, in ms");
    let figures: Vec<Figures> = results.startup.iter().map(Figures::of).collect();
    for (index, case) in results.startup.iter().enumerate() {
        doc.say(format!("{} {}", letter(index), times(case)));
    }
    let all = results.startup.iter().zip(&figures).enumerate();
    let drawn: Vec<Profiled<'_>> = all
        .filter(|(_, (_, figures))| !figures.rows.is_empty())
        .map(|(index, (case, figures))| Profiled { name: letter(index), case, figures })
        .collect();
    if !drawn.is_empty() {
        doc.table(table(&drawn));
        doc.blocks.push(Block::Chart(chart(&drawn)));
        doc.heading(2, "findings");
    }
    findings(results).into_iter().for_each(|finding| doc.item(finding));
    if !drawn.is_empty() {
        doc.notes.push(
            "share: of the mean start; what is indented is part of engine_open and not added. A \
                phase whose end the log does not show belongs to the next"
                .to_owned(),
        );
    }
    doc.notes.extend(notes::context(results));
    doc
}

/// A case with its phases and the name that it has in this report.
struct Profiled<'a> {
    name: String,
    case: &'a StartupCase,
    figures: &'a Figures,
}

/// Every stretch that one of these has, in order.
fn stretches(cases: &[Profiled]) -> Vec<Stretch> {
    let all = cases.iter().flat_map(|profiled| profiled.figures.rows.keys());
    let mut all: Vec<Stretch> = all.copied().collect();
    // The parts stand under their phase.
    all.sort_by_key(|stretch| match stretch {
        Stretch::Phase(phase) => (*phase, None),
        Stretch::Part(part) => (Phase::EngineOpen, Some(*part)),
    });
    all.dedup();
    all
}

fn table(cases: &[Profiled]) -> Table {
    let mut columns = vec![Column::text("phase")];
    for profiled in cases {
        let titles = [format!("{} median", profiled.name), "95 %".into(), "share".into()];
        columns.extend(titles.map(Column::figure));
    }
    let mut table = Table { columns, section: 3, ..Table::default() };
    for stretch in stretches(cases) {
        let depth = u8::from(matches!(stretch, Stretch::Part(_)));
        let figures = cases.iter().flat_map(|p| cells(p.figures.rows.get(&stretch)));
        table.deep_row(depth, [stretch.name()].into_iter().chain(figures));
    }
    let whole = cases.iter().flat_map(|profiled| whole_start(profiled.case));
    let bold = |text: String| Cell::new(text).tone(Tone::Strong);
    table.row(["whole start".to_owned()].into_iter().chain(whole).map(bold));
    table
}

/// Median, interval and share.
fn cells(row: Option<&Row>) -> [String; 3] {
    row.map_or(["-".into(), String::new(), String::new()], |row| {
        [milliseconds(row.median_ms), ends(row.ci95_ms, milliseconds), percent(row.share)]
    })
}

/// The same of the start from its beginning to its end.
fn whole_start(case: &StartupCase) -> [String; 3] {
    case.summary.as_ref().map_or_else(
        || cells(None),
        |summary| {
            let median = milliseconds(summary.median);
            [median, ends(summary.ci95, milliseconds), percent(1.0)]
        },
    )
}

/// The mean of each phase, and every launch.
fn chart(cases: &[Profiled]) -> Chart {
    let phases = stretches(cases).into_iter().filter_map(|stretch| match stretch {
        Stretch::Phase(phase) => Some(phase),
        Stretch::Part(_) => None,
    });
    let phases: Vec<Phase> = phases.collect();
    let bar = |profiled: &Profiled| Bar {
        name: profiled.name.clone(),
        title: times(profiled.case),
        values: phases
            .iter()
            .map(|phase| Some(profiled.figures.rows.get(&Stretch::Phase(*phase))?.mean_ms))
            .collect(),
        samples: profiled
            .case
            .samples
            .iter()
            .map(|sample| {
                let of = |phase| sample.phases_ms.get(phase).copied().unwrap_or(0.0);
                phases.iter().map(of).collect()
            })
            .collect(),
    };
    Chart {
        title: "mean of each phase".to_owned(),
        unit: "ms",
        bars: cases.iter().map(bar).collect(),
        parts: phases.iter().map(ToString::to_string).collect(),
    }
}

/// What each case's start waits for and uses, what mongod itself says of it, and what makes two
/// engines differ: a sentence each.
fn findings(results: &Results) -> Vec<String> {
    let mut found = Vec::new();
    for (index, case) in results.startup.iter().enumerate() {
        let figures = Figures::of(case);
        let of = |text: String| format!("{}: {text}", letter(index));
        found.extend(case.reason.clone().map(of));
        found.extend(diagnose(case, &results.startup).map(|found| of(found.text)));
        found.extend(used(&figures).map(of));
        found.extend(own_account(&figures).map(of));
    }
    found.extend(differences(&results.startup).iter().map(explained));
    found
}

fn used(figures: &Figures) -> Option<String> {
    let time = |what: &str, ms: Option<f64>| Some(format!("{what} {} ms", milliseconds(ms?)));
    let written = figures.written_mb.map(|mb| format!("sent to a block device {mb:.1} MiB"));
    let parts = [
        time("CPU time", figures.cpu_ms),
        time("wait for a processor", figures.cpu_wait_ms),
        written,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{} (medians)", parts.join(", ")))
}

/// The largest steps that mongod names itself.
fn own_account(figures: &Figures) -> Option<String> {
    const SHOWN: usize = 4;
    let steps = figures.steps_ms.iter().filter(|(_, ms)| *ms >= 1.0).take(SHOWN);
    let steps: Vec<String> =
        steps.map(|(name, ms)| format!("{name} {}", milliseconds(*ms))).collect();
    (!steps.is_empty()).then(|| {
        format!(
            "mongod's own account (log id 8423403, coarse, steps overlap), the largest in ms: {}",
            steps.join("; ")
        )
    })
}

fn explained(difference: &Difference) -> String {
    let ci95 = difference.ci95.map_or(String::new(), |ci| {
        // Shares, written as the change that a ratio of 1 + share would be.
        format!(" (95 %: {})", percent_interval(ci.map(|share| 1.0 + share)))
    });
    format!(
        "engine_open explains {}{ci95} of the {} ms between {} and {}",
        percent(difference.share),
        milliseconds(difference.median_ms),
        letter(difference.slower),
        letter(difference.faster)
    )
}

#[cfg(test)]
mod tests;
