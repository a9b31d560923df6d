//! A server as a case wants it: alone, or as a replica set of one.

use std::time::Instant;

use crate::error::Result;
use crate::launch::command::Launch;
use crate::launch::replica_set::SetStamps;
use crate::launch::running::{Launcher, Running};
use crate::model::Topology;

/// A mongod that is ready for what its topology is for. Dropping it kills the process and waits for
/// its end.
#[derive(Debug)]
pub struct Server {
    /// The mongod.
    pub running: Running,
    /// When its replica set got how far; nothing for a standalone.
    pub set: Option<SetStamps>,
}

impl Server {
    /// When it was ready: the first ping was answered, or the first majority write of a replica set
    /// was acknowledged.
    pub fn ready(&self) -> Instant {
        match self.set {
            Some(set) => set.majority_write,
            None => self.running.stamps.ready,
        }
    }
}

impl Launcher {
    /// Starts a server of this topology and waits until it is ready; `resumes` says that its dbPath
    /// holds what such a server left.
    ///
    /// # Errors
    /// As for [`Launcher::start`] and [`Launcher::start_replica_set`].
    pub fn serve(&self, launch: &Launch, topology: Topology, resumes: bool) -> Result<Server> {
        let set = match (topology, resumes) {
            (Topology::Standalone, _) => {
                return Ok(Server { running: self.start(launch)?, set: None });
            }
            (Topology::ReplicaSet, false) => self.start_replica_set(launch)?,
            (Topology::ReplicaSet, true) => self.resume_replica_set(launch)?,
        };
        Ok(Server { running: set.member, set: Some(set.stamps) })
    }
}
