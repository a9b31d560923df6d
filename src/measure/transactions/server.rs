//! What the server itself counts: transactions, syncs of its journal, entries of its oplog.

use std::time::Duration;

use mongodb::bson::{Bson, Document, Timestamp, doc};
use mongodb::options::{ClientOptions, Hint};
use mongodb::{Client, Database};
use tokio::time::sleep;

use crate::error::{Error, Result};
use crate::launch;
use crate::measure::transactions::driver;

/// How long the driver looks for the primary, which is there from the start, before it says that it
/// is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the oplog is read again when entries are missing: they may become visible a moment
/// later.
const READS: u32 = 100;

/// Entries beyond the expected ones that a count would still see.
const SLACK: u64 = 1_000;

/// Client options that treat the member as part of a replica set; the driver refuses sessions to a
/// standalone.
pub(super) fn options(port: u16) -> ClientOptions {
    let mut options = launch::options(port, PATIENCE);
    options.direct_connection = Some(false);
    options
}

/// The server's counters at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    /// Transactions committed.
    pub committed: u64,
    /// Transactions aborted.
    pub aborted: u64,
    /// Commands that the driver sent again.
    pub resent: u64,
    /// Syncs of wiredTiger's log.
    pub syncs: u64,
    /// How long they took, in microseconds.
    pub sync_us: u64,
    /// The newest entry of the oplog; nothing where there is none, as on a server that is no member
    /// of a set.
    at: Option<Timestamp>,
}

/// Entries of the oplog, by what made them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Documents that were inserted, updated or deleted outside a transaction.
    pub writes: u64,
    /// Transactions that wrote: one entry for all that they wrote.
    pub transactions: u64,
    /// No-ops that an operation wrote to have something to wait for; the server's own periodic ones
    /// are left out.
    pub noops: u64,
}

impl Entries {
    /// Those of writes, in a transaction or not.
    pub fn total(&self) -> u64 {
        self.writes + self.transactions
    }

    /// Whether `found` are these, no-ops aside.
    ///
    /// # Errors
    /// They are not.
    pub fn check(&self, found: &Self) -> Result<()> {
        if (found.writes, found.transactions) == (self.writes, self.transactions) {
            return Ok(());
        }
        let words = |e: &Self| {
            format!("{} entries of writes and {} of transactions", e.writes, e.transactions)
        };
        Err(Error::environment(format!(
            "the oplog has {}, and {} were meant",
            words(found),
            words(self)
        )))
    }
}

impl Counters {
    /// Reads them.
    ///
    /// # Errors
    /// The server refused, or does not count one of them.
    pub async fn read(database: &Database) -> Result<Self> {
        // Sections that nobody reads here take most of the time.
        let status = database
            .run_command(doc! {
                "serverStatus": 1, "metrics": 0, "locks": 0, "tcmalloc": 0, "repl": 0, "sharding": 0, "opLatencies": 0, "mirroredReads": 0,
                "flowControl": 0, "electionMetrics": 0, "security": 0, "transportSecurity": 0, "network": 0, "extra_info": 0,
            })
            .await
            .map_err(driver)?;
        let count = |path: &[&str]| number(&status, path).ok_or_else(|| missing(&path.join(".")));
        Ok(Self {
            committed: count(&["transactions", "totalCommitted"])?,
            aborted: count(&["transactions", "totalAborted"])?,
            resent: count(&["transactions", "retriedCommandsCount"])?,
            syncs: count(&["wiredTiger", "log", "log sync operations"])?,
            sync_us: count(&["wiredTiger", "log", "log sync time duration (usecs)"])?,
            at: status.get_timestamp("operationTime").ok(),
        })
    }

    /// Counts the entries of the oplog from this moment to `end`, where `expected` ones should be.
    ///
    /// # Errors
    /// The server refused.
    pub async fn entries_until(
        &self,
        end: &Self,
        client: &Client,
        expected: u64,
    ) -> Result<Entries> {
        let (Some(after), Some(until)) = (self.at, end.at) else {
            return Err(missing("operationTime"));
        };
        let mut entries = Entries::default();
        for read in 0..READS {
            entries = count(client, after, until, expected + SLACK).await?;
            if entries.total() >= expected {
                break;
            }
            sleep(Duration::from_millis(u64::from(read))).await;
        }
        Ok(entries)
    }
}

/// How many writes have met another one on the same document; outside of transactions the server
/// tries these again itself.
pub(super) async fn write_conflicts(database: &Database) -> Result<u64> {
    let command = doc! { "serverStatus": 1 };
    let status = database.run_command(command).await.map_err(driver)?;
    let path = ["metrics", "operation", "writeConflicts"];
    number(&status, &path).ok_or_else(|| missing(&path.join(".")))
}

/// From the newest entry back, and only as far as needed: the oplog has no index, and 4.2 would
/// read all of it for a range.
async fn count(client: &Client, after: Timestamp, until: Timestamp, most: u64) -> Result<Entries> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let groups = [
        doc! { "$limit": most },
        doc! { "$match": { "ts": { "$gt": after, "$lte": until } } },
        doc! { "$group": {
            "_id": { "op": "$op", "ns": "$ns", "of": { "$type": "$o.applyOps" }, "msg": "$o.msg" },
            "n": { "$sum": 1 },
        } },
    ];
    let oplog = client.database("local").collection::<Document>("oplog.rs");
    let backwards = Hint::Keys(doc! { "$natural": -1 });
    let mut cursor = oplog.aggregate(groups).hint(backwards).await.map_err(driver)?;
    let mut entries = Entries::default();
    while cursor.advance().await.map_err(driver)? {
        let group = cursor.deserialize_current().map_err(driver)?;
        let n = number(&group, &["n"]).unwrap_or(0);
        let Ok(id) = group.get_document("_id") else {
            continue;
        };
        let text = |key| id.get_str(key).unwrap_or_default();
        match text("op") {
            "n" if text("msg") != "periodic noop" => entries.noops += n,
            "c" if text("of") == "array" => entries.transactions += n,
            "i" | "u" | "d" if text("ns").starts_with("mongate.") => entries.writes += n,
            _ => {}
        }
    }
    Ok(entries)
}

/// A number in an answer, of whichever type; nothing where there is none.
pub(super) fn number(document: &Document, path: &[&str]) -> Option<u64> {
    let (last, parents) = path.split_last()?;
    let parent =
        parents.iter().try_fold(document, |document, key| document.get_document(key).ok())?;
    match parent.get(last)? {
        Bson::Int64(count) => u64::try_from(*count).ok(),
        Bson::Int32(count) => u64::try_from(*count).ok(),
        // Some counters are sums that 4.2 sends as floating point.
        Bson::Double(count) => Some(*count as u64),
        _ => None,
    }
}

fn missing(what: &str) -> Error {
    Error::environment(format!(
        "serverStatus has no {what}, without which nothing shows what the server did"
    ))
}
