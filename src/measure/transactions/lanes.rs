//! Runs lanes, times them, and checks what they did.

use std::time::Instant;

use mongodb::action::StartTransaction;
use mongodb::bson::{Document, doc};
use mongodb::options::{CollectionOptions, IndexOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection, Database, IndexModel};
use tokio::runtime::Runtime;

use crate::error::{Error, Result};
use crate::measure::transactions::driver;
use crate::measure::transactions::lane::{Counted, LaneSample};
use crate::measure::transactions::measured::{Checks, Measured};
use crate::measure::transactions::operations::Answer;
use crate::measure::transactions::runner::{DATABASE, microseconds};
use crate::measure::transactions::server;
use crate::measure::transactions::server::Counters;
use crate::measure::transactions::ways::{LIMIT, Ways, limited};
use crate::model::workload::{Action, Lane, LaneSet, Way};
use crate::plan::macros::Plan;
use crate::stats::quantile;

/// Measures the lanes of a set.
pub(super) fn measure(
    runtime: &Runtime,
    port: u16,
    set: &'static LaneSet,
    plan: &Plan,
    done: &mut dyn FnMut(u32),
) -> Result<Measured> {
    let mut runner = runtime.block_on(Runner::connect(port))?;
    let once = |thing: usize| {
        let lane: &Lane = &set.lanes[thing];
        let sample = limited(LIMIT, runner.macro_iteration(lane, lane.iterations(plan)));
        let failed = |e| Error::environment(format!("{}: {e}", lane.name));
        runtime.block_on(sample).map_err(failed)
    };
    let samples = vec![Vec::new(); set.lanes.len()];
    let samples = Ways { once: Box::new(once), samples, done }.run(plan)?;
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
            let index = IndexModel::builder().keys(doc! { "id": 1 }).options(unique).build();
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
    let start = session.start_transaction().read_concern(ReadConcern::snapshot());
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
