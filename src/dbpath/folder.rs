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
use crate::host::lock::Held;
use crate::host::write::write;

/// What the name of every data folder begins with.
pub(super) const PREFIX: &str = "mongate-";

/// The marker in a data folder. Whoever holds its lock owns the folder.
pub(super) const OWNER: &str = "owner";

/// The file beside it that names the mongod which uses the folder.
pub(super) const MONGOD: &str = "mongod";

/// The content of the marker: who made the folder, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    #[serde(flatten)]
    pub process: Process,
    #[serde(default)]
    pub pid_namespace: Option<String>,
    /// Missing in the marker of mongate 0.1.0, which held no lock.
    #[serde(default)]
    pub boot_id: Option<String>,
    /// 0.1.0 named the mongod here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mongod: Option<Process>,
}

impl Owner {
    fn here() -> Self {
        Self {
            process: Process::now(std::process::id()),
            pid_namespace: process::namespace(),
            boot_id: process::boot_id(),
            mongod: None,
        }
    }

    /// Whether a pid in the folder means a process of this system, as this process sees it.
    pub fn shares_our_pids(&self) -> bool {
        let here = Self::here();
        let same = |own: &Option<String>, other| own.is_none() || *own == other;
        same(&self.pid_namespace, here.pid_namespace) && same(&self.boot_id, here.boot_id)
    }
}

/// A fresh folder for one mongod, for this user alone; removed with its content when the value is
/// dropped.
///
/// `db/` in it is for mongod. The file `owner` beside it is locked as long as the value lives, so
/// that [`sweep()`](super::sweep()) can tell a folder in use from one that a killed mongate left.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    _owned: Held,
}

impl DataFolder {
    /// Makes `mongate-<pid>-<random>` in `base`, with mode 0700.
    ///
    /// # Errors
    /// `base` does not exist, is not writable, or has no space.
    pub fn new(base: &Path) -> Result<Self> {
        Self::make(base).map_err(|e| {
            Error::io(format_args!("cannot make a data folder in {}", base.display()), e)
                .help("the folder must exist, be writable and have free space")
        })
    }

    fn make(base: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(base)?;
        let owner = serde_json::to_vec(&Owner::here())?;
        let owned = Held::create(&folder.path().join(OWNER), &owner)?;
        DirBuilder::new().mode(0o700).create(folder.path().join("db"))?;
        // Removed by us from here on, since tempfile tries only once.
        Ok(Self { path: folder.keep(), _owned: owned })
    }

    /// The folder itself.
    #[cfg(test)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The dbPath.
    pub fn db(&self) -> PathBuf {
        self.path.join("db")
    }

    /// Records the mongod that uses the folder, so that a later sweep ends it if this process
    /// cannot.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record_child(&self, pid: u32) -> Result<()> {
        let file = self.path.join(MONGOD);
        let child = serde_json::to_vec(&Process::now(pid)).unwrap_or_default();
        write(&file, &child)
            .map_err(|e| Error::io(format_args!("cannot write {}", file.display()), e))
    }

    /// Copies the dbPath of another folder into this one's.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn fill_from(&self, other: &Self) -> Result<()> {
        copy(&other.db(), &self.db())
    }

    /// The bytes that the dbPath takes on its file system.
    ///
    /// # Errors
    /// The dbPath cannot be read.
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
        match remove_once(folder) {
            Err(e) if e.kind() == ErrorKind::NotFound && !fs::exists(folder)? => return Ok(()),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {}
            done => return done,
        }
        thread::sleep(Duration::from_millis(10));
    }
    remove_once(folder)
}

/// The marker goes last: a folder that a kill leaves half removed is still known to be ours.
fn remove_once(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder.join("db")) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => fs::remove_dir_all(folder),
    }
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
    fn the_marker_stays_until_the_data_is_gone() {
        let base = tempfile::tempdir().unwrap();
        let folder = DataFolder::new(base.path()).unwrap();
        // What cannot be removed as a folder.
        fs::remove_dir(folder.db()).unwrap();
        fs::write(folder.db(), "").unwrap();
        assert!(remove(folder.path()).is_err());
        assert!(folder.path().join(OWNER).exists());
    }

    #[test]
    fn its_marker_is_held_and_its_mongod_is_named() {
        let base = tempfile::tempdir().unwrap();
        let folder = DataFolder::new(base.path()).unwrap();
        let marker = folder.path().join(OWNER);
        let owner: Owner = serde_json::from_slice(&fs::read(&marker).unwrap()).unwrap();
        assert!(owner.process.pid == std::process::id() && owner.shares_our_pids());
        assert!(crate::host::lock::is_held(&marker));
        folder.record_child(999_999_999).unwrap();
        let child: Process =
            serde_json::from_slice(&fs::read(folder.path().join(MONGOD)).unwrap()).unwrap();
        assert_eq!(child.pid, 999_999_999);
        let (path, marker) = (folder.path().to_owned(), fs::File::open(marker).unwrap());
        drop(folder);
        assert!(!path.exists() && marker.try_lock().is_ok());
    }

    #[test]
    fn without_a_base_the_error_says_where() {
        let error = DataFolder::new(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.to_string().contains("data folder in /nowhere/at/all"));
    }
}
