//! Templates: a dbPath that a mongod has filled and left in order, of which every launch gets a
//! copy.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::dbpath::DataFolder;
use crate::dbpath::space::MB;
use crate::error::{Error, Result};
use crate::launch::{Launch, Launcher, Server};
use crate::model::Topology;

/// The largest journal that a template may have, in bytes. mongod reads all of it when it opens, so
/// that a start on the default journal of 100 MB takes two to three times as long as one on an
/// empty dbPath, and one on a journal of 1 MB a little less.
const LARGEST_JOURNAL: u64 = 10 * MB;

/// A dbPath to be copied, with the replica set in it, where it has one.
#[derive(Debug)]
pub struct Template {
    folder: DataFolder,
    topology: Topology,
}

impl Template {
    /// Starts a server of this topology on a fresh folder in `base`, waits until it is ready and
    /// shuts it down. Of `launch` the dbPath does not count.
    ///
    /// # Errors
    /// It did not start or end as it should; or its journal is so large that launches on it would
    /// be slower than on an empty dbPath.
    pub fn prepare(
        launcher: &Launcher,
        launch: &Launch,
        topology: Topology,
        base: &Path,
    ) -> Result<Self> {
        let folder = DataFolder::new(base)?;
        let launch = Launch { db_path: folder.db(), delay: None, ..launch.clone() };
        let server = launcher.serve(&launch, topology, false)?;
        folder.record_child(server.running.id())?;
        server.running.shut_down(launch.timeout)?;
        let failed = |e| Error::io("cannot look into the dbPath of a template", e);
        remove_diagnostics(&folder.db()).map_err(failed)?;
        let journal = journal_bytes(&folder.db()).map_err(failed)?;
        if journal > LARGEST_JOURNAL {
            return Err(Error::environment(format!(
                "a template with a journal of {} MB starts slower than an empty dbPath, since \
                    mongod reads all of the journal when it opens",
                journal / MB
            ))
            .help(
                "add `--wiredTigerEngineConfigString`, `log=(prealloc=false,file_max=1MB)` to \
                the arguments of the variant",
            ));
        }
        Ok(Self { folder, topology })
    }

    /// Copies it into a fresh folder.
    ///
    /// # Errors
    /// A file cannot be read or written, for want of space for example.
    pub fn copy_to(&self, folder: &DataFolder) -> Result<()> {
        folder.fill_from(&self.folder)
    }

    /// Starts a server on a copy, which must be the dbPath of `launch`.
    ///
    /// # Errors
    /// As for [`Launcher::serve`].
    pub fn serve(&self, launcher: &Launcher, launch: &Launch) -> Result<Server> {
        launcher.serve(launch, self.topology, true)
    }
}

/// What a mongod recorded of itself means nothing to the next one.
fn remove_diagnostics(db: &Path) -> io::Result<()> {
    match fs::remove_dir_all(db.join("diagnostic.data")) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// What mongod will read of the journal: the lengths of its files, allocated or not; 0 where there
/// is none.
fn journal_bytes(db: &Path) -> io::Result<u64> {
    let files = match fs::read_dir(db.join("journal")) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(0),
        files => files?,
    };
    let lengths = files.map(|file| Ok(file?.metadata()?.len()));
    lengths.sum()
}
