//! Two servers side by side: every case of one interleaved with the same case of the other.

use std::path::PathBuf;
use std::str::FromStr;

use crate::config;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::host::target_folder;
use crate::model::Case;
use crate::model::Label;
use crate::model::Observer;
use crate::plan::{Fetch, PlannedCase, prepare};

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// One case.
    Case(Case),
    /// Every case of the configuration, on this server.
    Label(Label),
    /// The same, on the binary at this path.
    Path(PathBuf),
}

impl FromStr for Side {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("startup::") {
            text.parse().map(Self::Case)
        } else if text.contains('/') {
            Ok(Self::Path(text.into()))
        } else {
            text.parse().map(Self::Label)
        }
    }
}

/// The pairs of a comparison, in the order of the configuration's lists. A side that is a path
/// becomes the label `A` or `B` of the configuration.
///
/// # Errors
/// A case names a variant that there is not; or a label for a path could not be made.
pub fn pairs(config: &mut Config, a: &Side, b: &Side) -> Result<Vec<(Case, Case)>> {
    let mut label = |side: &Side, name: &str| -> Result<Option<Label>> {
        Ok(match side {
            Side::Case(_) => None,
            Side::Label(label) => Some(label.clone()),
            Side::Path(path) => {
                let label: Label = name.parse()?;
                config.mongod.path.insert(label.clone(), path.clone());
                Some(label)
            }
        })
    };
    let labels = (label(a, "A")?, label(b, "B")?);
    let on = |case: &Case, label: &Label| Case { label: label.clone(), ..case.clone() };
    let pairs = match (a, b, labels) {
        (Side::Case(a), Side::Case(b), _) => vec![(a.clone(), b.clone())],
        (Side::Case(a), _, (_, Some(b))) => vec![(a.clone(), on(a, &b))],
        (_, Side::Case(b), (Some(a), _)) => vec![(on(b, &a), b.clone())],
        (_, _, (Some(a), Some(b))) => {
            let of_a = config::cases_of_label(config, &a).into_iter();
            of_a.map(|case| (case.clone(), on(&case, &b))).collect()
        }
        // A side that is no case has a label.
        _ => Vec::new(),
    };
    let cases = pairs.iter().flat_map(|(a, b)| [a, b]);
    for name in cases.filter_map(|case| case.variant.as_ref()) {
        config.startup.variant(name)?;
    }
    Ok(pairs)
}

/// The arms of a comparison: of each pair first one side, then the other, which is compared with
/// it.
///
/// # Errors
/// A signal asked for the end.
pub fn arms(
    config: &Config,
    pairs: &[(Case, Case)],
    observer: &dyn Observer,
) -> Result<Vec<PlannedCase>> {
    let cases: Vec<Case> = pairs.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    let mut arms = prepare::prepare(config, &cases, &[], Fetch::All, &target_folder(), observer)?;
    for (index, arm) in arms.iter_mut().enumerate() {
        arm.reference = index / 2 * 2;
        // Here every case was asked for by name.
        arm.required = true;
    }
    for pair in arms.chunks_mut(2) {
        if let [a, b] = pair {
            let alone = |other: &PlannedCase| {
                format!("there is nothing to compare it with: {} is unavailable", other.case.id())
            };
            match (&a.ready, &b.ready) {
                (Ok(_), Err(_)) => a.ready = Err(alone(b)),
                (Err(_), Ok(_)) => b.ready = Err(alone(a)),
                _ => {}
            }
        }
    }
    Ok(arms)
}
