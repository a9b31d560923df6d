//! The phases of one case over all its launches.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Sample;
use crate::model::results::StartupCase;
use crate::model::{Part, Phase};
use crate::stats::{Summary, quantile};

/// A phase, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stretch {
    /// A phase.
    Phase(Phase),
    /// A part of the phase `engine_open`.
    Part(Part),
}

/// One stretch of a start over all launches of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The median, in ms. A launch without the stretch counts as 0.
    pub median_ms: f64,
    /// The median's 95 % interval; nothing below six launches.
    pub ci95_ms: Option<[f64; 2]>,
    /// The mean, in ms: unlike medians, the means of the phases sum to the mean of the whole.
    pub mean_ms: f64,
    /// The mean over the mean of the whole start: the shares of the phases sum to 1.
    pub share: f64,
}

/// The phases of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// What it has, in the order of the start; parts follow their phase.
    pub rows: BTreeMap<Stretch, Row>,
    /// mongod's own account by steps, where it gives one: the largest median first, in ms.
    pub steps_ms: Vec<(String, f64)>,
    /// Median of the processor time, in ms.
    pub cpu_ms: Option<f64>,
    /// Median of the main thread's wait for a processor, in ms.
    pub cpu_wait_ms: Option<f64>,
    /// Median of what was written to a block device, in MiB.
    pub written_mb: Option<f64>,
}

impl Stretch {
    /// The name in reports.
    pub fn name(self) -> String {
        match self {
            Self::Phase(phase) => phase.to_string(),
            Self::Part(part) => part.to_string(),
        }
    }

    /// What a launch has of it, in ms.
    fn of(self, sample: &Sample) -> f64 {
        let found = match self {
            Self::Phase(phase) => sample.phases_ms.get(&phase),
            Self::Part(part) => sample.parts_ms.get(&part),
        };
        found.copied().unwrap_or(0.0)
    }
}

impl Figures {
    /// Of a case that was measured; empty for results without phases.
    pub fn of(case: &StartupCase) -> Self {
        let samples = &case.samples;
        let found: BTreeSet<Stretch> = samples.iter().flat_map(stretches).collect();
        let whole: f64 = samples.iter().map(|sample| sample.ready_ms).sum();
        let row = |stretch: Stretch| {
            let values: Vec<f64> = samples.iter().map(|sample| stretch.of(sample)).collect();
            let summary = Summary::of(&values)?;
            Some(Row {
                median_ms: summary.median,
                ci95_ms: summary.ci95,
                mean_ms: summary.mean,
                share: values.iter().sum::<f64>() / whole,
            })
        };
        Self {
            rows: found.into_iter().filter_map(|s| Some((s, row(s)?))).collect(),
            steps_ms: steps(samples),
            cpu_ms: median(samples, |sample| sample.cpu_ms),
            cpu_wait_ms: median(samples, |sample| sample.cpu_wait_ms),
            written_mb: median(samples, |sample| sample.written_mb),
        }
    }
}

fn stretches(sample: &Sample) -> impl Iterator<Item = Stretch> {
    let phases = sample.phases_ms.keys().map(|phase| Stretch::Phase(*phase));
    phases.chain(sample.parts_ms.keys().map(|part| Stretch::Part(*part)))
}

/// The median over the launches that have the figure.
pub(super) fn median(samples: &[Sample], figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = samples.iter().filter_map(figure).collect();
    quantile(&values, 0.5)
}

fn steps(samples: &[Sample]) -> Vec<(String, f64)> {
    let told: Vec<&Sample> = samples.iter().filter(|s| !s.steps_ms.is_empty()).collect();
    let names: BTreeSet<&String> = told.iter().flat_map(|s| s.steps_ms.keys()).collect();
    let mut steps: Vec<(String, f64)> = names
        .into_iter()
        .filter_map(|name| {
            let values = told.iter().map(|s| s.steps_ms.get(name).copied().unwrap_or(0.0));
            let median = quantile(&values.collect::<Vec<f64>>(), 0.5)?;
            (median > 0.0).then(|| (name.clone(), median))
        })
        .collect();
    steps.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    steps
}
