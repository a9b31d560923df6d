//! Measures blocks: every arm that is not complete once, in random order, until there is enough.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::measure::engine::{self, Order, Subject};
use crate::measure::launch::Starter;
use crate::measure::store::Store;
use crate::model::Observer;
use crate::model::{Sample, Voided};
use crate::plan::PlannedCase;
use crate::stats::looks;

/// Blocks measured first and thrown away: they fill the page cache.
const WARM_UP: u32 = 2;

/// A case that fails twice running is not a matter of chance.
const FAILURES: u32 = 2;

/// What a session measured.
#[derive(Debug)]
pub struct Measured {
    /// The cases, in the order that they were asked for; a case that stopped working on the way has
    /// become unavailable.
    pub arms: Vec<PlannedCase>,
    /// The samples of each arm, which say of which blocks they are: one that is complete has none
    /// of the later ones.
    pub samples: Vec<Vec<Sample>>,
    /// For each arm the one that it is compared with; nothing where no arm could be measured.
    pub references: Vec<Option<usize>>,
    /// The arm that the sentinel repeats, and the sentinel's samples.
    pub sentinel: Option<(usize, Vec<Sample>)>,
    /// Launches that failed, each of which voided its block.
    pub voided: Vec<Voided>,
    /// Blocks that count.
    pub blocks: u32,
    /// The sum of all launches from spawn to ready, warm-up included.
    pub measured: Duration,
    /// The time from the first launch to the end of the last.
    pub wall: Duration,
    /// A signal ended the session early.
    pub interrupted: bool,
}

/// How much to measure, and in which order.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// At least so many blocks.
    pub min: u32,
    /// At most so many blocks.
    pub max: u32,
    /// Decides the random order.
    pub seed: u64,
    /// How long one launch may take.
    pub timeout: Duration,
}

/// Measures `arms` until `enough` says so at a look, until all of them are complete, or up to the
/// plan's maximum; keeps every block in `store` as soon as it is complete.
///
/// # Errors
/// Results cannot be kept, or the runtime cannot be set up. A launch that fails voids its block; a
/// case that fails twice running becomes unavailable, with the reason.
pub fn run(
    arms: Vec<PlannedCase>,
    plan: &Plan,
    store: &mut Store,
    observer: &dyn Observer,
    enough: impl FnMut(&Measured) -> bool,
) -> Result<Measured> {
    let mut session = Session {
        starter: Starter::new(plan.timeout)?,
        failures: vec![0; arms.len()],
        measured: Measured::nothing(arms),
        began: Instant::now(),
        plan: *plan,
        store,
        observer,
        enough,
    };
    session.measured.prepare(&mut session.starter);
    session.measured.choose_references();
    session.began = Instant::now();
    session.show();
    let order = Order { warm_up: WARM_UP, most: plan.max, seed: plan.seed };
    engine::run(&mut session, &order)?;
    session.measured.wall = session.began.elapsed();
    Ok(session.measured)
}

/// Start-ups as the engine runs them.
struct Session<'a, F> {
    starter: Starter,
    measured: Measured,
    /// How often each case has failed running.
    failures: Vec<u32>,
    began: Instant,
    plan: Plan,
    store: &'a mut Store,
    observer: &'a dyn Observer,
    enough: F,
}

impl<F> Session<'_, F> {
    fn show(&self) {
        self.observer.blocks(self.measured.blocks, self.measured.expected(&self.plan));
    }
}

impl<F: FnMut(&Measured) -> bool> Subject for Session<'_, F> {
    type Sample = Sample;

    fn slots(&self, _: u32) -> Vec<usize> {
        if self.measured.interrupted { Vec::new() } else { self.measured.slots() }
    }

    fn measure(&mut self, thing: usize, block: u32, position: u32) -> Result<Sample> {
        let sample = self.starter.launch(&self.measured.arms[thing], block, position)?;
        self.measured.measured += Duration::from_secs_f64(sample.took_ms() / 1e3);
        Ok(sample)
    }

    fn keep(&mut self, block: u32, slots: &[usize], samples: Vec<Sample>) -> Result<()> {
        self.failures.fill(0);
        if block > 0 {
            self.store.append(&self.measured.arms, slots, &samples)?;
            self.measured.keep(samples, slots);
        }
        self.measured.wall = self.began.elapsed();
        self.show();
        Ok(())
    }

    fn void(&mut self, thing: usize, block: u32, error: Error) -> Result<()> {
        self.measured.wall = self.began.elapsed();
        if error.kind() == ErrorKind::Interrupted {
            self.measured.interrupted = true;
            return Ok(());
        }
        let case = self.measured.arms[thing].case.id();
        self.observer.note(&format!("block {block} is void, {case} failed: {error}"));
        let reason = error.to_string();
        self.measured.voided.push(Voided { block, case, reason: reason.clone() });
        self.failures[thing] += 1;
        if self.failures[thing] >= FAILURES {
            self.measured.arms[thing].ready = Err(reason);
            self.measured.choose_references();
        }
        Ok(())
    }

    fn is_enough(&mut self, blocks: u32) -> bool {
        let looks = looks(self.plan.min as usize, self.plan.max as usize);
        looks.contains(&(blocks as usize)) && (self.enough)(&self.measured)
    }
}

impl Measured {
    /// Nothing yet of these arms.
    fn nothing(arms: Vec<PlannedCase>) -> Self {
        Self {
            samples: vec![Vec::new(); arms.len()],
            references: Vec::new(),
            arms,
            sentinel: None,
            voided: Vec::new(),
            blocks: 0,
            measured: Duration::ZERO,
            wall: Duration::ZERO,
            interrupted: false,
        }
    }

    /// Prepares what the launches of each arm share; an arm for which that fails is unavailable.
    fn prepare(&mut self, starter: &mut Starter) {
        for arm in self.arms.iter_mut().filter(|arm| arm.ready.is_ok()) {
            match starter.prepare(arm) {
                Err(error) if error.kind() == ErrorKind::Interrupted => self.interrupted = true,
                Err(error) => arm.ready = Err(error.to_string()),
                Ok(()) => {}
            }
        }
    }

    /// Gives each arm its reference: its own where that runs, else the first arm that does.
    fn choose_references(&mut self) {
        let runs = |index: usize| self.arms[index].ready.is_ok();
        let first = (0..self.arms.len()).find(|&index| runs(index));
        let own = self.arms.iter().map(|arm| arm.reference);
        self.references = own.map(|own| if runs(own) { Some(own) } else { first }).collect();
        // A sentinel whose arm stays the same keeps its samples.
        let wanted = first.and_then(|index| self.references[index]);
        if self.sentinel.as_ref().map(|(arm, _)| *arm) != wanted {
            self.sentinel = wanted.map(|arm| (arm, Vec::new()));
        }
    }

    /// The arms that the next block launches: those that run and are not complete, with what these
    /// and the sentinel are compared with; last the sentinel, which is its arm once more. None
    /// where all are complete.
    fn slots(&self) -> Vec<usize> {
        let goes_on = |arm: &PlannedCase| {
            let complete = arm.complete_after.is_some_and(|n| n <= self.blocks);
            arm.ready.is_ok() && !complete
        };
        let all = 0..self.arms.len();
        let going: Vec<usize> = all.filter(|&index| goes_on(&self.arms[index])).collect();
        let sentinel = self.sentinel.as_ref().map(|(arm, _)| *arm);
        let sentinel = sentinel.filter(|_| !going.is_empty());
        let references = going.iter().filter_map(|&index| self.references[index]);
        let arms: BTreeSet<usize> = references.chain(sentinel).chain(going.clone()).collect();
        arms.into_iter().chain(sentinel).collect()
    }

    /// How many blocks there will be at least: the plan's minimum, or fewer where all arms are
    /// complete before.
    fn expected(&self, plan: &Plan) -> u32 {
        let running = self.arms.iter().filter(|arm| arm.ready.is_ok());
        let last = running.map(|arm| arm.complete_after.unwrap_or(u32::MAX)).max();
        plan.min.min(last.unwrap_or(0)).max(self.blocks)
    }

    fn keep(&mut self, block: Vec<Sample>, slots: &[usize]) {
        self.blocks += 1;
        let last = slots.len() - 1;
        for (slot, sample) in block.into_iter().enumerate() {
            match &mut self.sentinel {
                Some((_, samples)) if slot == last => samples.push(sample),
                _ => self.samples[slots[slot]].push(sample),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::mongod::Binary;
    use crate::mongod::Executable;

    /// An arm that is compared with that one, is complete after so many blocks, and runs or does
    /// not.
    type Drawn = (usize, Option<u32>, bool);

    fn arm(&(reference, complete_after, runs): &Drawn) -> PlannedCase {
        let binary = Binary {
            executable: Executable::new("/bin/mongod"),
            version: "6.0.27".parse().unwrap(),
        };
        PlannedCase {
            case: "startup::6.0::wiredTiger::disk".parse().unwrap(),
            required: true,
            joined: false,
            version: None,
            place: None,
            arguments: Vec::new(),
            image: None,
            reference,
            template: false,
            delay: None,
            complete_after,
            ready: match runs {
                true => Ok((binary, PathBuf::new())),
                false => Err("it does not run".to_owned()),
            },
        }
    }

    /// A session whose launches all succeed.
    fn session(arms: &[Drawn], plan: &Plan) -> Measured {
        let mut session = Measured::nothing(arms.iter().map(arm).collect());
        session.choose_references();
        let mut slots = session.slots();
        while !slots.is_empty() && session.blocks < plan.max {
            let sample = Sample { block: session.blocks + 1, ..Sample::default() };
            session.keep(vec![sample; slots.len()], &slots);
            slots = session.slots();
        }
        session
    }

    fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
        let arm = |arms| (0..arms, proptest::option::of(1..9_u32), any::<bool>());
        (1..6_usize).prop_flat_map(move |arms| proptest::collection::vec(arm(arms), arms))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_arm_ends_when_it_and_what_is_compared_with_it_are_complete(arms in drawn(), max in 1..9_u32) {
            let plan = Plan { min: max, max, seed: 1, timeout: Duration::ZERO };
            let before = Measured::nothing(arms.iter().map(arm).collect()).expected(&plan);
            let session = session(&arms, &plan);
            let runs: Vec<usize> = (0..arms.len()).filter(|&index| arms[index].2).collect();
            let own = |index: usize| arms[index].1.unwrap_or(max).min(max);
            let last = runs.iter().map(|&index| own(index)).max().unwrap_or(0);
            prop_assert_eq!((session.blocks, before), (last, last));

            let blocks = |samples: &[Sample]| samples.iter().map(|sample| sample.block).collect::<Vec<_>>();
            let sentinel = session.sentinel.as_ref();
            prop_assert_eq!(sentinel.is_some(), !runs.is_empty());
            if let Some((twin, samples)) = sentinel {
                prop_assert_eq!(blocks(samples), (1..=last).collect::<Vec<_>>());
                prop_assert_eq!(session.samples[*twin].len(), samples.len());
            }
            for (index, samples) in session.samples.iter().enumerate() {
                let is_twin = sentinel.is_some_and(|(twin, _)| *twin == index);
                let needs_it = |&&other: &&usize| other == index || session.references[other] == Some(index);
                let needed = runs.iter().filter(needs_it).map(|&other| own(other)).max();
                let wanted = if is_twin { last } else { needed.unwrap_or(0) };
                prop_assert_eq!(blocks(samples), (1..=wanted).collect::<Vec<_>>());
            }
        }
    }
}
