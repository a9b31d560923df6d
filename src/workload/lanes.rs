//! Lanes: ways to do one thing that are compared with each other, in random order inside each macro-iteration, as arms are. What an arm does not
//! vary, a lane does: how many operations, how the transaction begins and ends, and whether a write concern is given at all.

use std::time::Instant;

use mongodb::action::StartTransaction;
use mongodb::bson::{Document, doc};
use mongodb::options::{CollectionOptions, IndexOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection, Database, IndexModel};

use crate::error::{Error, Result};
use crate::session::Schedule;
use crate::stats::quantile;
use crate::workload::driver;
use crate::workload::measured::{Checks, Measured};
use crate::workload::operations::Answer;
use crate::workload::profile::Plan;
use crate::workload::rounds::{LIMIT, limited};
use crate::workload::runner::{DATABASE, microseconds};
use crate::workload::server::{self, Counters, Entries};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// insertOne of a document that is not there.
    Insert,
    /// findOne, by an index, of a document that is there.
    Find,
}

/// Around the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nothing.
    Plain,
    /// One transaction, in a session that is used again.
    Transaction,
    /// The same, aborted in the place of its commit.
    Aborted,
    /// One transaction in a session of its own, which begins and ends within the time.
    NewSession,
    /// One transaction by the driver's `and_run2`, which tries again by itself.
    AndRun,
}

/// Which write concern the operations or their transaction have. Reads have the matching read concern, and in transactions snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// None is given: what the server then does depends on its version.
    Default,
    /// w:1.
    One,
    /// w:majority.
    Majority,
}

/// One way to do one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its name in results.
    pub name: &'static str,
    /// What is done.
    pub action: Action,
    /// How often, in one iteration.
    pub operations: usize,
    /// What is around it.
    pub way: Way,
    /// How durable it is.
    pub concern: Concern,
}

/// Lanes that are measured together.
#[derive(Debug, PartialEq, Eq)]
pub struct LaneSet {
    /// The lanes.
    pub lanes: &'static [Lane],
    /// Which are compared, by their places: the time of the first over that of the second.
    pub pairs: &'static [[usize; 2]],
    /// Whether the lanes are numbers of inserts, with a transaction and without, for which lines are fitted.
    pub is_sweep: bool,
}

/// One macro-iteration of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneSample {
    /// The median time of its iterations, from what begins them to the end of what ends them, in microseconds.
    pub total_us: f64,
    /// Their mean time, in microseconds.
    pub mean_us: f64,
    /// Times that the server synced its journal, an iteration.
    pub syncs: f64,
    /// How long these took together, an iteration, in microseconds.
    pub sync_us: f64,
    /// Entries in the oplog, an iteration.
    pub oplog_entries: f64,
}

impl Lane {
    fn iterations(&self, plan: &Plan) -> usize {
        (plan.single / self.operations.max(1)).max(1)
    }

    fn write_concern(&self) -> Option<WriteConcern> {
        match self.concern {
            Concern::Default => None,
            Concern::One => Some(WriteConcern::nodes(1)),
            Concern::Majority => Some(WriteConcern::majority()),
        }
    }

    fn read_concern(&self) -> Option<ReadConcern> {
        match self.concern {
            Concern::Default => None,
            Concern::One => Some(ReadConcern::local()),
            Concern::Majority => Some(ReadConcern::majority()),
        }
    }

    /// Whether it was as meant: the transactions that the server counted, the oplog, and how many documents are there that were not before.
    fn check(&self, iterations: u64, counted: &Counted) -> Result<()> {
        let operations = iterations * self.operations as u64;
        // An empty transaction never leaves the client.
        let transactions = if self.operations == 0 { 0 } else { iterations };
        let (committed, aborted) = match self.way {
            Way::Plain => (0, 0),
            Way::Aborted => (0, transactions),
            Way::Transaction | Way::NewSession | Way::AndRun => (transactions, 0),
        };
        let written = match (self.action, self.way) {
            (Action::Find, _) | (_, Way::Aborted) => 0,
            (Action::Insert, _) => operations,
        };
        for (what, found, meant) in [
            ("committed transactions", counted.committed, committed),
            ("aborted transactions", counted.aborted, aborted),
            ("new documents", counted.documents, written),
        ] {
            if found != meant {
                return Err(Error::environment(format!(
                    "the server counted {found} {what} in {iterations} iterations, and {meant} were meant"
                )));
            }
        }
        self.entries(iterations).check(&counted.entries)
    }

    /// What so many iterations leave in the oplog.
    fn entries(&self, iterations: u64) -> Entries {
        let (writes, transactions) = match (self.action, self.way) {
            (Action::Find, _) | (_, Way::Aborted) => (0, 0),
            (Action::Insert, Way::Plain) => (iterations * self.operations as u64, 0),
            (Action::Insert, _) => (0, iterations * self.operations.min(1) as u64),
        };
        Entries {
            writes,
            transactions,
            noops: 0,
        }
    }
}

/// What the server counted while a lane ran, and the documents that it left.
#[derive(Clone, Copy, Debug)]
struct Counted {
    committed: u64,
    aborted: u64,
    documents: u64,
    entries: Entries,
}

/// Measures the lanes of a set.
pub(super) async fn measure(
    port: u16,
    set: &'static LaneSet,
    plan: &Plan,
    mut done: impl FnMut(u32),
) -> Result<Measured> {
    let mut runner = Runner::connect(port).await?;
    let mut samples = vec![Vec::new(); set.lanes.len()];
    let mut schedule = Schedule::new(plan.seed, set.lanes.len());
    for number in 0..=plan.macros {
        for index in schedule.block() {
            let lane = &set.lanes[index];
            let sample = limited(LIMIT, runner.macro_iteration(lane, lane.iterations(plan)))
                .await
                .map_err(|e| Error::environment(format!("{}: {e}", lane.name)))?;
            // The first macro-iteration warms up.
            if number > 0 {
                samples[index].push(sample);
            }
        }
        done(number);
    }
    Ok(Measured {
        lanes: set.lanes.iter().copied().zip(samples).collect(),
        checks: runner.checks,
        ..Measured::default()
    })
}

struct Runner {
    client: Client,
    database: Database,
    session: ClientSession,
    /// The id of the next new document.
    next: i64,
    checks: Checks,
}

/// The collection that takes new documents, and the one whose only document is found.
const WRITTEN: &str = "written";
const READ: &str = "read";

impl Runner {
    async fn connect(port: u16) -> Result<Self> {
        let client = Client::with_options(server::options(port)).map_err(driver)?;
        let database = client.database(DATABASE);
        database.drop().await.map_err(driver)?;
        for name in [WRITTEN, READ] {
            let unique = IndexOptions::builder().unique(true).build();
            let index = IndexModel::builder()
                .keys(doc! { "id": 1 })
                .options(unique)
                .build();
            let collection = database.collection::<Document>(name);
            collection.create_index(index).await.map_err(driver)?;
        }
        database
            .collection(READ)
            .insert_one(doc! { "id": 0, "rate": 1 })
            .write_concern(WriteConcern::majority())
            .await
            .map_err(driver)?;
        Ok(Self {
            session: client.start_session().await.map_err(driver)?,
            client,
            database,
            next: 0,
            checks: Checks::default(),
        })
    }

    /// All iterations of a lane, checked and put back.
    async fn macro_iteration(&mut self, lane: &Lane, iterations: usize) -> Result<LaneSample> {
        let name = match lane.action {
            Action::Insert => WRITTEN,
            Action::Find => READ,
        };
        let mut options = CollectionOptions::default();
        // In a transaction they are the transaction's.
        if lane.way == Way::Plain {
            options.write_concern = lane.write_concern();
            options.read_concern = lane.read_concern();
        }
        let collection = self.database.collection_with_options(name, options);
        let before = Counters::read(&self.database).await?;
        let mut times = Vec::with_capacity(iterations);
        for _ in 0..iterations {
            let documents = self.documents(lane);
            let begin = Instant::now();
            let count = self.iteration(lane, &collection, &documents).await;
            times.push(microseconds(begin.elapsed()));
            let (count, meant) = (count.map_err(driver)?, lane.operations as u64);
            if count != meant {
                return Err(Error::environment(format!(
                    "{count} documents were inserted or found, and {meant} were meant"
                )));
            }
            self.checks.matched += count;
        }
        let after = Counters::read(&self.database).await?;
        let entries = lane.entries(iterations as u64).total();
        let entries = before.entries_until(&after, &self.client, entries).await?;
        let documents = self
            .database
            .collection::<Document>(WRITTEN)
            .delete_many(doc! {})
            .write_concern(WriteConcern::majority())
            .await
            .map_err(driver)?
            .deleted_count;
        let counted = Counted {
            committed: after.committed - before.committed,
            aborted: after.aborted - before.aborted,
            documents,
            entries,
        };
        lane.check(iterations as u64, &counted)?;
        self.checks.committed += counted.committed;
        self.checks.retries += after.resent - before.resent;
        let each = |count: u64| count as f64 / iterations as f64;
        let none = || Error::environment("there is no time to take a median of");
        Ok(LaneSample {
            total_us: quantile(&times, 0.5).ok_or_else(none)?,
            mean_us: times.iter().sum::<f64>() / iterations as f64,
            syncs: each(after.syncs - before.syncs),
            sync_us: each(after.sync_us - before.sync_us),
            oplog_entries: each(entries.total() + entries.noops),
        })
    }

    /// What one iteration inserts, or the filters by which it finds.
    fn documents(&mut self, lane: &Lane) -> Vec<Document> {
        (0..lane.operations)
            .map(|_| match lane.action {
                Action::Insert => {
                    self.next += 1;
                    doc! { "id": self.next, "user": { "roles": [], "profile": {} }, "rate": 1 }
                }
                Action::Find => doc! { "id": 0 },
            })
            .collect()
    }

    /// One iteration: how many documents it inserted or found.
    async fn iteration(
        &mut self,
        lane: &Lane,
        collection: &Collection<Document>,
        documents: &[Document],
    ) -> Answer<u64> {
        let action = lane.action;
        match lane.way {
            Way::Plain => act(action, collection, documents, None).await,
            Way::Transaction | Way::Aborted => {
                transaction(lane, collection, documents, &mut self.session).await
            }
            Way::NewSession => {
                let mut session = self.client.start_session().await?;
                transaction(lane, collection, documents, &mut session).await
            }
            Way::AndRun => {
                let mut calls = 0;
                let count = start(lane, &mut self.session)
                    .and_run2(async |session: &mut ClientSession| {
                        calls += 1;
                        act(action, collection, documents, Some(session)).await
                    })
                    .await?;
                self.checks.retries += calls - 1;
                Ok(count)
            }
        }
    }
}

/// Begins a transaction of a lane, which sends nothing yet.
fn start<'a>(
    lane: &Lane,
    session: &'a mut ClientSession,
) -> StartTransaction<&'a mut ClientSession> {
    let start = session
        .start_transaction()
        .read_concern(ReadConcern::snapshot());
    match lane.write_concern() {
        Some(concern) => start.write_concern(concern),
        None => start,
    }
}

/// The operations in one transaction of `session`, committed or aborted.
async fn transaction(
    lane: &Lane,
    collection: &Collection<Document>,
    documents: &[Document],
    session: &mut ClientSession,
) -> Answer<u64> {
    start(lane, session).await?;
    let count = act(lane.action, collection, documents, Some(&mut *session)).await?;
    match lane.way {
        Way::Aborted => session.abort_transaction().await?,
        _ => session.commit_transaction().await?,
    }
    Ok(count)
}

async fn act(
    action: Action,
    collection: &Collection<Document>,
    documents: &[Document],
    mut session: Option<&mut ClientSession>,
) -> Answer<u64> {
    let mut count = 0;
    for document in documents {
        let session = session.as_deref_mut();
        count += match (action, session) {
            (Action::Insert, Some(session)) => {
                collection.insert_one(document).session(session).await?;
                1
            }
            (Action::Insert, None) => {
                collection.insert_one(document).await?;
                1
            }
            (Action::Find, Some(session)) => {
                let found = collection.find_one(document.clone()).session(session);
                u64::from(found.await?.is_some())
            }
            (Action::Find, None) => {
                u64::from(collection.find_one(document.clone()).await?.is_some())
            }
        };
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: Lane = Lane {
        name: "inserts",
        action: Action::Insert,
        operations: 10,
        way: Way::Transaction,
        concern: Concern::Majority,
    };

    #[test]
    fn what_is_not_as_meant_fails_the_check() {
        let way = |way| Lane { way, ..LANE };
        let empty = Lane {
            operations: 0,
            ..LANE
        };
        let find = Lane {
            action: Action::Find,
            ..LANE
        };
        // Committed, aborted, documents, entries of writes and of transactions.
        for (lane, right) in [
            (LANE, [3, 0, 30, 0, 3]),
            (way(Way::Aborted), [0, 3, 0, 0, 0]),
            (way(Way::Plain), [0, 0, 30, 30, 0]),
            (empty, [0, 0, 0, 0, 0]),
            (find, [3, 0, 0, 0, 0]),
        ] {
            let check = |[committed, aborted, documents, writes, transactions]: [u64; 5]| {
                let entries = Entries {
                    writes,
                    transactions,
                    noops: 1,
                };
                let counted = Counted {
                    committed,
                    aborted,
                    documents,
                    entries,
                };
                lane.check(3, &counted)
            };
            check(right).unwrap();
            for index in 0..right.len() {
                let mut wrong = right;
                wrong[index] += 1;
                let error = check(wrong).unwrap_err().to_string();
                assert!(error.contains("were meant"), "{lane:?} {error}");
            }
        }
    }
}
