//! The result of `mongate profile` as a page that needs no network: a timeline a case, the phases,
//! the findings.
//!
//! The page is a template, and its timelines are plain rectangles in it. A chart library would fix
//! colours and fonts in the picture, where a style sheet gives them for light and dark.

use minijinja::{Environment, context};
use serde::Serialize;

use crate::advise::profile::{Figures, Stretch};
use crate::error::{Error, Result};
use crate::figures::milliseconds;
use crate::report::comparison::times;
use crate::report::notes;
use crate::report::phases::{WHOLE, cells, findings, label, name, stretches, whole_start};

use crate::model::Phase;
use crate::model::Sample;
use crate::model::results::{Results, StartupCase};

/// Units that the longest start takes in a picture.
const WIDTH: f64 = 1000.0;

/// A stretch that is at least so wide carries its name.
const NAMED: f64 = 85.0;

/// One case of the page.
#[derive(Serialize)]
struct Case {
    name: String,
    title: String,
    /// The mean launch.
    bar: Vec<Segment>,
    /// Every launch.
    launches: Vec<Vec<Segment>>,
}

/// A phase in a timeline.
#[derive(Serialize)]
struct Segment {
    phase: Phase,
    x: f64,
    width: f64,
    /// What a pointer shows.
    says: String,
    /// Wide enough for its name.
    named: bool,
}

/// A line of the axis.
#[derive(Serialize)]
struct Tick {
    x: f64,
    ms: String,
}

/// A line of the table: the stretch, and three cells a case.
#[derive(Serialize)]
struct Line {
    name: String,
    part: bool,
    cells: Vec<[String; 3]>,
}

/// The page.
///
/// # Errors
/// The template is broken.
pub fn render(results: &Results) -> Result<String> {
    let figures: Vec<Figures> = results.startup.iter().map(Figures::of).collect();
    let samples = results.startup.iter().flat_map(|case| &case.samples);
    let longest = samples.map(|sample| sample.ready_ms).fold(0.0, f64::max);
    let cases = results.startup.iter().zip(&figures).enumerate();
    let cases: Vec<Case> = cases.map(|(index, (c, f))| case(index, c, f, longest)).collect();
    let shown = stretches(&figures);
    let phases = shown.iter().filter_map(|stretch| match stretch {
        Stretch::Phase(phase) => Some(*phase),
        Stretch::Part(_) => None,
    });
    let lines = shown.iter().map(|stretch| line(*stretch, &figures));
    let whole = Line {
        name: WHOLE.to_owned(),
        part: false,
        cells: results.startup.iter().map(whole_start).collect(),
    };
    let page = context! {
        tool => results.tool,
        started => results.started,
        cases,
        ticks => ticks(longest),
        phases => phases.collect::<Vec<Phase>>(),
        lines => lines.chain([whole]).collect::<Vec<Line>>(),
        findings => findings(results),
        context => notes::context(results),
    };
    Environment::new()
        .render_named_str("profile.html", include_str!("profile.html"), page)
        .map_err(|e| Error::environment(format!("cannot make the page: {e}")))
}

fn case(index: usize, case: &StartupCase, figures: &Figures, longest: f64) -> Case {
    let means = figures.rows.iter().filter_map(|(stretch, row)| match stretch {
        Stretch::Phase(phase) => Some((*phase, row.mean_ms)),
        Stretch::Part(_) => None,
    });
    let of = |sample: &Sample| {
        let phases = sample.phases_ms.iter().map(|(phase, ms)| (*phase, *ms));
        segments(phases, longest)
    };
    Case {
        name: name(index),
        title: times(case),
        bar: segments(means, longest),
        launches: case.samples.iter().map(of).collect(),
    }
}

fn segments(phases: impl Iterator<Item = (Phase, f64)>, longest: f64) -> Vec<Segment> {
    let mut from = 0.0;
    phases
        .map(|(phase, ms)| {
            let (x, width) = (scaled(from, longest), scaled(ms, longest));
            from += ms;
            Segment {
                phase,
                x,
                width,
                says: format!("{phase} {} ms", milliseconds(ms)),
                named: width >= NAMED,
            }
        })
        .collect()
}

/// Milliseconds in units of the picture, to a hundredth.
fn scaled(ms: f64, longest: f64) -> f64 {
    (ms / longest * WIDTH * 100.0).round() / 100.0
}

/// Four to ten lines at round numbers.
fn ticks(longest: f64) -> Vec<Tick> {
    if longest <= 0.0 {
        return Vec::new();
    }
    let power = 10_f64.powf((longest / 4.0).log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| longest / step >= 4.0).unwrap_or(power);
    (0..=(longest / step) as u32)
        .map(|tick| Tick {
            x: scaled(f64::from(tick) * step, longest),
            ms: format!("{}", f64::from(tick) * step),
        })
        .collect()
}

fn line(stretch: Stretch, figures: &[Figures]) -> Line {
    Line {
        name: label(stretch).trim().to_owned(),
        part: matches!(stretch, Stretch::Part(_)),
        cells: figures.iter().map(|f| cells(f.rows.get(&stretch))).collect(),
    }
}
