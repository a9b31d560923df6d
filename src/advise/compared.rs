//! Two cases compared, and what may be claimed of a family of comparisons.

use serde::Serialize;

use crate::model::Sample;
use crate::model::paired;
use crate::model::results::StartupCase;
use crate::stats::{self, Ratio, quantile};

/// How long one case takes against another, block by block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The case's id.
    pub case: String,
    /// The id of the case that it is compared with.
    pub against: String,
    /// The blocks that both have.
    pub blocks: usize,
    /// The case's time over the other's over these blocks.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Its p, adjusted by Holm for all comparisons that answer the same question; nothing where
    /// there are too few blocks for that.
    pub p_holm: Option<f64>,
    /// A difference is shown: the interval excludes 1, and the adjusted p, where there is one, is
    /// below 0.05.
    pub shown: bool,
}

/// What a case takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The case's id.
    pub id: String,
    /// Over so many blocks.
    pub blocks: usize,
    /// Median time until it was ready, in ms.
    pub median_ms: f64,
    /// The median's 95 % interval; nothing below six blocks.
    pub ci95_ms: Option<[f64; 2]>,
    /// Median of the resident memory of one server, in MiB.
    pub rss_mb: f64,
    /// Median of what the dbPath of one server takes, in MiB.
    pub folder_mb: f64,
}

impl Compared {
    /// Compares the times until ready.
    pub(super) fn of(case: &StartupCase, against: &StartupCase) -> Option<Self> {
        Self::by(case, against, |sample| sample.ready_ms)
    }

    /// Compares another time of a launch.
    pub(super) fn by(
        case: &StartupCase,
        against: &StartupCase,
        time: impl Fn(&Sample) -> f64,
    ) -> Option<Self> {
        let found = paired::compare_by(&case.samples, &against.samples, time)?;
        Some(Self {
            case: case.id.clone(),
            against: against.id.clone(),
            blocks: found.blocks,
            ratio: found.ratio,
            p_holm: None,
            shown: found.ratio.excludes_one(),
        })
    }

    /// Whether the case is shown to be slower, and by more than this share of the other's time.
    pub(super) fn is_slower(&self, share: f64) -> bool {
        self.shown && self.ratio.estimate > 1.0 + share
    }

    /// Whether the case is shown to be faster, so that the other takes longer by more than this
    /// share of the case's time.
    pub(super) fn is_faster(&self, share: f64) -> bool {
        self.shown && self.ratio.estimate * (1.0 + share) < 1.0
    }
}

/// Adjusts the claims of one question for each other.
pub(super) fn adjust<'a>(family: impl IntoIterator<Item = &'a mut Compared>) {
    let (mut family, tests): (Vec<&mut Compared>, Vec<(f64, usize)>) = family
        .into_iter()
        .filter_map(|compared| {
            let test = (compared.ratio.p?, compared.blocks);
            Some((compared, test))
        })
        .unzip();
    let adjusted = stats::holm_of_pairs(&tests).unwrap_or_default();
    for (compared, p) in family.iter_mut().zip(adjusted) {
        compared.p_holm = p;
        compared.shown = compared.ratio.excludes_one() && p.is_none_or(|p| p < 0.05);
    }
}

impl Figures {
    /// Of a case that was measured.
    pub(super) fn of(case: &StartupCase) -> Option<Self> {
        let summary = case.summary.as_ref()?;
        let median = |size: fn(&Sample) -> f64| {
            let sizes: Vec<f64> = case.samples.iter().map(size).collect();
            quantile(&sizes, 0.5)
        };
        Some(Self {
            id: case.id.clone(),
            blocks: summary.n,
            median_ms: summary.median,
            ci95_ms: summary.ci95,
            rss_mb: median(|sample| sample.rss_mb)?,
            folder_mb: median(|sample| sample.folder_mb)?,
        })
    }
}
