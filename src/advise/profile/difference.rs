//! How much of the difference between two engines the opening of the engine explains.

use crate::model::Phase;
use crate::model::results::StartupCase;
use crate::stats::Summary;

/// Two cases that differ in the engine alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The slower one's place among the cases.
    pub slower: usize,
    /// The faster one's place among the cases.
    pub faster: usize,
    /// The median of the difference within a block, in ms.
    pub median_ms: f64,
    /// The median, over the blocks, of the share that `engine_open` has in the difference: 1 is all
    /// of it.
    pub share: f64,
    /// That median's 95 % interval; nothing below six blocks.
    pub ci95: Option<[f64; 2]>,
}

/// Every pair of cases that differ in the engine alone, where the slower one is slower in every
/// block: a share of a difference that may be nothing says nothing.
pub fn differences(cases: &[StartupCase]) -> Vec<Difference> {
    let mut found = Vec::new();
    for (a, first) in cases.iter().enumerate() {
        for (b, second) in cases.iter().enumerate().skip(a + 1) {
            if but_for_engine(first) == but_for_engine(second) && first.engine != second.engine {
                found.extend(difference(cases, a, b).or_else(|| difference(cases, b, a)));
            }
        }
    }
    found
}

/// The id without the engine.
fn but_for_engine(case: &StartupCase) -> String {
    case.id.replacen(case.engine.as_str(), "", 1)
}

fn difference(cases: &[StartupCase], slower: usize, faster: usize) -> Option<Difference> {
    let open = |phases: &std::collections::BTreeMap<Phase, f64>| {
        phases.get(&Phase::EngineOpen).copied().unwrap_or(0.0)
    };
    let pairs = cases[slower].samples.iter().filter_map(|slow| {
        let fast = cases[faster].samples.iter().find(|fast| fast.block == slow.block)?;
        // Results without phases explain nothing.
        (!slow.phases_ms.is_empty() && !fast.phases_ms.is_empty()).then_some((slow, fast))
    });
    let (whole, share): (Vec<f64>, Vec<f64>) = pairs
        .map(|(slow, fast)| {
            let whole = slow.ready_ms - fast.ready_ms;
            (whole, (open(&slow.phases_ms) - open(&fast.phases_ms)) / whole)
        })
        .unzip();
    if whole.iter().any(|difference| *difference <= 0.0) {
        return None;
    }
    let share = Summary::of(&share)?;
    Some(Difference {
        slower,
        faster,
        median_ms: Summary::of(&whole)?.median,
        share: share.median,
        ci95: share.ci95,
    })
}
