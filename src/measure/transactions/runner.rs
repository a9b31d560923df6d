//! Runs a workload in its arms, times it, and checks what it did.

use std::time::{Duration, Instant};

use mongodb::bson::Document;
use mongodb::options::{CollectionOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection, Database};

use crate::error::{Error, Result};
use crate::measure::transactions::dataset::Dataset;
use crate::measure::transactions::driver;
use crate::measure::transactions::measured::{Checks, Times, Work};
use crate::measure::transactions::operations::{Answer, is_conflict, perform};
use crate::measure::transactions::server;
use crate::measure::transactions::server::{Counters, Entries};
use crate::model::workload::Workload;
use crate::model::workload::{Arm, ReadLevel};
use crate::plan::macros::Plan;

/// Whose collections the documents are in.
pub(super) const DATABASE: &str = "mongate";

/// How often an iteration is tried again that the server aborted.
const RETRIES: u32 = 3;

/// A workload on a server: its documents, its clients and what the checks have counted.
pub(super) struct Runner {
    workload: &'static Workload,
    data: Dataset,
    iterations: usize,
    client: Client,
    /// It does not retry writes.
    once: Client,
    /// Every arm with a session reuses it, but those that start their own.
    session: ClientSession,
    pub(super) checks: Checks,
}

impl Runner {
    pub(super) async fn connect(
        port: u16,
        workload: &'static Workload,
        plan: &Plan,
    ) -> Result<Self> {
        let mut options = server::options(port);
        let client = Client::with_options(options.clone()).map_err(driver)?;
        options.retry_writes = Some(false);
        let once = Client::with_options(options).map_err(driver)?;
        let iterations = plan.iterations(workload);
        let runner = Self {
            workload,
            data: Dataset::new(workload, iterations, plan.layout)?,
            iterations,
            session: client.start_session().await.map_err(driver)?,
            client,
            once,
            checks: Checks::default(),
        };
        runner.data.load(&runner.database()).await?;
        Ok(runner)
    }

    fn database(&self) -> Database {
        self.client.database(DATABASE)
    }

    /// All iterations of an arm, checked; before or after it the documents are as many as they
    /// were.
    pub(super) async fn macro_iteration(&mut self, arm: &Arm) -> Result<(Vec<Times>, Work)> {
        if !self.data.moves_up() {
            self.data.load(&self.database()).await?;
        }
        let lane: Vec<Collection<Document>> =
            (0..self.workload.collections()).map(|number| self.collection(number, arm)).collect();
        let before = Counters::read(&self.database()).await?;
        let mut times = Vec::with_capacity(self.iterations);
        for i in 0..self.iterations {
            times.push(self.iteration(arm, &lane, i).await?);
        }
        let after = Counters::read(&self.database()).await?;
        let iterations = self.iterations as u64;
        let committed = after.committed - before.committed;
        let meant = if arm.transaction { iterations } else { 0 };
        if committed != meant {
            return Err(Error::environment(format!(
                "the server counted {committed} committed transactions in {iterations} iterations, \
                    and {meant} were meant"
            )));
        }
        let entries = meant_entries(self.workload, arm, iterations);
        let found = before.entries_until(&after, &self.client, entries.total()).await?;
        entries.check(&found)?;
        self.checks.committed += committed;
        self.checks.retries += after.resent - before.resent;
        if self.data.moves_up() {
            let database = self.database();
            self.data.move_up(&database).await?;
        }
        let work = Work {
            iterations,
            entries: found,
            syncs: after.syncs - before.syncs,
            sync_us: after.sync_us - before.sync_us,
        };
        Ok((times, work))
    }

    /// One iteration, and again where the server aborted its transaction: the time is that of the
    /// one that went through.
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
        Err(Error::environment(format!("the server aborted the same transaction {RETRIES} times")))
    }

    /// The outer error is a failed check, the inner one what the driver said.
    async fn attempt(
        &mut self,
        arm: &Arm,
        lane: &[Collection<Document>],
        i: usize,
    ) -> Result<Answer<Times>> {
        let start = Instant::now();
        let mut own = None;
        if arm.new_session {
            match self.client.start_session().await {
                Ok(session) => own = Some(session),
                Err(e) => return Ok(Err(e)),
            }
        }
        let whole = own.as_mut().unwrap_or(&mut self.session);
        if arm.transaction {
            let started = whole
                .start_transaction()
                .read_concern(read_concern(arm))
                .write_concern(write_concern(arm))
                .await;
            if let Err(e) = started {
                return Ok(Err(e));
            }
        }
        let mut session = (arm.session && arm.passes_session).then_some(&mut *whole);
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
            let meant = step.operation.concerned();
            if counts.iter().any(|&count| count != meant) {
                let name = step.operation.name();
                return Err(Error::environment(format!(
                    "iteration {i}: {name} concerned {} documents and changed or returned {}, and \
                        {meant} were meant",
                    counts[0], counts[1]
                )));
            }
            matched += meant;
        }
        let operations = begin.elapsed();
        let mut commit_us = None;
        let mut total = operations;
        if arm.transaction {
            if let Err(e) = whole.commit_transaction().await {
                return Ok(Err(e));
            }
            total = begin.elapsed();
            commit_us = Some(microseconds(total - operations));
        }
        // Ends the session.
        if own.take().is_some() {
            total = start.elapsed();
        }
        self.checks.matched += matched;
        Ok(Ok(Times { total_us: microseconds(total), first_us, commit_us }))
    }

    /// A collection with the concerns of an arm; in a transaction they are the transaction's.
    fn collection(&self, number: usize, arm: &Arm) -> Collection<Document> {
        let name = Dataset::collection_name(number);
        let client = if arm.retry_writes { &self.client } else { &self.once };
        let database = client.database(DATABASE);
        if arm.transaction || !arm.concerns {
            return database.collection(name);
        }
        let options = CollectionOptions::builder()
            .read_concern(read_concern(arm))
            .write_concern(write_concern(arm))
            .build();
        database.collection_with_options(name, options)
    }
}

/// What the iterations of an arm leave in the oplog: an entry a document, or one a transaction that
/// writes. No-ops depend on the server.
fn meant_entries(workload: &Workload, arm: &Arm, iterations: u64) -> Entries {
    let written = workload.written();
    if arm.transaction {
        Entries { transactions: iterations * written.min(1), ..Entries::default() }
    } else {
        Entries { writes: iterations * written, ..Entries::default() }
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
    if arm.majority { WriteConcern::majority() } else { WriteConcern::nodes(1) }
}

pub(super) fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
