//! Runs a workload in its arms, times it, and checks what it did.

use std::time::{Duration, Instant};

use mongodb::bson::{Bson, Document, doc};
use mongodb::error::{Error as DriverError, ErrorKind, TRANSIENT_TRANSACTION_ERROR};
use mongodb::options::{CollectionOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection, Database};

use crate::error::{Error, Result};
use crate::launch;
use crate::session::Schedule;
use crate::stats::{looks, quantile};
use crate::workload::arms::{Arm, ReadLevel};
use crate::workload::cases::{Operation, Step, Workload};
use crate::workload::dataset::Dataset;
use crate::workload::driver;
use crate::workload::profile::Plan;

/// What the driver answers.
type Answer<T> = std::result::Result<T, DriverError>;

/// How long one macro-iteration of one arm may take: what takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// How long the driver looks for the primary, which is there from the start, before it says that it is gone.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// What one case gave.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The arms in the order of the plan, each with its macro-iterations in theirs; the same index is the same macro-iteration in every arm.
    pub arms: Vec<(Arm, Vec<Times>)>,
    /// What the checks counted.
    pub checks: Checks,
}

/// Measures `workload` on the replica set whose member listens on `port` of the loopback interface, until `enough` says so at a look or up to the
/// plan's maximum. `done` hears how many macro-iterations are.
///
/// # Errors
/// A check failed or the server refused something: with the arm, and what the check found or the server said.
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
        let mut runner = Runner::connect(port, workload, plan).await?;
        let mut measured = Measured {
            arms: plan.arms.iter().map(|&arm| (arm, Vec::new())).collect(),
            checks: Checks::default(),
        };
        let looks = looks(plan.macros as usize, plan.max_macros as usize);
        let mut schedule = Schedule::new(plan.seed, plan.arms.len());
        for number in 0..=plan.max_macros {
            for index in schedule.block() {
                let (arm, samples) = &mut measured.arms[index];
                let failed = |e: Error| {
                    let Arm { letter, name, .. } = *arm;
                    Error::environment(format!("arm {letter} ({name}): {e}"))
                };
                let times = tokio::time::timeout(LIMIT, runner.macro_iteration(arm))
                    .await
                    .unwrap_or_else(|_| Err(Error::environment(format!("no end after {LIMIT:?}"))))
                    .map_err(failed)?;
                // The first macro-iteration warms up.
                if number > 0 {
                    samples.push(times);
                }
            }
            done(number);
            measured.checks = runner.checks;
            if looks.contains(&(number as usize)) && enough(&measured) {
                break;
            }
        }
        Ok(measured)
    })
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
        let mut options = launch::options(port, PATIENCE);
        // As a member of its set, and not as a lone server, which may not be what the driver gives a session to.
        options.direct_connection = Some(false);
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
        let (committed, resent) = self.counters().await?;
        let mut times = Vec::with_capacity(self.iterations);
        for i in 0..self.iterations {
            times.push(self.iteration(arm, &lane, i).await?);
        }
        let (now_committed, now_resent) = self.counters().await?;
        let committed = now_committed - committed;
        let meant = if arm.transaction { self.iterations } else { 0 };
        if committed != meant as u64 {
            return Err(Error::environment(format!(
                "the server counted {committed} committed transactions in {} iterations, and {meant} were meant",
                self.iterations
            )));
        }
        self.checks.committed += committed;
        self.checks.retries += now_resent - resent;
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

    /// The server's own counts: transactions committed, and commands that came again.
    async fn counters(&self) -> Result<(u64, u64)> {
        let status = self
            .usual
            .run_command(doc! { "serverStatus": 1 })
            .await
            .map_err(driver)?;
        let transactions = status.get_document("transactions").ok();
        let count = |key: &str| match transactions.and_then(|t| t.get(key)) {
            Some(Bson::Int64(count)) => Ok(count.unsigned_abs()),
            Some(Bson::Int32(count)) => Ok(u64::from(count.unsigned_abs())),
            _ => Err(Error::environment(format!(
                "serverStatus has no transactions.{key}, without which nothing shows what was committed"
            ))),
        };
        Ok((count("totalCommitted")?, count("retriedCommandsCount")?))
    }
}

/// Sends one operation; returns how many documents it concerned and how many it changed or returned.
async fn perform(
    step: &Step,
    collection: &Collection<Document>,
    data: &Dataset,
    i: usize,
    session: Option<&mut ClientSession>,
) -> Answer<[u64; 2]> {
    macro_rules! send {
        ($action:expr) => {
            match session {
                Some(session) => $action.session(session).await?,
                None => $action.await?,
            }
        };
    }
    let operation = step.operation;
    let filter = || Dataset::filter(operation, i);
    let count = match operation {
        Operation::InsertOne => {
            send!(collection.insert_one(&data.inserted(operation, i)[0]));
            1
        }
        Operation::InsertMany => {
            let documents = data.inserted(operation, i);
            send!(collection.insert_many(documents)).inserted_ids.len() as u64
        }
        Operation::UpdateOne | Operation::UpdateMany => {
            let change = doc! { "$inc": { "rate": 1 } };
            let result = match operation {
                Operation::UpdateOne => send!(collection.update_one(filter(), change)),
                _ => send!(collection.update_many(filter(), change)),
            };
            return Ok([result.matched_count, result.modified_count]);
        }
        Operation::DeleteOne => send!(collection.delete_one(filter())).deleted_count,
        Operation::DeleteMany => send!(collection.delete_many(filter())).deleted_count,
        Operation::FindOne => u64::from(send!(collection.find_one(filter())).is_some()),
        Operation::Find => found(collection, filter(), session).await?,
    };
    Ok([count, count])
}

/// Reads all that a filter means, in one batch, and counts it.
async fn found(
    collection: &Collection<Document>,
    filter: Document,
    session: Option<&mut ClientSession>,
) -> Answer<u64> {
    // The server's own first batch ends at 101; one more than there are closes the cursor with the first answer.
    let find = collection
        .find(filter)
        .batch_size(Operation::MANY as u32 + 1);
    let mut count = 0;
    match session {
        Some(session) => {
            let mut cursor = find.session(&mut *session).await?;
            while cursor.advance(session).await? {
                cursor.deserialize_current()?;
                count += 1;
            }
        }
        None => {
            let mut cursor = find.await?;
            while cursor.advance().await? {
                cursor.deserialize_current()?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// A conflict that the server ended by aborting the transaction; a broken connection is none.
fn is_conflict(error: &DriverError) -> bool {
    let from_server = matches!(*error.kind, ErrorKind::Command(_) | ErrorKind::Write(_));
    from_server && error.contains_label(TRANSIENT_TRANSACTION_ERROR)
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

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
