//! The table of a calibration for a terminal.

use super::doc::{Align, Doc, Table};
use crate::figures::{count, milliseconds, percent, rate};
use crate::judge::Tolerance;
use crate::judge::calibrate::{Advice, Calibration, CaseCalibration, Claims, Order, Rival, advice};

const HEADER: [&str; 9] =
    ["rule", "order", "n", "A/A alarms", "slower", "inconclusive", "+5 %", "+10 %", "+20 %"];

/// A table for each case, what its columns mean, what the record can vouch for, and what to choose.
pub(crate) fn document(calibration: &Calibration) -> Doc {
    let mut doc = Doc::new("what the gate would say on this machine");
    for case in &calibration.cases {
        doc.heading(2, heading(case, calibration));
        doc.table(table(case));
    }
    doc.heading(2, "what the columns mean, and what to choose");
    for note in notes(calibration) {
        doc.say(note);
    }
    doc
}

fn heading(case: &CaseCalibration, calibration: &Calibration) -> String {
    let floor = match case.tolerance > calibration.parameters.tolerance.share {
        true => format!(
            " (the floor of {} ms)",
            milliseconds(calibration.parameters.tolerance.floor_ms)
        ),
        false => String::new(),
    };
    format!(
        "{}\n{} ms, sd of the log {}, tolerance {}{floor}",
        case.id,
        milliseconds(case.median_ms),
        rate(case.sd_log),
        rate(case.tolerance),
    )
}

fn table(case: &CaseCalibration) -> Table {
    let mut table = Table::new(&HEADER);
    table.columns[1].align = Align::Left;
    for row in &case.rows {
        let [identical, changed @ ..] = row.outcomes.as_slice() else {
            continue;
        };
        let mut cells = vec![
            "mongate".to_owned(),
            "interleaved".to_owned(),
            row.blocks.to_string(),
            alarms(row.false_alarms.events, row.false_alarms.sessions),
            share(identical.regressed, identical.sessions),
            share(identical.inconclusive, identical.sessions),
        ];
        cells.extend(changed.iter().map(|o| share(o.regressed, o.sessions)));
        table.row(cells);
    }
    for row in &case.rivals {
        let [identical, changed @ ..] = row.claims.as_slice() else {
            continue;
        };
        let mut cells = vec![
            match row.rival {
                Rival::Criterion => "criterion".to_owned(),
                Rival::Hyperfine => "hyperfine".to_owned(),
            },
            match row.order {
                Order::Interleaved => "interleaved".to_owned(),
                Order::InSequence => "in sequence".to_owned(),
            },
            row.blocks.to_string(),
            alarms(identical.slower + identical.faster, identical.sessions),
            share(identical.slower, identical.sessions),
            "-".to_owned(),
        ];
        let caught = |claims: &Claims| share(claims.slower, claims.sessions);
        cells.extend(changed.iter().map(caught));
        table.row(cells);
    }
    table
}

fn notes(calibration: &Calibration) -> Vec<String> {
    let parameters = &calibration.parameters;
    let mut notes = vec![
        format!(
            "n: blocks of the longest session; it ends at the first look, from {} blocks on, that \
                decides. A/A alarms: identical arms said to \
             differ, and of these slower. +x %: how often an arm made x % slower was said to be \
             slower.",
            parameters.min_blocks
        ),
        format!(
            "criterion: bootstrapped t-test p < .05 and the mean's 95 % interval beyond 1 %, {} \
                resamples. hyperfine: 1 outside the ratio of \
             means +- its sd. In sequence: all of A, then all of B, as these tools do.",
            count(parameters.resamples)
        ),
        vouched(calibration),
        format!(
            "choose: the largest tolerance, then the fewest blocks, that catch the change in {} of \
                sessions; of those of identical arms at most \
             {} are said to be slower, and at most {} stay inconclusive.",
            percent(advice::CAUGHT),
            percent(advice::FALSE_ALARMS),
            percent(advice::INCONCLUSIVE)
        ),
    ];
    notes.extend(calibration.cases.iter().map(choices));
    notes.push(format!("machine: {}", calibration.machine));
    notes.push(format!(
        "record: {}, {} blocks; judged with seed {}",
        calibration.run_id, calibration.blocks, parameters.seed
    ));
    notes
}

/// How much the record's own length lets one say of the configured session: sessions resampled from
/// it share blocks.
fn vouched(calibration: &Calibration) -> String {
    let configured = calibration.parameters.max_blocks;
    let rows = calibration
        .cases
        .iter()
        .filter_map(|case| case.rows.iter().rfind(|row| row.blocks <= configured));
    let bounds = rows.max_by(|a, b| {
        let (a, b) = (a.false_alarms, b.false_alarms);
        a.upper95.total_cmp(&b.upper95)
    });
    let Some(row) = bounds else {
        return "the record has no cases".to_owned();
    };
    let alarms = row.false_alarms;
    format!(
        "{} resampled sessions share their blocks: {} blocks hold {} of {} that share none. At n = \
            {} the worst case's false alarms are below \
         {} with 95 % confidence if all sessions were independent, below {} by those {} alone.",
        count(alarms.sessions),
        calibration.blocks,
        alarms.disjoint,
        row.blocks,
        row.blocks,
        rate(alarms.upper95),
        rate(alarms.upper95_disjoint),
        alarms.disjoint,
    )
}

/// The sentence that says what to choose for a case.
fn choices(case: &CaseCalibration) -> String {
    let choices: Vec<String> = case.advice.iter().map(choice).collect();
    format!("choose for {}: {}.", case.id, choices.join("; "))
}

fn choice(advice: &Advice) -> String {
    let Tolerance { share, floor_ms } = advice.tolerance;
    let effect = percent(advice.effect);
    let tolerance = percent(share);
    let (blocks, caught) = (advice.blocks, rate(advice.caught));
    let inconclusive = rate(advice.inconclusive);
    match advice.enough {
        true => format!(
            "for +{effect} tolerance {tolerance}, floor {floor_ms} ms, up to {blocks} blocks \
                (caught {caught}, A/A inconclusive {inconclusive})"
        ),
        false => format!(
            "for +{effect} up to {blocks} blocks are too few (tolerance {tolerance}: caught \
                {caught}, A/A inconclusive {inconclusive})"
        ),
    }
}

/// A count of what should not happen: none is said with the number of tries, since 0 % would claim
/// more.
fn alarms(events: usize, sessions: usize) -> String {
    match events {
        0 if sessions > 0 => format!("0 of {}", count(sessions)),
        _ => share(events, sessions),
    }
}

fn share(events: usize, sessions: usize) -> String {
    if sessions == 0 {
        return "-".to_owned();
    }
    rate(events as f64 / sessions as f64)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::judge::calibrate::{Parameters, Record, calibrate};
    use crate::report::terminal::{self, Style};

    #[test]
    fn the_table_fits_80_columns_and_ends_with_what_to_choose() {
        let text = include_str!("../../fixtures/records/startup-aa-6.0.27.jsonl");
        let record = Record::parse(text, Path::new("aa.jsonl")).unwrap();
        // So few sessions and resamples that a debug build is quick.
        let parameters = Parameters { sessions: 40, resamples: 40, ..Parameters::default() };
        let calibration = calibrate(&record, &parameters).unwrap();
        let style = Style { width: 80, color: false, unicode: true };
        let text = terminal::render(&document(&calibration), style);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "41.5 ms, sd of the log 15.0 %, tolerance 12.0 % (the floor of 5.00 ms)",
            "185 ms, sd of the log 7.3 %, tolerance 5.0 %",
            "mongate interleaved 30 0 of 40 0.0 %",
            "hyperfine in sequence 30",
            "560 blocks hold 11 of 50 that share none",
            "choose for startup::6.0::ephemeralForTest::ramdisk: for +5 % up to 100 blocks are too few \
                (tolerance 2.5 %: caught",
            "for +10 % tolerance 5 %, floor 5 ms, up to",
        ] {
            assert!(flat.contains(part), "{part:?} is not in\n{text}");
        }
    }
}
