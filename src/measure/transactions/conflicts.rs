//! Several clients at once: all on one hot document, or each on one of its own; in transactions or
//! without.

use std::time::Instant;

use mongodb::bson::{Document, doc};
use mongodb::options::{CollectionOptions, ReadConcern, WriteConcern};
use mongodb::{Client, ClientSession, Collection};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::error::{Error, Result};
use crate::measure::transactions::driver;
use crate::measure::transactions::measured::{Checks, Crowd, CrowdSample, Measured};
use crate::measure::transactions::operations::{Answer, is_conflict};
use crate::measure::transactions::runner::{DATABASE, microseconds};
use crate::measure::transactions::server;
use crate::measure::transactions::server::{Counters, write_conflicts};
use crate::measure::transactions::ways::{LIMIT, Ways, limited};
use crate::plan::macros::Plan;
use crate::stats::quantile;

/// Numbers of clients.
pub const CLIENTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Increments that the clients of a crowd share among them in one macro-iteration.
pub const COMMITS: usize = 128;

/// How often one increment is tried: with so many clients as here, far more than bad luck explains.
const TRIES: u64 = 10_000;

impl Crowd {
    /// Every number of clients, in every way.
    pub fn all() -> Vec<Self> {
        let ways = [(true, true), (true, false), (false, true), (false, false)];
        let each = |clients| ways.map(|(hot, transaction)| Self { clients, hot, transaction });
        CLIENTS.into_iter().flat_map(each).collect()
    }

    /// The document of a client.
    fn document(self, client: usize) -> usize {
        if self.hot { 0 } else { client }
    }

    /// Whether every increment is in its document, and nowhere else; and whether the server counted
    /// their transactions.
    fn check(self, counters: &[i64], committed: u64) -> Result<()> {
        let each = (COMMITS / self.clients) as i64;
        let mut meant = vec![0; counters.len()];
        for client in 0..self.clients {
            meant[self.document(client)] += each;
        }
        if let Some(wrong) = (0..meant.len()).find(|&i| counters[i] != meant[i]) {
            return Err(Error::environment(format!(
                "document {wrong} counts {} increments, and {} were acknowledged",
                counters[wrong], meant[wrong]
            )));
        }
        let transactions = if self.transaction { COMMITS } else { 0 };
        if committed != transactions as u64 {
            return Err(Error::environment(format!(
                "the server counted {committed} committed transactions, and {transactions} were \
                    acknowledged"
            )));
        }
        Ok(())
    }
}

/// Measures every crowd.
pub(super) fn measure(
    runtime: &Runtime,
    port: u16,
    plan: &Plan,
    done: &mut dyn FnMut(u32),
) -> Result<Measured> {
    let (client, collection) = runtime.block_on(counters(port))?;
    let crowds = Crowd::all();
    let mut checks = Checks::default();
    let once = |thing: usize| {
        let crowd: Crowd = crowds[thing];
        let sample = limited(LIMIT, macro_iteration(&client, &collection, crowd, &mut checks));
        let failed = |e| Error::environment(format!("{} clients ({crowd:?}): {e}", crowd.clients));
        runtime.block_on(sample).map_err(failed)
    };
    let samples = vec![Vec::new(); crowds.len()];
    let samples = Ways { once: Box::new(once), samples, done }.run(plan)?;
    Ok(Measured {
        crowds: crowds.into_iter().zip(samples).collect(),
        checks,
        ..Measured::default()
    })
}

/// Connects, and makes a counter for each client.
async fn counters(port: u16) -> Result<(Client, Collection<Document>)> {
    let most = CLIENTS[CLIENTS.len() - 1];
    // A connection for each, and one to watch.
    let mut options = server::options(port);
    options.max_pool_size = Some(most as u32 + 1);
    let client = Client::with_options(options).map_err(driver)?;
    let database = client.database(DATABASE);
    database.drop().await.map_err(driver)?;
    let documents = (0..most).map(|id| doc! { "_id": id as i64, "count": 0_i64 });
    let options = CollectionOptions::builder()
        .read_concern(ReadConcern::local())
        .write_concern(WriteConcern::majority())
        .build();
    let collection = database.collection_with_options("counters", options);
    collection.insert_many(documents).await.map_err(driver)?;
    Ok((client, collection))
}

/// One macro-iteration of a crowd, checked and put back.
async fn macro_iteration(
    client: &Client,
    collection: &Collection<Document>,
    crowd: Crowd,
    checks: &mut Checks,
) -> Result<CrowdSample> {
    let database = client.database(DATABASE);
    let conflicts = write_conflicts(&database).await?;
    let before = Counters::read(&database).await?;
    let mut tasks = JoinSet::new();
    let begin = Instant::now();
    for number in 0..crowd.clients {
        // In a transaction the concerns are the transaction's.
        let collection = match crowd.transaction {
            true => database.collection(collection.name()),
            false => collection.clone(),
        };
        tasks.spawn(increments(client.clone(), collection, crowd, number));
    }
    let (mut times, mut retries) = (Vec::with_capacity(COMMITS), 0);
    while let Some(joined) = tasks.join_next().await {
        let ended = joined.map_err(|e| Error::environment(format!("a client broke: {e}")))?;
        let (more, again) = ended?;
        times.extend(more);
        retries += again;
    }
    let took = begin.elapsed();
    let after = Counters::read(&database).await?;
    let conflicts = write_conflicts(&database).await? - conflicts;
    let committed = after.committed - before.committed;
    let mut counters = Vec::new();
    let mut cursor = collection.find(doc! {}).sort(doc! { "_id": 1 }).await.map_err(driver)?;
    while cursor.advance().await.map_err(driver)? {
        let document = cursor.deserialize_current().map_err(driver)?;
        counters.push(document.get_i64("count").unwrap_or_default());
    }
    crowd.check(&counters, committed)?;
    checks.committed += committed;
    checks.matched += times.len() as u64;
    checks.retries += after.resent - before.resent;
    let zero = doc! { "$set": { "count": 0_i64 } };
    collection.update_many(doc! {}, zero).await.map_err(driver)?;
    let retries = if crowd.transaction { retries } else { conflicts };
    let none = || Error::environment("there is no time to take a percentile of");
    Ok(CrowdSample {
        commits_per_s: times.len() as f64 / took.as_secs_f64(),
        retries: retries as f64 / times.len() as f64,
        p99_us: quantile(&times, 0.99).ok_or_else(none)?,
    })
}

/// One client's share: the times of its increments in microseconds, and how often it had to try
/// again.
async fn increments(
    client: Client,
    collection: Collection<Document>,
    crowd: Crowd,
    number: usize,
) -> Result<(Vec<f64>, u64)> {
    let mut session = client.start_session().await.map_err(driver)?;
    let (mut times, mut retries) = (Vec::new(), 0);
    let filter = doc! { "_id": crowd.document(number) as i64 };
    for _ in 0..COMMITS / crowd.clients {
        let begin = Instant::now();
        let mut tries = 0;
        let modified = loop {
            let answer = match crowd.transaction {
                true => in_transaction(&collection, &filter, &mut session).await,
                false => increment(&collection, &filter, None).await,
            };
            match answer {
                Ok(modified) => break modified,
                Err(e) if crowd.transaction && is_conflict(&e) && tries < TRIES => {
                    // The server has aborted it already; this is for the session.
                    let _ = session.abort_transaction().await;
                    tries += 1;
                }
                Err(e) => return Err(driver(e)),
            }
        };
        times.push(microseconds(begin.elapsed()));
        retries += tries;
        if modified != 1 {
            return Err(Error::environment(format!(
                "an increment changed {modified} documents, and 1 was meant"
            )));
        }
    }
    Ok((times, retries))
}

async fn in_transaction(
    collection: &Collection<Document>,
    filter: &Document,
    session: &mut ClientSession,
) -> Answer<u64> {
    session
        .start_transaction()
        .read_concern(ReadConcern::snapshot())
        .write_concern(WriteConcern::majority())
        .await?;
    let modified = increment(collection, filter, Some(&mut *session)).await?;
    session.commit_transaction().await?;
    Ok(modified)
}

async fn increment(
    collection: &Collection<Document>,
    filter: &Document,
    session: Option<&mut ClientSession>,
) -> Answer<u64> {
    let update = collection.update_one(filter.clone(), doc! { "$inc": { "count": 1_i64 } });
    let result = match session {
        Some(session) => update.session(session).await?,
        None => update.await?,
    };
    Ok(result.modified_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOT: Crowd = Crowd { clients: 4, hot: true, transaction: true };

    #[test]
    fn a_lost_or_strayed_increment_fails_the_check() {
        let disjoint = Crowd { hot: false, ..HOT };
        HOT.check(&[128, 0, 0, 0, 0], 128).unwrap();
        disjoint.check(&[32, 32, 32, 32, 0], 128).unwrap();
        let refused = |crowd: Crowd, counters: &[i64], committed| {
            crowd.check(counters, committed).unwrap_err().to_string()
        };
        assert_eq!(
            refused(HOT, &[127, 0, 0, 0], 128),
            "document 0 counts 127 increments, and 128 were acknowledged"
        );
        assert_eq!(
            refused(HOT, &[128, 0, 1, 0], 128),
            "document 2 counts 1 increments, and 0 were acknowledged"
        );
        assert!(refused(disjoint, &[32, 33, 31, 32], 128).starts_with("document 1 counts 33"));
        let none = "the server counted 0 committed transactions, and 128 were acknowledged";
        assert_eq!(refused(HOT, &[128, 0, 0, 0], 0), none);
        let plain = Crowd { transaction: false, ..HOT };
        plain.check(&[128, 0, 0, 0], 0).unwrap();
        assert!(refused(plain, &[128, 0, 0, 0], 128).starts_with("the server counted 128"));
    }

    #[test]
    fn every_crowd_shares_the_increments_evenly() {
        assert_eq!(Crowd::all().len(), 24);
        assert!(CLIENTS.iter().all(|clients| COMMITS.is_multiple_of(*clients)));
    }
}
