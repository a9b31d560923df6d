//! The data folder of one mongod.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::process::{self, Process};
use crate::error::{Error, Result};

/// The name of a data folder is this, the pid of its owner, `-` and random letters and digits.
pub(super) const PREFIX: &str = "mongate-";

/// The file in a data folder that says whose it is.
const OWNER: &str = "owner";

/// What the file `owner` holds, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    #[serde(flatten)]
    pub process: Process,
    /// The pid namespace in which the pids here mean something: a container may share a folder with
    /// its host.
    #[serde(default)]
    pub pid_namespace: Option<String>,
    /// The mongod that uses the folder.
    #[serde(default)]
    pub mongod: Option<Process>,
}

impl Owner {
    /// What is recorded in `folder`; `None` where nothing is, or nothing that can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(OWNER)).ok()?).ok()
    }

    /// Written beside and renamed, so that a sweep never reads half of it.
    fn write(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join("owner.new");
        fs::write(&new, serde_json::to_vec(self)?)?;
        fs::rename(new, folder.join(OWNER))
    }
}

/// A fresh folder for one mongod, `mongate-<pid>-<random>` with mode 0700, which is removed when
/// this value is dropped.
///
/// `db/` in it is for mongod; a file `owner` beside it lets [`sweep()`](super::sweep()) remove the
/// folder if this process is killed. Drop it after the mongod has ended.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    owner: Owner,
}

impl DataFolder {
    /// Makes a fresh folder in `base`, which must exist.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn new(base: &Path) -> Result<Self> {
        Self::make(base).map_err(|e| {
            Error::io(format_args!("cannot make a data folder in {}", base.display()), e)
                .help("the folder must exist, be writable and have free space")
        })
    }

    fn make(base: &Path) -> io::Result<Self> {
        let pid = std::process::id();
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{pid}-"))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(base)?;
        let owner =
            Owner { process: Process::now(pid), pid_namespace: process::namespace(), mongod: None };
        owner.write(folder.path())?;
        DirBuilder::new().mode(0o700).create(folder.path().join("db"))?;
        // Removed by us from here on, since tempfile tries only once.
        let path = folder.keep();
        Ok(Self { path, owner })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder in it for mongod's `--dbpath`.
    pub fn db(&self) -> PathBuf {
        self.path.join("db")
    }

    /// Records the mongod that uses the folder, so that a later sweep ends it if this process
    /// cannot. Call it after each start.
    ///
    /// # Errors
    /// The file `owner` cannot be written, for want of space for example.
    pub fn record_child(&self, pid: u32) -> Result<()> {
        let owner = Owner { mongod: Some(Process::now(pid)), ..self.owner.clone() };
        owner.write(&self.path).map_err(|e| {
            let file = self.path.join(OWNER);
            Error::io(format_args!("cannot write {}", file.display()), e)
        })
    }

    /// Copies all that another folder holds for its mongod, which must have ended. Where the file
    /// system can share blocks between files (Btrfs, XFS, APFS), it does: `fs::copy` asks it to.
    ///
    /// # Errors
    /// A file cannot be read or written: the message says which.
    pub fn fill_from(&self, other: &Self) -> Result<()> {
        copy(&other.db(), &self.db())
    }

    /// What mongod's files take on the disk or in RAM, in bytes: allocated blocks, so that a sparse
    /// file counts as what it holds.
    ///
    /// # Errors
    /// A folder cannot be read. What mongod removes meanwhile is no error.
    pub fn size_bytes(&self) -> io::Result<u64> {
        allocated(&self.db())
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next sweep.
        let _ = remove(&self.path);
    }
}

/// Removes a folder with all that is in it, trying for about a second: a process that is just
/// ending may still add a file, and another sweep may remove one before us.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    for _ in 0..100 {
        match fs::remove_dir_all(folder) {
            Err(e) if e.kind() == ErrorKind::NotFound && !fs::exists(folder)? => return Ok(()),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {}
            done => return done,
        }
        thread::sleep(Duration::from_millis(10));
    }
    fs::remove_dir_all(folder)
}

/// Copies what is in a folder into another one, which exists.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let failed = |path: &Path, e| Error::io(format_args!("cannot copy {}", path.display()), e);
    for entry in fs::read_dir(from).map_err(|e| failed(from, e))? {
        let path = entry.map_err(|e| failed(from, e))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            fs::create_dir(&target).map_err(|e| failed(&path, e))?;
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|e| failed(&path, e))?;
        }
    }
    Ok(())
}

fn allocated(path: &Path) -> io::Result<u64> {
    let gone = |e: io::Error| (e.kind() != ErrorKind::NotFound).then_some(e);
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(e) => return gone(e).map_or(Ok(0), Err),
    };
    // st_blocks counts 512 bytes whatever the block size.
    let mut bytes = metadata.blocks() * 512;
    if metadata.is_dir() {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(e) => return gone(e).map_or(Ok(bytes), Err),
        };
        for entry in entries {
            bytes += allocated(&entry?.path())?;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn it_is_fresh_and_private_and_goes_with_its_value() {
        let base = tempfile::tempdir().unwrap();
        let two = [(); 2].map(|()| DataFolder::new(base.path()).unwrap());
        assert_ne!(two[0].path(), two[1].path());
        for folder in &two {
            let name = folder.path().file_name().unwrap().to_str().unwrap();
            let prefix = format!("mongate-{}-", std::process::id());
            let random = name.strip_prefix(&prefix).unwrap();
            assert!(random.len() >= 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()));
            assert_eq!((mode(folder.path()), mode(&folder.db())), (0o700, 0o700));
            assert_eq!(fs::read_dir(folder.db()).unwrap().count(), 0);
        }
        // One that somebody else removed is no trouble.
        fs::remove_dir_all(two[0].path()).unwrap();
        assert_eq!(two[0].size_bytes().unwrap(), 0);
        drop(two);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn its_size_is_what_is_allocated() {
        let shm = Path::new("/dev/shm");
        let base = tempfile::tempdir_in(shm).or_else(|_| tempfile::tempdir());
        let base = base.unwrap();
        let folder = DataFolder::new(base.path()).unwrap();
        fs::create_dir(folder.db().join("journal")).unwrap();
        let sparse = fs::File::create(folder.db().join("journal/sparse")).unwrap();
        sparse.set_len(100 << 20).unwrap();
        let data = fs::File::create(folder.db().join("data")).unwrap();
        fs::write(folder.db().join("data"), vec![7; 1 << 20]).unwrap();
        // A disk allocates late.
        data.sync_all().unwrap();
        let size = folder.size_bytes().unwrap();
        assert!((1 << 19..50 << 20).contains(&size), "{size}");
    }

    #[test]
    fn its_owner_file_names_both_processes() {
        let base = tempfile::tempdir().unwrap();
        let folder = DataFolder::new(base.path()).unwrap();
        let owner = Owner::read(folder.path()).unwrap();
        assert!(owner.process.pid == std::process::id() && owner.process.is_alive());
        assert_eq!(owner.mongod, None);
        folder.record_child(999_999_999).unwrap();
        let with_child = Owner::read(folder.path()).unwrap();
        assert_eq!(with_child.process, owner.process);
        assert_eq!(with_child.mongod.unwrap().pid, 999_999_999);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn without_a_base_the_error_says_where() {
        let error = DataFolder::new(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.to_string().contains("data folder in /nowhere/at/all"));
    }
}
