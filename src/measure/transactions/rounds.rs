//! The order of a measurement: macro-iterations of every arm, in random order, for as long as the
//! plan says.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::measure::Schedule;
use crate::measure::transactions::conflicts;
use crate::measure::transactions::lanes;
use crate::measure::transactions::measured::{Measured, MeasuredArm};
use crate::measure::transactions::runner::Runner;
use crate::model::workload::Arm;
use crate::model::workload::{Shape, Workload};
use crate::plan::macros::{HEADLINE, Plan};
use crate::stats::hodges_lehmann;

/// How long one macro-iteration of one arm may take: what takes longer hangs.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

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
    mut enough: impl FnMut(&Measured) -> bool,
) -> Result<Measured> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::io("cannot set up the driver's runtime", e))?;
    runtime.block_on(async {
        match workload.shape {
            Shape::Arms => {}
            Shape::Lanes(set) => return lanes::measure(port, set, plan, done).await,
            Shape::Conflicts => return conflicts::measure(port, plan, done).await,
        }
        let mut runner = Runner::connect(port, workload, plan).await?;
        let mut measured = Measured {
            arms: plan.arms.iter().map(|&arm| MeasuredArm::new(arm)).collect(),
            ..Measured::default()
        };
        let mut schedule = Schedule::new(plan.seed, plan.arms.len());
        for number in u32::from(!plan.warm_up)..=plan.max_macros {
            for index in schedule.block() {
                let arm = &mut measured.arms[index];
                if number <= plan.macros || goes_on(&arm.arm) {
                    macro_iteration(&mut runner, plan, arm, number > 0).await?;
                }
            }
            done(number);
            measured.checks = runner.checks;
            if plan.is_look(number) && is_narrow(plan, &measured) && enough(&measured) {
                break;
            }
        }
        Ok(measured)
    })
}

/// What a macro-iteration gave, unless it hangs.
pub(super) async fn limited<T>(
    limit: Duration,
    macro_iteration: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(limit, macro_iteration)
        .await
        .unwrap_or_else(|_| Err(Error::environment(format!("no end after {limit:?}"))))
}

/// Whether an arm goes on after the others: those of the headline and the sentinel.
fn goes_on(arm: &Arm) -> bool {
    HEADLINE.contains(&arm.letter) || *arm == Arm::SENTINEL
}

async fn macro_iteration(
    runner: &mut Runner,
    plan: &Plan,
    measured: &mut MeasuredArm,
    counts: bool,
) -> Result<()> {
    let Arm { letter, name, .. } = measured.arm;
    let failed = |e: Error| Error::environment(format!("arm {letter} ({name}): {e}"));
    let limit = if plan.layout.indexed { LIMIT } else { SCANNING_LIMIT };
    let (times, work) =
        limited(limit, runner.macro_iteration(&measured.arm)).await.map_err(failed)?;
    measured.work += work;
    let kept = match &plan.kept {
        Some(range) => times.get(range.clone()).unwrap_or_default(),
        None => &times,
    };
    if counts && measured.add(kept).is_none() {
        return Err(failed(Error::usage(format!("of {} iterations none are kept", times.len()))));
    }
    Ok(())
}

/// Whether the headline's interval is as narrow as it is to be.
fn is_narrow(plan: &Plan, measured: &Measured) -> bool {
    let [one, other] = HEADLINE;
    plan.within.is_none_or(|share| {
        measured
            .log_differences(one, other)
            .and_then(|differences| hodges_lehmann(&differences))
            .is_some_and(|shift| shift.ratio().is_within(share))
    })
}
