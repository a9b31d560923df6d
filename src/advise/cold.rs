//! What a cold start costs, and what that does to the lead of a faster configuration.

use serde::Serialize;

use super::Session;
use super::compared::{Compared, Figures, adjust};
use super::needs::median_ms;
use super::shared::{shared, within};
use crate::model::Label;
use crate::model::{Cache, Case};

/// Cold starts against warm ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cold {
    /// Each configuration that was measured both ways.
    pub starts: Vec<ColdStart>,
    /// How far each of these is ahead of the default one.
    pub leads: Vec<Lead>,
}

/// One configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColdStart {
    /// What the cold start takes.
    #[serde(flatten)]
    pub figures: Figures,
    /// The median of the warm start, in ms.
    pub warm_ms: f64,
    /// Cold against warm.
    pub against: Compared,
}

/// A configuration against the default one of the same topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// Both warm.
    pub warm: Compared,
    /// Both cold.
    pub cold: Compared,
}

/// What cold starts of this server cost; nothing where none was measured.
pub(super) fn cold(session: &Session<'_>, label: &Label) -> Option<Cold> {
    let mut starts = Vec::new();
    let mut leads = Vec::new();
    let cold =
        session.measured().filter(|(case, _)| case.label == *label && case.cache == Cache::Cold);
    let warm = |case: &Case| Case { cache: Cache::Warm, ..case.clone() };
    for (case, cold) in cold {
        let Some(own) = session.find(&warm(case)) else {
            continue;
        };
        let blocks = shared(&[cold, own]);
        let [of_cold, of_warm] = [cold, own].map(|case| within(case, &blocks));
        let compared = Figures::of(&of_cold).zip(Compared::of(cold, own));
        starts.extend(compared.map(|(figures, against)| ColdStart {
            figures,
            warm_ms: median_ms(&of_warm),
            against,
        }));
        let default = case.reference();
        let default_cold = Case { cache: Cache::Cold, ..default.clone() };
        let both = session.find(&default).zip(session.find(&default_cold));
        let both = both.filter(|_| *case != default_cold);
        leads.extend(both.and_then(|(other, other_cold)| {
            Some(Lead { warm: Compared::of(own, other)?, cold: Compared::of(cold, other_cold)? })
        }));
    }
    adjust(starts.iter_mut().map(|start| &mut start.against));
    let ratios = leads.iter_mut();
    adjust(ratios.flat_map(|lead| [&mut lead.warm, &mut lead.cold]));
    (!starts.is_empty()).then_some(Cold { starts, leads })
}
