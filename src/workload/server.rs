//! What a server counts by itself: the other side of every check.

use std::ops::Sub;
use std::time::Duration;

use mongodb::bson::{Bson, Document, Timestamp, doc};
use mongodb::options::{ClientOptions, ReadConcern};
use mongodb::{Client, Collection, Database};

use crate::error::{Error, Result};
use crate::launch;
use crate::workload::driver;

/// How long the driver looks for the primary, which is there from the start, before it says that it is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// For a client of the member on `port`: as of a member of its set, and not of a lone server, which may not be what the driver gives a session to.
pub(super) fn options(port: u16) -> ClientOptions {
    let mut options = launch::options(port, PATIENCE);
    options.direct_connection = Some(false);
    options
}

/// What serverStatus has counted, since the server's start or, as a difference, since another reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// Transactions committed.
    pub committed: u64,
    /// Transactions aborted.
    pub aborted: u64,
    /// Commands that the driver sent again.
    pub resent: u64,
    /// Writes that met another one's on the same document; outside of transactions the server tries these again itself.
    pub conflicts: u64,
    /// Times that the journal was synced.
    pub syncs: u64,
    /// How long that took together, in microseconds.
    pub sync_us: u64,
}

impl Counters {
    /// Reads them.
    pub async fn read(database: &Database) -> Result<Self> {
        let command = doc! { "serverStatus": 1 };
        let status = database.run_command(command).await.map_err(driver)?;
        let count = |path: &[&str]| {
            let (key, folders) = path.split_last()?;
            let mut folders = folders.iter();
            count_in(
                folders.try_fold(&status, |at, name| at.get_document(name).ok())?,
                key,
            )
        };
        let counted = |path: &[&str]| {
            count(path).ok_or_else(|| {
                let path = path.join(".");
                Error::environment(format!(
                    "serverStatus has no {path}, without which nothing shows what was done"
                ))
            })
        };
        Ok(Self {
            committed: counted(&["transactions", "totalCommitted"])?,
            aborted: counted(&["transactions", "totalAborted"])?,
            resent: counted(&["transactions", "retriedCommandsCount"])?,
            conflicts: counted(&["metrics", "operation", "writeConflicts"])?,
            syncs: counted(&["wiredTiger", "log", "log sync operations"])?,
            sync_us: counted(&["wiredTiger", "log", "log sync time duration (usecs)"])?,
        })
    }
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            committed: self.committed - before.committed,
            aborted: self.aborted - before.aborted,
            resent: self.resent - before.resent,
            conflicts: self.conflicts - before.conflicts,
            syncs: self.syncs - before.syncs,
            sync_us: self.sync_us - before.sync_us,
        }
    }
}

/// A count in an answer, of whichever width; nothing where there is none.
pub(super) fn count_in(answer: &Document, key: &str) -> Option<u64> {
    match answer.get(key)? {
        Bson::Int32(count) => Some(u64::from(count.unsigned_abs())),
        Bson::Int64(count) => Some(count.unsigned_abs()),
        _ => None,
    }
}

/// The oplog, by which members of a set would follow this one.
pub(super) struct Oplog(Collection<Document>);

impl Oplog {
    pub fn of(client: &Client) -> Self {
        Self(client.database("local").collection("oplog.rs"))
    }

    /// The time of its last entry.
    pub async fn end(&self) -> Result<Timestamp> {
        let last = self.0.find_one(doc! {}).sort(doc! { "$natural": -1 });
        let last = last.await.map_err(driver)?;
        let time = last.and_then(|entry| entry.get_timestamp("ts").ok());
        time.ok_or_else(|| Error::environment("the oplog has no last entry with a time"))
    }

    /// How many entries came after `since`, but for those that the server writes every ten seconds when it is idle.
    pub async fn entries_since(&self, since: Timestamp) -> Result<u64> {
        let idle = doc! { "$ne": "periodic noop" };
        let filter = doc! { "ts": { "$gt": since }, "o.msg": idle };
        let count = self.0.count_documents(filter);
        count
            .read_concern(ReadConcern::local())
            .await
            .map_err(driver)
    }
}
