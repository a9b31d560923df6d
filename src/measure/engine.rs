//! The engine of every measurement: blocks, in each of which everything that is not complete is
//! measured once, in random order.
//!
//! Start-ups, the arms of a transaction, lanes and crowds are subjects that it runs. Random order
//! inside blocks keeps drift and position effects out of a comparison.

use crate::error::{Error, Result};
use crate::measure::Schedule;

/// Things that are measured side by side.
pub(super) trait Subject {
    /// What measuring one thing once gives.
    type Sample;

    /// The things of the next block, after so many that count. A thing may stand in it twice. An
    /// empty list ends the measurement.
    fn slots(&self, blocks: u32) -> Vec<usize>;

    /// Measures a thing once, as the `position`th of its block. Block 0 warms up.
    ///
    /// # Errors
    /// It failed, which voids the block.
    fn measure(&mut self, thing: usize, block: u32, position: u32) -> Result<Self::Sample>;

    /// Takes a whole block: a sample of every slot.
    ///
    /// # Errors
    /// It cannot be kept.
    fn keep(&mut self, block: u32, slots: &[usize], samples: Vec<Self::Sample>) -> Result<()>;

    /// Hears that a thing failed and its block is void. The block is measured again, of what
    /// [`Subject::slots`] then says.
    ///
    /// # Errors
    /// The measurement ends with this failure.
    fn void(&mut self, thing: usize, block: u32, error: Error) -> Result<()>;

    /// Whether so many blocks are enough.
    fn is_enough(&mut self, blocks: u32) -> bool;
}

/// How much is measured, and in which order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Blocks that come first and do not count.
    pub warm_up: u32,
    /// At most so many blocks that count.
    pub most: u32,
    /// Decides the random order.
    pub seed: u64,
}

/// Measures blocks until there are enough, until nothing is left to measure, or up to the most.
///
/// # Errors
/// A failure that the subject does not get over.
pub(super) fn run(subject: &mut impl Subject, order: &Order) -> Result<()> {
    let (mut blocks, mut warm_up) = (0, order.warm_up);
    let mut slots = subject.slots(blocks);
    let mut schedule = Schedule::new(order.seed, slots.len());
    while !slots.is_empty() && blocks < order.most {
        let number = if warm_up > 0 { 0 } else { blocks + 1 };
        match block(subject, number, &schedule.block(), &slots) {
            Err((thing, error)) => subject.void(thing, number, error)?,
            Ok(samples) => {
                subject.keep(number, &slots, samples)?;
                if warm_up > 0 {
                    warm_up -= 1;
                } else {
                    blocks += 1;
                    if subject.is_enough(blocks) {
                        return Ok(());
                    }
                }
            }
        }
        let next = subject.slots(blocks);
        if next != slots {
            schedule = Schedule::new(order.seed, next.len());
            slots = next;
        }
    }
    Ok(())
}

/// Measures every slot once; the samples come back in the order of the slots.
fn block<S: Subject>(
    subject: &mut S,
    number: u32,
    order: &[usize],
    slots: &[usize],
) -> std::result::Result<Vec<S::Sample>, (usize, Error)> {
    let mut samples: Vec<Option<S::Sample>> = slots.iter().map(|_| None).collect();
    for (position, &slot) in (1..).zip(order) {
        let thing = slots[slot];
        let sample = subject.measure(thing, number, position).map_err(|error| (thing, error))?;
        samples[slot] = Some(sample);
    }
    Ok(samples.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three things; the second fails in block 2 as often as it is told, the third is complete
    /// after two blocks.
    #[derive(Default)]
    struct Three {
        measured: Vec<(usize, u32)>,
        kept: Vec<(u32, Vec<usize>)>,
        failures: u32,
        forgiven: u32,
        enough: Option<u32>,
    }

    impl Subject for Three {
        type Sample = usize;

        fn slots(&self, blocks: u32) -> Vec<usize> {
            if blocks < 2 { vec![0, 1, 2] } else { vec![0, 1] }
        }

        fn measure(&mut self, thing: usize, block: u32, _: u32) -> Result<usize> {
            if thing == 1 && block == 2 && self.failures > 0 {
                self.failures -= 1;
                return Err(Error::environment("it fell over"));
            }
            self.measured.push((thing, block));
            Ok(thing)
        }

        fn keep(&mut self, block: u32, slots: &[usize], samples: Vec<usize>) -> Result<()> {
            assert_eq!(samples, slots, "each sample is of its slot");
            self.kept.push((block, samples));
            Ok(())
        }

        fn void(&mut self, thing: usize, block: u32, error: Error) -> Result<()> {
            assert_eq!((thing, block), (1, 2));
            if self.forgiven == 0 {
                return Err(error);
            }
            self.forgiven -= 1;
            Ok(())
        }

        fn is_enough(&mut self, blocks: u32) -> bool {
            self.enough == Some(blocks)
        }
    }

    const ORDER: Order = Order { warm_up: 1, most: 4, seed: 1 };

    #[test]
    fn what_is_complete_leaves_and_the_warm_up_does_not_count() {
        let mut three = Three::default();
        run(&mut three, &ORDER).unwrap();
        let blocks: Vec<(u32, usize)> = three.kept.iter().map(|(n, s)| (*n, s.len())).collect();
        assert_eq!(blocks, [(0, 3), (1, 3), (2, 3), (3, 2), (4, 2)]);
        let mut enough = Three { enough: Some(3), ..Three::default() };
        run(&mut enough, &ORDER).unwrap();
        assert_eq!(enough.kept.len(), 4);
    }

    #[test]
    fn a_void_block_is_measured_again_as_a_whole() {
        let mut three = Three { failures: 2, forgiven: 2, ..Three::default() };
        run(&mut three, &ORDER).unwrap();
        assert_eq!(three.kept.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(three.measured.iter().filter(|m| **m == (1, 2)).count(), 1);
        let mut stubborn = Three { failures: 2, forgiven: 1, ..Three::default() };
        assert_eq!(run(&mut stubborn, &ORDER).unwrap_err().to_string(), "it fell over");
        assert_eq!(stubborn.kept.len(), 2, "what was kept before stays");
    }
}
