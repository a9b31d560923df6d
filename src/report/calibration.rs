//! The table of a calibration for a terminal.

use comfy_table::CellAlignment;

use crate::figures::milliseconds;
use crate::judge::Tolerance;
use crate::judge::calibrate::{Advice, Calibration, CaseCalibration, Claims, Order, Rival, advice};
use crate::report::table::{Style, titled, wrap};

const HEADER: [&str; 9] =
    ["rule", "order", "n", "A/A alarms", "slower", "inconclusive", "+5 %", "+10 %", "+20 %"];

/// A table a case, what its columns mean, what the record can vouch for, and what to choose.
pub fn render(calibration: &Calibration, style: Style) -> String {
    let mut text = String::new();
    for case in &calibration.cases {
        text += &heading(case, calibration);
        text.push('\n');
        text += &table(case, style);
        text += "\n\n";
    }
    for note in notes(calibration) {
        text += &wrap(&note, usize::from(style.width));
        text.push('\n');
    }
    text
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
        percent(case.sd_log),
        percent(case.tolerance),
    )
}

fn table(case: &CaseCalibration, style: Style) -> String {
    let mut table = titled(&HEADER, style);
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
        table.add_row(cells);
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
        table.add_row(cells);
    }
    let gap = if style.width < 100 { (0, 0) } else { (1, 1) };
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding(gap);
        if index >= 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
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
            thousands(parameters.resamples)
        ),
        vouched(calibration),
        format!(
            "choose: the largest tolerance, then the fewest blocks, that catch the change in {} of \
                sessions; of those of identical arms at most \
             {} are said to be slower, and at most {} stay inconclusive.",
            percent_whole(advice::CAUGHT),
            percent_whole(advice::FALSE_ALARMS),
            percent_whole(advice::INCONCLUSIVE)
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
    let rate = row.false_alarms;
    format!(
        "{} resampled sessions share their blocks: {} blocks hold {} of {} that share none. At n = \
            {} the worst case's false alarms are below \
         {} with 95 % confidence if all sessions were independent, below {} by those {} alone.",
        thousands(rate.sessions),
        calibration.blocks,
        rate.disjoint,
        row.blocks,
        row.blocks,
        percent(rate.upper95),
        percent(rate.upper95_disjoint),
        rate.disjoint,
    )
}

/// The sentence that says what to choose for a case.
fn choices(case: &CaseCalibration) -> String {
    let choices: Vec<String> = case.advice.iter().map(choice).collect();
    format!("choose for {}: {}.", case.id, choices.join("; "))
}

fn choice(advice: &Advice) -> String {
    let Tolerance { share, floor_ms } = advice.tolerance;
    let effect = percent_whole(advice.effect);
    let tolerance = percent_whole(share);
    let (blocks, caught) = (advice.blocks, percent(advice.caught));
    let inconclusive = percent(advice.inconclusive);
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
        0 if sessions > 0 => format!("0 of {}", thousands(sessions)),
        _ => share(events, sessions),
    }
}

fn share(events: usize, sessions: usize) -> String {
    if sessions == 0 {
        return "-".to_owned();
    }
    percent(events as f64 / sessions as f64)
}

/// One decimal, and 100 % only where it is all.
fn percent(share: f64) -> String {
    let tenths = match share {
        share if share < 1.0 => (share * 1e3).round().min(999.0),
        _ => (share * 1e3).round(),
    };
    match tenths {
        1000.0 => "100 %".to_owned(),
        _ => format!("{:.1} %", tenths / 10.0),
    }
}

/// As short as it is: 5 %, 2.5 %.
fn percent_whole(fraction: f64) -> String {
    format!("{} %", (fraction * 1e4).round() / 1e2)
}

fn thousands(count: usize) -> String {
    match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", thousands(count / 1000), count % 1000),
    }
}
