//! Measures blocks: every arm once, in random order, until there is enough.

use std::time::{Duration, Instant};

use crate::error::{Error, Kind, Result};
use crate::session::launch::Starter;
use crate::session::observer::Observer;
use crate::session::prepare::Arm;
use crate::session::sample::Sample;
use crate::session::schedule::Schedule;
use crate::session::store::Store;

/// Blocks measured first and thrown away: they fill the page cache.
const WARM_UP: u32 = 2;

/// A case that fails twice running is not a matter of chance.
const FAILURES: u32 = 2;

/// What a session measured.
#[derive(Debug)]
pub struct Measured {
    /// The cases, in the order that they were asked for; a case that stopped working on the way has become unavailable.
    pub arms: Vec<Arm>,
    /// The samples of each arm.
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

/// A launch that failed, so that its block was measured again.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Voided {
    /// The block.
    pub block: u32,
    /// The case.
    pub case: String,
    /// What the launch said.
    pub reason: String,
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

/// Measures `arms` until `enough` says so at a look, or up to the plan's maximum; keeps every block in `store` as soon as it is complete.
///
/// # Errors
/// Results cannot be kept, or the runtime cannot be set up. A launch that fails voids its block; a case that fails twice running becomes
/// unavailable, with the reason.
pub fn run(
    arms: Vec<Arm>,
    plan: &Plan,
    store: &mut Store,
    observer: &dyn Observer,
    mut enough: impl FnMut(&Measured) -> bool,
) -> Result<Measured> {
    let mut starter = Starter::new(plan.timeout)?;
    let mut session = Measured {
        samples: vec![Vec::new(); arms.len()],
        references: Vec::new(),
        arms,
        sentinel: None,
        voided: Vec::new(),
        blocks: 0,
        measured: Duration::ZERO,
        wall: Duration::ZERO,
        interrupted: false,
    };
    session.prepare(&mut starter);
    session.choose_references();
    let mut slots = session.slots();
    let mut schedule = Schedule::new(plan.seed, slots.len());
    let mut failures = vec![0; session.arms.len()];
    let mut warm_up = WARM_UP;
    let began = Instant::now();
    while !slots.is_empty() && session.blocks < plan.max && !session.interrupted {
        observer.blocks(session.blocks, plan.min.max(session.blocks));
        let number = if warm_up > 0 { 0 } else { session.blocks + 1 };
        let block = session.block(number, &schedule.block(), &slots, &mut starter);
        match block {
            Ok(_) if warm_up > 0 => {
                warm_up -= 1;
                failures.fill(0);
            }
            Ok(block) => {
                store.append(&session, &slots, &block)?;
                session.keep(block, &slots);
                failures.fill(0);
                if plan.is_look(session.blocks) && enough(&session) {
                    break;
                }
            }
            Err((_, error)) if error.kind() == Kind::Interrupted => {
                session.interrupted = true;
                break;
            }
            Err((arm, error)) => {
                let case = session.arms[arm].case.id();
                observer.note(&format!("block {number} is void, {case} failed: {error}"));
                let reason = error.to_string();
                session.voided.push(Voided {
                    block: number,
                    case,
                    reason: reason.clone(),
                });
                failures[arm] += 1;
                if failures[arm] >= FAILURES {
                    session.arms[arm].ready = Err(reason);
                    session.choose_references();
                    slots = session.slots();
                    schedule = Schedule::new(plan.seed, slots.len());
                }
            }
        }
        session.wall = began.elapsed();
    }
    session.wall = began.elapsed();
    Ok(session)
}

impl Plan {
    /// Whether the session looks at its results after so many blocks: at the minimum, at 10, 20, 30, 50, and at the maximum.
    fn is_look(&self, blocks: u32) -> bool {
        crate::stats::looks(self.min as usize, self.max as usize).contains(&(blocks as usize))
    }
}

impl Measured {
    /// Prepares what the launches of each arm share; an arm for which that fails is unavailable.
    fn prepare(&mut self, starter: &mut Starter) {
        for arm in self.arms.iter_mut().filter(|arm| arm.ready.is_ok()) {
            match starter.prepare(arm) {
                Err(error) if error.kind() == Kind::Interrupted => self.interrupted = true,
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
        self.references = own
            .map(|own| if runs(own) { Some(own) } else { first })
            .collect();
        // A sentinel whose arm stays the same keeps its samples.
        let wanted = first.and_then(|index| self.references[index]);
        if self.sentinel.as_ref().map(|(arm, _)| *arm) != wanted {
            self.sentinel = wanted.map(|arm| (arm, Vec::new()));
        }
    }

    /// The arms that each block launches: those that run, and last the sentinel, which is its arm once more.
    fn slots(&self) -> Vec<usize> {
        let running = (0..self.arms.len()).filter(|&arm| self.arms[arm].ready.is_ok());
        running
            .chain(self.sentinel.as_ref().map(|(arm, _)| *arm))
            .collect()
    }

    /// Launches every slot once; the samples come back in the order of the slots.
    fn block(
        &mut self,
        number: u32,
        order: &[usize],
        slots: &[usize],
        starter: &mut Starter,
    ) -> std::result::Result<Vec<Sample>, (usize, Error)> {
        let mut samples = vec![None; slots.len()];
        for (position, &slot) in (1..).zip(order) {
            let arm = slots[slot];
            let sample = starter
                .launch(&self.arms[arm], number, position)
                .map_err(|error| (arm, error))?;
            self.measured += Duration::from_secs_f64(sample.took_ms() / 1e3);
            samples[slot] = Some(sample);
        }
        Ok(samples.into_iter().flatten().collect())
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
