//! A replica set of one member: the least that transactions run on.

use std::fmt::Display;
use std::time::{Duration, Instant};

use mongodb::Client;
use mongodb::bson::{Document, doc};
use mongodb::error::ErrorKind;
use mongodb::options::WriteConcern;
use tokio::time::{sleep, timeout};

use crate::error::{Error, Result};
use crate::launch::command::Launch;
use crate::launch::ready;
use crate::launch::running::{Launcher, Running};

/// The set's name.
const NAME: &str = "mongate";

/// When a replica set got how far, on the clock of [`Stamps`](super::Stamps).
#[derive(Clone, Copy, Debug)]
pub struct SetStamps {
    /// Right before the set's configuration was sent: in replSetInitiate, or in replSetReconfig
    /// where the dbPath holds an older one.
    pub initiate: Instant,
    /// The member said that it is the primary.
    pub primary: Instant,
    /// The first write with w:majority was acknowledged.
    pub majority_write: Instant,
}

/// A replica set that takes majority writes. Dropping it kills its member and waits for its end.
#[derive(Debug)]
pub struct ReplicaSet {
    /// The only member.
    pub member: Running,
    /// When it got how far.
    pub stamps: SetStamps,
}

impl Launcher {
    /// Starts a mongod with `--replSet`, initiates it under the port that it printed, and waits for
    /// the first acknowledged majority write.
    ///
    /// # Errors
    /// As for [`Launcher::start`]; or the mongod refused, ended or took longer than the launch's
    /// timeout. The process is gone then.
    pub fn start_replica_set(&self, launch: &Launch) -> Result<ReplicaSet> {
        self.become_set(launch, |config| doc! { "replSetInitiate": config })
    }

    /// As [`Launcher::start_replica_set`], on a dbPath that holds such a set, whose member listened
    /// on another port. It gets its new configuration by force, since there is no primary that
    /// could be asked for it. To keep the old port instead is not measurably faster, and fails
    /// where another process has taken the port meanwhile.
    ///
    /// # Errors
    /// As for [`Launcher::start_replica_set`].
    pub fn resume_replica_set(&self, launch: &Launch) -> Result<ReplicaSet> {
        self.become_set(launch, |mut config| {
            config.extend(doc! { "version": 2, "protocolVersion": 1 });
            doc! { "replSetReconfig": config, "force": true }
        })
    }

    /// `configure` is the command that gives the member its configuration.
    fn become_set(
        &self,
        launch: &Launch,
        configure: fn(Document) -> Document,
    ) -> Result<ReplicaSet> {
        let mut launch = launch.clone();
        launch.arguments.extend(["--replSet", NAME].map(str::to_owned));
        let mut member = self.start(&launch)?;
        let left = launch.timeout.saturating_sub(member.stamps.spawn.elapsed());
        let failed = |why: &dyn Display| {
            let path = launch.executable.path.display();
            Error::environment(format!(
                "{path} started, but became no replica set with {}: {why}",
                launch.engine
            ))
        };
        let late = format!("no majority write after {:?}", launch.timeout);
        let became = self.runtime.block_on(async {
            tokio::select! {
                became = timeout(left, take_writes(member.port, left, configure)) => became
                    .map_err(|_| failed(&late))?
                    .map_err(|e| failed(&e)),
                () = self.halted() => Err(failed(&"another server that was started with it had \
                    failed")),
            }
        });
        match became {
            Ok(stamps) => Ok(ReplicaSet { member, stamps }),
            Err(error) => Err(member.explain(error)),
        }
    }
}

/// The member answers, but has not yet loaded the configuration that its dbPath holds:
/// NotYetInitialized, which a busy machine shows.
fn is_loading(error: &mongodb::error::Error) -> bool {
    matches!(&*error.kind, ErrorKind::Command(refused) if refused.code == 94)
}

/// Gives the member its configuration, and waits until it is the primary and acknowledges a
/// majority write.
async fn take_writes(
    port: u16,
    limit: Duration,
    configure: fn(Document) -> Document,
) -> std::result::Result<SetStamps, mongodb::error::Error> {
    let host = format!("127.0.0.1:{port}");
    let config = doc! { "_id": NAME, "members": [{ "_id": 0, "host": host }] };
    let initiate = Instant::now();
    let early = loop {
        let client = Client::with_options(ready::options(port, limit))?;
        let command = configure(config.clone());
        match client.database("admin").run_command(command).await {
            Ok(_) => break client,
            Err(error) if ready::is_cut(&error) || is_loading(&error) => {
                sleep(Duration::from_millis(1)).await
            }
            Err(error) => return Err(error),
        }
    };
    let admin = early.database("admin");
    let is_primary = |answer: &Document| answer.get_bool("ismaster").unwrap_or(false);
    while !is_primary(&admin.run_command(doc! { "isMaster": 1 }).await?) {
        sleep(Duration::from_millis(1)).await;
    }
    let primary = Instant::now();
    // The early client keeps its view of a server that is no member of anything.
    let fresh = Client::with_options(ready::options(port, limit))?;
    fresh
        .database("mongate")
        .collection::<Document>("ready")
        .insert_one(doc! {})
        .write_concern(WriteConcern::majority())
        .await?;
    let majority_write = Instant::now();
    early.shutdown().immediate(true).await;
    fresh.shutdown().immediate(true).await;
    Ok(SetStamps { initiate, primary, majority_write })
}
