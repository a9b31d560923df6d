//! Several servers at once: what one of them costs, and whether every test can have its own.

use serde::Serialize;

use super::Session;
use super::compared::{Compared, Figures, adjust};
use super::shared::{shared, within};
use crate::model::Label;
use crate::model::Sample;
use crate::model::results::StartupCase;
use crate::model::{Cache, Case};
use crate::stats::Summary;

/// A server for each test is affordable up to so many ms for each: 5 s in a suite of 100 tests.
pub const AFFORDABLE_MS: f64 = 50.0;

/// One configuration, started several times at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Together {
    /// One server alone.
    pub alone: Figures,
    /// More and more of them, beginning with one.
    pub steps: Vec<Step>,
    /// How many to start together: the fewest for which a server is not shown to take longer than
    /// with the number for which it takes least, by more than the tolerance.
    pub best: u32,
    /// What a server costs each test when so many start together.
    pub sharing: Sharing,
}

/// So many servers together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// How many.
    pub servers: u32,
    /// The median over launches of the middle server's start, in ms.
    pub each_ms: f64,
    /// The median time from the first spawn until the last is ready, in ms.
    pub last_ms: f64,
    /// Its 95 % interval.
    pub last_ci95_ms: Option<[f64; 2]>,
    /// The same divided by the number of servers: how long one waits for each more server.
    pub server_ms: f64,
    /// Its 95 % interval.
    pub server_ci95_ms: Option<[f64; 2]>,
    /// Resident memory of all servers, in MiB; pages that they share count once for each.
    pub total_rss_mb: f64,
    /// What all dbPaths take, in MiB.
    pub total_folder_mb: f64,
    /// The time a server against that of one alone.
    pub against: Option<Compared>,
}

/// Whether tests have servers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The whole interval of the time a server is within [`AFFORDABLE_MS`]: each test can have its
    /// own.
    Each,
    /// It is more, or may be: the tests of a suite share one.
    Shared,
}

/// Each configuration of this server that was started several times at once.
pub(super) fn together(session: &Session<'_>, label: &Label) -> Vec<Together> {
    let alone = session
        .measured()
        .filter(|(case, _)| case.label == *label && case.at_once == 1 && case.cache == Cache::Warm);
    alone.filter_map(|(case, found)| of_configuration(session, case, found)).collect()
}

fn of_configuration(session: &Session<'_>, case: &Case, alone: &StartupCase) -> Option<Together> {
    let mut several: Vec<(u32, &StartupCase)> = session
        .measured()
        .filter(|(other, _)| {
            let one = Case { at_once: 1, ..(*other).clone() };
            one == *case && other.at_once > 1
        })
        .map(|(other, found)| (other.at_once, found))
        .collect();
    several.sort_by_key(|(servers, _)| *servers);
    if several.is_empty() {
        return None;
    }
    several.insert(0, (1, alone));
    let all: Vec<&StartupCase> = several.iter().map(|(_, found)| *found).collect();
    let blocks = shared(&all);
    let alone = &within(alone, &blocks);
    let mut steps = Vec::new();
    for (servers, found) in &several {
        steps.push(step(*servers, &within(found, &blocks), alone)?);
    }
    adjust(steps.iter_mut().filter_map(|step| step.against.as_mut()));
    let best = fewest(session, &several, &steps)?;
    let is_affordable = best.server_ci95_ms.is_some_and(|[_, upper]| upper <= AFFORDABLE_MS);
    Some(Together {
        alone: Figures::of(alone)?,
        best: best.servers,
        sharing: match is_affordable {
            true => Sharing::Each,
            false => Sharing::Shared,
        },
        steps,
    })
}

/// The step with the fewest servers that does as well as the one where a server takes least.
fn fewest<'a>(
    session: &Session<'_>,
    several: &[(u32, &StartupCase)],
    steps: &'a [Step],
) -> Option<&'a Step> {
    let least = steps.iter().min_by(|a, b| a.server_ms.total_cmp(&b.server_ms))?;
    let found = |step: &Step| several.iter().find(|(servers, _)| *servers == step.servers);
    let (_, cheapest) = found(least)?;
    let mut against: Vec<(u32, Compared)> = several
        .iter()
        .filter(|(servers, _)| *servers != least.servers)
        .filter_map(|(servers, found)| Some((*servers, Compared::by(found, cheapest, server_ms)?)))
        .collect();
    adjust(against.iter_mut().map(|(_, compared)| compared));
    let share = session.tolerance.share;
    steps.iter().find(|step| {
        let mut all = against.iter();
        !all.any(|(servers, compared)| *servers == step.servers && compared.is_slower(share))
    })
}

fn step(servers: u32, found: &StartupCase, alone: &StartupCase) -> Option<Step> {
    let over = |figure: &dyn Fn(&Sample) -> f64| {
        let values: Vec<f64> = found.samples.iter().map(figure).collect();
        Summary::of(&values)
    };
    let last = over(&Sample::took_ms)?;
    let each_server = over(&server_ms)?;
    Some(Step {
        servers,
        each_ms: over(&|sample| sample.ready_ms)?.median,
        last_ms: last.median,
        last_ci95_ms: last.ci95,
        server_ms: each_server.median,
        server_ci95_ms: each_server.ci95,
        total_rss_mb: over(&|sample| sample.rss_mb * f64::from(servers))?.median,
        total_folder_mb: over(&|sample| sample.folder_mb * f64::from(servers))?.median,
        against: (servers > 1).then(|| Compared::by(found, alone, server_ms)).flatten(),
    })
}

/// How long a launch takes for each of its servers, in ms.
fn server_ms(sample: &Sample) -> f64 {
    let servers = sample.together.as_ref().map_or(1, |all| all.servers.len());
    sample.took_ms() / servers as f64
}
