//! A workload as the engine runs it: a block is one macro-iteration of every arm, lane or crowd.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::error::{Error, Result};
use crate::measure::engine::{self, Order, Subject};
use crate::measure::transactions::measured::{Measured, MeasuredArm, Times, Work};
use crate::measure::transactions::runner::Runner;
use crate::measure::transactions::ways::{LIMIT, limited};
use crate::measure::transactions::{conflicts, lanes};
use crate::model::workload::{Arm, Shape, Workload};
use crate::plan::macros::{HEADLINE, Plan};
use crate::stats::Ratio;

/// The same where it loads its documents and scans them all: the article's longest takes a minute
/// on a quiet machine.
const SCANNING_LIMIT: Duration = Duration::from_secs(600);

/// Measures `workload` on the replica set whose member listens on `port` of the loopback interface,
/// until at a look the plan's width is reached and `enough` says so, or up to the plan's maximum.
/// `done` hears how many macro-iterations are, where the one that warms up is number 0.
///
/// # Errors
/// A check failed or the server refused something: with the arm, and what the check found or the
/// server said.
pub fn measure(
    port: u16,
    workload: &'static Workload,
    plan: &Plan,
    mut done: impl FnMut(u32),
    enough: impl FnMut(&Measured) -> bool,
) -> Result<Measured> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::io("cannot set up the driver's runtime", e))?;
    match workload.shape {
        Shape::Arms => {}
        Shape::Lanes(set) => return lanes::measure(&runtime, port, set, plan, &mut done),
        Shape::Conflicts => return conflicts::measure(&runtime, port, plan, &mut done),
    }
    let mut arms = Arms {
        runner: runtime.block_on(Runner::connect(port, workload, plan))?,
        runtime: &runtime,
        plan,
        measured: Measured {
            arms: plan.arms.iter().map(|&arm| MeasuredArm::new(arm)).collect(),
            ..Measured::default()
        },
        done,
        enough,
    };
    let warm_up = u32::from(plan.warm_up);
    engine::run(&mut arms, &Order { warm_up, most: plan.max_macros, seed: plan.seed })?;
    Ok(arms.measured)
}

/// The arms of a workload as the engine runs them: a block is a macro-iteration of each.
struct Arms<'a, D, E> {
    runtime: &'a Runtime,
    runner: Runner,
    plan: &'a Plan,
    measured: Measured,
    done: D,
    enough: E,
}

impl<D: FnMut(u32), E: FnMut(&Measured) -> bool> Subject for Arms<'_, D, E> {
    /// The iterations of a macro-iteration, and what the server did for it.
    type Sample = (Vec<Times>, Work);

    fn slots(&self, blocks: u32) -> Vec<usize> {
        // After the first look only the headline and its sentinel go on.
        let goes_on = |arm: &Arm| HEADLINE.contains(&arm.letter) || *arm == Arm::SENTINEL;
        let all = 0..self.plan.arms.len();
        all.filter(|&arm| blocks < self.plan.macros || goes_on(&self.plan.arms[arm])).collect()
    }

    fn measure(&mut self, thing: usize, _: u32, _: u32) -> Result<Self::Sample> {
        let limit = if self.plan.layout.indexed { LIMIT } else { SCANNING_LIMIT };
        let arm = &self.plan.arms[thing];
        self.runtime.block_on(limited(limit, self.runner.macro_iteration(arm)))
    }

    fn keep(&mut self, block: u32, slots: &[usize], samples: Vec<Self::Sample>) -> Result<()> {
        for (&thing, (times, work)) in slots.iter().zip(samples) {
            let arm = &mut self.measured.arms[thing];
            arm.work += work;
            let kept = match &self.plan.kept {
                Some(range) => times.get(range.clone()).unwrap_or_default(),
                None => &times,
            };
            if block > 0 && arm.add(kept).is_none() {
                let none = format!("of {} iterations none are kept", times.len());
                return self.void(thing, block, Error::usage(none));
            }
        }
        self.measured.checks = self.runner.checks;
        (self.done)(block);
        Ok(())
    }

    /// What fails a check is wrong, not noise: it is never measured again.
    fn void(&mut self, thing: usize, _: u32, error: Error) -> Result<()> {
        let Arm { letter, name, .. } = self.plan.arms[thing];
        Err(Error::environment(format!("arm {letter} ({name}): {error}")))
    }

    fn is_enough(&mut self, blocks: u32) -> bool {
        self.plan.is_look(blocks)
            && is_narrow(self.plan, &self.measured)
            && (self.enough)(&self.measured)
    }
}

/// Whether the headline's interval is as narrow as it is to be.
fn is_narrow(plan: &Plan, measured: &Measured) -> bool {
    let [one, other] = HEADLINE;
    plan.within.is_none_or(|share| {
        measured
            .log_differences(one, other)
            .and_then(|differences| Ratio::of(&differences))
            .is_some_and(|ratio| ratio.is_within(share))
    })
}
