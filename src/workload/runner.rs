//! Runs a workload in its arms, times it, and checks what it did.

use std::time::{Duration, Instant};

use mongodb::bson::Document;
use mongodb::options::{CollectionOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection, Database};

use crate::error::{Error, Result};
use crate::session::Schedule;
use crate::stats::quantile;
use crate::workload::arms::{Arm, ReadLevel};
use crate::workload::cases::{Shape, Workload};
use crate::workload::conflicts::{self, Crowd, CrowdSample};
use crate::workload::dataset::Dataset;
use crate::workload::driver;
use crate::workload::lanes::{self, Lane, LaneSample};
use crate::workload::operations::{Answer, is_conflict, perform};
use crate::workload::profile::Plan;
use crate::workload::server::{self, Counters};

/// How long one macro-iteration of one arm may take: what takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// How often an iteration is tried again that the server aborted.
const RETRIES: u32 = 3;

/// Times of one iteration, or the medians of one macro-iteration, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// From the first operation to the end of the last one, and in a transaction to the commit's acknowledgement.
    pub total_us: f64,
    /// The first operation, which in a transaction also begins it.
    pub first_us: f64,
    /// The commit, in a transaction.
    pub commit_us: Option<f64>,
}

/// What the checks counted, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Transactions that the server counted as committed: exactly those that were meant.
    pub committed: u64,
    /// Documents that were inserted, updated, deleted or found: exactly those that were meant.
    pub matched: u64,
    /// Iterations that the server aborted and that were run again, and commands that the driver sent again.
    pub retries: u64,
}

/// What one case gave: arms, lanes or crowds, by its shape.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The arms in the order of the plan, each with its macro-iterations in theirs; the same index is the same macro-iteration in every arm.
    pub arms: Vec<(Arm, Vec<Times>)>,
    /// The lanes in the order of their set, with their macro-iterations.
    pub lanes: Vec<(Lane, Vec<LaneSample>)>,
    /// The crowds with their macro-iterations.
    pub crowds: Vec<(Crowd, Vec<CrowdSample>)>,
    /// What the checks counted.
    pub checks: Checks,
}

/// Measures `workload` on the replica set whose member listens on `port` of the loopback interface. `done` hears how many macro-iterations are.
///
/// # Errors
/// A check failed or the server refused something: with the arm, and what the check found or the server said.
pub fn measure(
    port: u16,
    workload: &'static Workload,
    plan: &Plan,
    mut done: impl FnMut(u32),
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
        let mut arms: Vec<_> = plan.arms.iter().map(|&arm| (arm, Vec::new())).collect();
        let mut schedule = Schedule::new(plan.seed, arms.len());
        for number in 0..=plan.macros {
            for index in schedule.block() {
                let (arm, samples) = &mut arms[index];
                let failed = |e: Error| {
                    let Arm { letter, name, .. } = *arm;
                    Error::environment(format!("arm {letter} ({name}): {e}"))
                };
                let times = limited(runner.macro_iteration(arm)).await.map_err(failed)?;
                // The first macro-iteration warms up.
                if number > 0 {
                    samples.push(times);
                }
            }
            done(number);
        }
        Ok(Measured {
            arms,
            checks: runner.checks,
            ..Measured::default()
        })
    })
}

/// What a macro-iteration gave, unless it hangs.
pub(super) async fn limited<T>(macro_iteration: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(LIMIT, macro_iteration)
        .await
        .unwrap_or_else(|_| Err(Error::environment(format!("no end after {LIMIT:?}"))))
}

struct Runner {
    workload: &'static Workload,
    data: Dataset,
    iterations: usize,
    usual: Database,
    /// Of a client that does not retry writes.
    once: Database,
    /// The only one: every arm with a session reuses it.
    session: ClientSession,
    checks: Checks,
}

impl Runner {
    async fn connect(port: u16, workload: &'static Workload, plan: &Plan) -> Result<Self> {
        let mut options = server::options(port);
        let usual = Client::with_options(options.clone()).map_err(driver)?;
        options.retry_writes = Some(false);
        let once = Client::with_options(options).map_err(driver)?;
        let iterations = plan.iterations(workload);
        let runner = Self {
            workload,
            data: Dataset::new(workload, iterations)?,
            iterations,
            session: usual.start_session().await.map_err(driver)?,
            usual: usual.database("mongate"),
            once: once.database("mongate"),
            checks: Checks::default(),
        };
        runner.data.load(&runner.usual).await?;
        Ok(runner)
    }

    /// All iterations of an arm, checked and put back.
    async fn macro_iteration(&mut self, arm: &Arm) -> Result<Times> {
        let lane: Vec<Collection<Document>> = (0..self.workload.collections())
            .map(|number| self.collection(number, arm))
            .collect();
        let before = Counters::read(&self.usual).await?;
        let mut times = Vec::with_capacity(self.iterations);
        for i in 0..self.iterations {
            times.push(self.iteration(arm, &lane, i).await?);
        }
        let counted = Counters::read(&self.usual).await? - before;
        let committed = counted.committed;
        let meant = if arm.transaction { self.iterations } else { 0 };
        if committed != meant as u64 {
            return Err(Error::environment(format!(
                "the server counted {committed} committed transactions in {} iterations, and {meant} were meant",
                self.iterations
            )));
        }
        self.checks.committed += committed;
        self.checks.retries += counted.resent;
        self.data.reset(&self.usual, self.iterations).await?;
        medians(&times).ok_or_else(|| Error::environment("there is no time to take a median of"))
    }

    /// One iteration, and again where the server aborted its transaction: the time is that of the one that went through.
    async fn iteration(
        &mut self,
        arm: &Arm,
        lane: &[Collection<Document>],
        i: usize,
    ) -> Result<Times> {
        for _ in 0..RETRIES {
            match self.attempt(arm, lane, i).await? {
                Ok(times) => return Ok(times),
                Err(e) if arm.transaction && is_conflict(&e) => {
                    // The server has aborted it already; this is for the session.
                    let _ = self.session.abort_transaction().await;
                    self.checks.retries += 1;
                }
                Err(e) => return Err(driver(e)),
            }
        }
        Err(Error::environment(format!(
            "the server aborted the same transaction {RETRIES} times"
        )))
    }

    /// The outer error is a failed check, the inner one what the driver said.
    async fn attempt(
        &mut self,
        arm: &Arm,
        lane: &[Collection<Document>],
        i: usize,
    ) -> Result<Answer<Times>> {
        if arm.transaction {
            let started = self
                .session
                .start_transaction()
                .read_concern(read_concern(arm))
                .write_concern(write_concern(arm))
                .await;
            if let Err(e) = started {
                return Ok(Err(e));
            }
        }
        let mut session = (arm.session && arm.passes_session).then_some(&mut self.session);
        let mut first_us = 0.0;
        let mut matched = 0;
        let begin = Instant::now();
        for (number, step) in self.workload.steps.iter().enumerate() {
            let collection = &lane[step.collection];
            let counts =
                match perform(step, collection, &self.data, i, session.as_deref_mut()).await {
                    Ok(counts) => counts,
                    Err(e) => return Ok(Err(e)),
                };
            if number == 0 {
                first_us = microseconds(begin.elapsed());
            }
            let size = step.operation.size() as u64;
            if counts.iter().any(|&count| count != size) {
                let name = step.operation.name();
                return Err(Error::environment(format!(
                    "iteration {i}: {name} concerned {} documents and changed or returned {}, and {size} were meant",
                    counts[0], counts[1]
                )));
            }
            matched += size;
        }
        let operations = begin.elapsed();
        let mut commit_us = None;
        let mut total = operations;
        if arm.transaction {
            if let Err(e) = self.session.commit_transaction().await {
                return Ok(Err(e));
            }
            total = begin.elapsed();
            commit_us = Some(microseconds(total - operations));
        }
        self.checks.matched += matched;
        Ok(Ok(Times {
            total_us: microseconds(total),
            first_us,
            commit_us,
        }))
    }

    /// A collection with the concerns of an arm; in a transaction they are the transaction's.
    fn collection(&self, number: usize, arm: &Arm) -> Collection<Document> {
        let name = Dataset::collection_name(number);
        let database = if arm.retry_writes {
            &self.usual
        } else {
            &self.once
        };
        if arm.transaction {
            return database.collection(name);
        }
        let options = CollectionOptions::builder()
            .read_concern(read_concern(arm))
            .write_concern(write_concern(arm))
            .build();
        database.collection_with_options(name, options)
    }
}

fn read_concern(arm: &Arm) -> ReadConcern {
    match arm.reads {
        ReadLevel::Local => ReadConcern::local(),
        ReadLevel::Majority => ReadConcern::majority(),
        ReadLevel::Snapshot => ReadConcern::snapshot(),
    }
}

fn write_concern(arm: &Arm) -> WriteConcern {
    if arm.majority {
        WriteConcern::majority()
    } else {
        WriteConcern::nodes(1)
    }
}

fn medians(times: &[Times]) -> Option<Times> {
    let median = |of: fn(&Times) -> f64| quantile(&times.iter().map(of).collect::<Vec<_>>(), 0.5);
    let commits: Vec<f64> = times.iter().filter_map(|t| t.commit_us).collect();
    Some(Times {
        total_us: median(|t| t.total_us)?,
        first_us: median(|t| t.first_us)?,
        commit_us: quantile(&commits, 0.5),
    })
}

pub(super) fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
