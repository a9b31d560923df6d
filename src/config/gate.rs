//! `[gate]`: when a case passes.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::Config;
use crate::config::place::{line_in_array, place};
use crate::config::values::{Milliseconds, Share};
use crate::config::{startup_cases, transaction_cases};
use crate::error::Error;
use crate::model::Case;
use crate::model::workload::{Shape, TransactionCase};

/// `[gate]`: the rules, and what happens where they cannot decide.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// How much slower than its baseline a case may be; default "5%", about half of what one wants
    /// to catch.
    pub tolerance: Share,
    /// The tolerance is never less than this; default "5ms": 2 ms on a start of 40 ms are no
    /// regression.
    pub floor: Milliseconds,
    /// What an inconclusive or invalid verdict does; default "warn".
    pub on_inconclusive: Policy,
    /// `[[gate.limit]]`: limits on this session.
    #[serde(rename = "limit")]
    pub limits: Limits,
    /// `[gate.baseline]`: a comparison with earlier sessions of this machine; default none.
    pub baseline: Option<Baseline>,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            tolerance: Share(0.05),
            floor: Milliseconds(5.0),
            on_inconclusive: Policy::Warn,
            limits: Limits::default(),
            baseline: None,
        }
    }
}

impl Gate {
    /// The cases that limits compare these with.
    pub fn against(&self, cases: &[Case]) -> Vec<Case> {
        let limits = self.limits.0.iter();
        limits
            .filter(|limit| cases.iter().any(|case| limit.is_for(&case.id())))
            .filter_map(Limit::against)
            .cloned()
            .collect()
    }
}

impl Limit {
    /// Whether it is for the case with this id: its pattern fits, and the case is of the kind that
    /// its bound is for.
    pub fn is_for(&self, id: &str) -> bool {
        self.fits(id) && self.is_for_transactions() == id.starts_with("transactions::")
    }

    /// Whether its pattern fits an id, of whatever kind.
    pub(super) fn fits(&self, id: &str) -> bool {
        crate::model::matches(&self.case, id)
    }

    /// Whether it is for transactions; else it is for start-ups.
    pub fn is_for_transactions(&self) -> bool {
        matches!(self.bound, Bound::Overhead(_))
    }

    /// The case that it names for comparison.
    pub fn against(&self) -> Option<&Case> {
        match &self.bound {
            Bound::Ratio(_, against) => against.as_ref(),
            Bound::Median(_) | Bound::Overhead(_) => None,
        }
    }
}

impl Config {
    /// A limit for nothing, which would pass in silence.
    pub(super) fn check_limits(&self, text: &str, file: &Path) -> crate::Result<()> {
        let startups: Vec<String> = startup_cases(self).iter().map(Case::id).collect();
        let transactions = transaction_cases::all(self);
        let ids = |cases: Vec<&TransactionCase>| -> Vec<String> {
            cases.into_iter().map(TransactionCase::id).collect()
        };
        let (with_arms, without_arms) =
            transactions.iter().partition(|case| case.workload.shape == Shape::Arms);
        let (with_arms, without_arms) = (ids(with_arms), ids(without_arms));
        let judged = || startups.iter().chain(&with_arms);
        let all = || judged().chain(&without_arms);
        for (index, limit) in self.gate.limits.0.iter().enumerate() {
            if let Some(name) = limit.against().and_then(|case| case.variant.as_ref()) {
                self.startup.variant(name).map_err(|e| {
                    let line = line_in_array(text, ["gate", "limit"], index, "against");
                    Error::usage(format!("{}: {e}", place(file, line)))
                })?;
            }
            let meant = judged().any(|id| limit.is_for(id));
            let measured = self.transactions.as_tests || !limit.is_for_transactions();
            if meant && measured {
                continue;
            }
            let at = place(file, line_in_array(text, ["gate", "limit"], index, "case"));
            let wrong = |what: String| Error::usage(format!("{at}: {what}"));
            if meant {
                let what = format!(
                    "the limit for {:?} is for transactions, and [transactions] is missing",
                    limit.case
                );
                return Err(wrong(what).help("add [transactions]: only then a gate measures them"));
            }
            return Err(match all().find(|id| limit.fits(id)) {
                Some(id) if limit.is_for(id) => {
                    wrong(format!("`max_overhead` compares arms E and B, which {id} does not have"))
                }
                Some(id) if limit.is_for_transactions() => wrong(format!(
                    "`max_overhead` limits what a transaction costs, and {id} is a start-up"
                ))
                .help("limit a start-up by `max` or `max_ratio`"),
                Some(id) => {
                    wrong(format!("`max` and `max_ratio` limit start-ups, and {id} is none"))
                        .help("limit what a transaction costs by `max_overhead`")
                }
                None => {
                    let near = |id: &&String| strsim::jaro(id, &limit.case);
                    let nearest = all().max_by(|a, b| near(a).total_cmp(&near(b)));
                    wrong(format!("no case matches the limit for {:?}", limit.case)).help(format!(
                        "the nearest is {}; `mongate list` shows all",
                        nearest.map_or("", String::as_str)
                    ))
                }
            });
        }
        Ok(())
    }
}

/// What a verdict that decides nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// It is shown.
    Warn,
    /// It fails the gate.
    Fail,
}

/// One `[[gate.limit]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Limit {
    /// The cases it is for: an id, in which `*` stands for anything.
    pub case: String,
    /// What must not be exceeded.
    pub bound: Bound,
}

/// What a limit limits.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// The median, in milliseconds.
    Median(f64),
    /// The time over that of another case of the session; over that of the case's reference where
    /// none is named.
    Ratio(f64, Option<Case>),
    /// What a transaction costs more than the same operations without one at equal durability (arm
    /// E against arm B), as a share: 0.5 is 50 %.
    Overhead(f64),
}

/// A limit as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    case: String,
    max: Option<Milliseconds>,
    max_ratio: Option<f64>,
    max_overhead: Option<Share>,
    against: Option<String>,
}

impl TryFrom<Written> for Limit {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { case, max, max_ratio, max_overhead, against } = written;
        let against = match against.map(|id| id.parse::<Case>()).transpose() {
            Ok(against) => against,
            Err(error) => return Err(format!("`against` names one case: {error}")),
        };
        let bound = match (max, max_ratio, max_overhead) {
            (None, None, None) => {
                return Err("a limit needs `max`, `max_ratio` or `max_overhead`".into());
            }
            (Some(_), None, None) if against.is_some() => {
                return Err(
                    "`against` goes with `max_ratio`; `max` is compared with nothing".into()
                );
            }
            (Some(Milliseconds(max)), None, None) if max > 0.0 => Bound::Median(max),
            (Some(_), None, None) => return Err("`max` must be above 0".into()),
            (None, Some(max), None) if !(max.is_finite() && max > 0.0) => {
                return Err(format!("`max_ratio` must be a number above 0, not {max}"));
            }
            (None, Some(_), None) if against.as_ref().is_some_and(|other| other.id() == case) => {
                return Err(format!("{case} against itself is always 1"));
            }
            (None, Some(max), None) => Bound::Ratio(max, against),
            (None, None, Some(_)) if against.is_some() => {
                return Err(
                    "`against` goes with `max_ratio`; `max_overhead` is always against the same \
                        operations without a transaction"
                        .into(),
                );
            }
            (None, None, Some(Share(max))) => Bound::Overhead(max),
            _ => {
                return Err(
                    "`max`, `max_ratio` and `max_overhead` are limits of their own: write one \
                        [[gate.limit]] for each"
                        .into(),
                );
            }
        };
        Ok(Self { case, bound })
    }
}

/// The limits of a configuration, no two of which are for the same thing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "Vec<Limit>")]
pub struct Limits(pub Vec<Limit>);

impl TryFrom<Vec<Limit>> for Limits {
    type Error = String;

    fn try_from(limits: Vec<Limit>) -> Result<Self, String> {
        let same = |a: &Bound, b: &Bound| match (a, b) {
            (Bound::Median(_), Bound::Median(_)) | (Bound::Overhead(_), Bound::Overhead(_)) => true,
            (Bound::Ratio(_, a), Bound::Ratio(_, b)) => a == b,
            _ => false,
        };
        for (index, limit) in limits.iter().enumerate() {
            if limits[..index]
                .iter()
                .any(|other| other.case == limit.case && same(&other.bound, &limit.bound))
            {
                return Err(format!(
                    "{:?} has two limits of the same kind, which contradict each other",
                    limit.case
                ));
            }
        }
        Ok(Self(limits))
    }
}

/// `[gate.baseline]`: where earlier sessions are kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Baseline {
    /// The file, relative to the folder that holds `.config`; default
    /// ".config/mongate-baseline.json".
    pub file: PathBuf,
    /// Which of the baselines in the file; default "main".
    pub name: String,
    /// What happens to a case that has none; default "warn".
    pub missing: Policy,
}

impl Default for Baseline {
    fn default() -> Self {
        Self {
            file: ".config/mongate-baseline.json".into(),
            name: "main".to_owned(),
            missing: Policy::Warn,
        }
    }
}
