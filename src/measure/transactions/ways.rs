//! Ways to do one thing, as the engine runs them: lanes and crowds.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::measure::engine::{self, Order, Subject};
use crate::plan::macros::Plan;

/// How long one macro-iteration of one arm may take: what takes longer hangs.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// What a macro-iteration gave, unless it hangs.
pub(super) async fn limited<T>(
    limit: Duration,
    macro_iteration: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(limit, macro_iteration)
        .await
        .unwrap_or_else(|_| Err(Error::environment(format!("no end after {limit:?}"))))
}

/// Ways to do one thing, each measured once a block: lanes and crowds.
pub(super) struct Ways<'a, T> {
    /// Measures one of them once.
    pub once: Box<dyn FnMut(usize) -> Result<T> + 'a>,
    /// What has been measured of each.
    pub samples: Vec<Vec<T>>,
    /// Hears how many blocks are done.
    pub done: &'a mut dyn FnMut(u32),
}

impl<T> Ways<'_, T> {
    /// Measures as many blocks as the plan has macro-iterations, after one that warms up.
    ///
    /// # Errors
    /// One of them failed.
    pub(super) fn run(mut self, plan: &Plan) -> Result<Vec<Vec<T>>> {
        engine::run(&mut self, &Order { warm_up: 1, most: plan.macros, seed: plan.seed })?;
        Ok(self.samples)
    }
}

impl<T> Subject for Ways<'_, T> {
    type Sample = T;

    fn slots(&self, _: u32) -> Vec<usize> {
        (0..self.samples.len()).collect()
    }

    fn measure(&mut self, thing: usize, _: u32, _: u32) -> Result<T> {
        (self.once)(thing)
    }

    fn keep(&mut self, block: u32, slots: &[usize], samples: Vec<T>) -> Result<()> {
        if block > 0 {
            for (&thing, sample) in slots.iter().zip(samples) {
                self.samples[thing].push(sample);
            }
        }
        (self.done)(block);
        Ok(())
    }

    fn void(&mut self, _: usize, _: u32, error: Error) -> Result<()> {
        Err(error)
    }

    fn is_enough(&mut self, _: u32) -> bool {
        false
    }
}
