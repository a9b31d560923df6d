//! Locks on open files: who holds one owns what the file stands for.
//!
//! All of them are `flock` locks. The kernel gives one back when the process ends, however it ends,
//! and a child does not inherit it. Where a file system has no such locks, nobody can show that a
//! file is free, so nothing there is ever taken for abandoned.

use std::env;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::error::{Error, Result};
use crate::host::guard;

/// A lock that this process holds, until the value is dropped.
#[derive(Debug)]
pub struct Held {
    file: File,
}

impl Held {
    /// Takes the lock of a file that is there; `None` where somebody else holds it.
    ///
    /// # Errors
    /// The file is missing, is a link or not a regular file, or its file system has no locks.
    pub fn try_take(path: &Path) -> io::Result<Option<Self>> {
        let file = open(OpenOptions::new().read(true), path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }

    /// What the file holds. It is read from the open file, so that nothing can take its place
    /// between the lock and the look.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn content(&self) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        (&self.file).read_to_end(&mut content)?;
        Ok(content)
    }

    /// Makes a file with this content, of which this process holds the lock from the moment that it
    /// has its name. Where the file system has no locks, nobody ever takes it for abandoned.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path, content: &[u8]) -> io::Result<Self> {
        let new = path.with_extension("new");
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        let _ = file.lock();
        file.write_all(content)?;
        fs::rename(new, path)?;
        Ok(Self { file })
    }

    /// Takes the lock of a file that every user may lock, and makes the file where it is missing.
    /// Waits while somebody else holds it; calls `waiting` once before it waits.
    ///
    /// # Errors
    /// The file cannot be used, or a signal asked for the end.
    pub fn wait(path: &Path, waiting: impl FnOnce(&Path)) -> Result<Self> {
        let unusable = |e| {
            Error::io(format_args!("cannot use the lock file {}", path.display()), e)
                .help("remove it, or name another one with MONGATE_LOCK")
        };
        let mut waiting = Some(waiting);
        loop {
            let taken = match Self::try_take(path) {
                Err(e) if e.kind() == ErrorKind::NotFound => {
                    make(path).map_err(unusable)?;
                    continue;
                }
                taken => taken.map_err(unusable)?,
            };
            if let Some(held) = taken {
                return Ok(held);
            }
            if let Some(say) = waiting.take() {
                say(path);
            }
            if guard::interrupted() {
                return Err(Error::interrupted());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether somebody holds the lock of this file. A file that is missing is not held.
pub fn is_held(path: &Path) -> bool {
    match Held::try_take(path) {
        Ok(taken) => taken.is_none(),
        Err(e) => e.kind() != ErrorKind::NotFound,
    }
}

/// The lock file of this machine: one session measures at a time, since two would measure each
/// other. `MONGATE_LOCK` names another one. The default is the same for every user, whatever their
/// TMPDIR; where `/tmp` is missing or read-only, it lies in the temporary folder.
pub fn of_machine() -> PathBuf {
    let named = env::var_os("MONGATE_LOCK").filter(|path| !path.is_empty());
    let usual = || PathBuf::from("/tmp/mongate.lock");
    named.map_or_else(|| or_temporary(usual()), PathBuf::from)
}

/// This lock file, where it is there or can be made; else its namesake in the temporary folder.
fn or_temporary(usual: PathBuf) -> PathBuf {
    match (make(&usual), usual.file_name()) {
        (Err(_), Some(name)) => env::temp_dir().join(name),
        _ => usual,
    }
}

/// Opens a regular file. It follows no link, and a FIFO does not make it wait.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits() as i32).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// Makes a lock file that every user can open. It is opened for reading afterwards: in a sticky
/// folder Linux refuses `create` for another user's existing file.
fn make(path: &Path) -> io::Result<()> {
    match open(OpenOptions::new().write(true).create_new(true).mode(0o666), path) {
        // The umask took bits away.
        Ok(_) => fs::set_permissions(path, Permissions::from_mode(0o666)),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn one_at_a_time_and_the_next_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        assert!(!is_held(&file), "it is not there yet");
        let held = Held::wait(&file, |_| panic!("nobody holds it")).unwrap();
        assert!(Held::try_take(&file).unwrap().is_none() && is_held(&file));
        let waited = Cell::new(false);
        thread::scope(|scope| {
            let other = scope.spawn(|| Held::wait(&file, |_| ()).map(|_| ()));
            thread::sleep(Duration::from_millis(30));
            waited.set(!other.is_finished());
            drop(held);
            other.join().unwrap().unwrap();
        });
        assert!(waited.get() && !is_held(&file));
    }

    #[test]
    fn a_lock_file_that_cannot_be_made_gives_way_and_one_that_is_there_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        for _ in 0..2 {
            assert_eq!(or_temporary(file.clone()), file);
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o666, "for every user");
        }
        let other = or_temporary("/nowhere/at/all/lock".into());
        assert_eq!(other, env::temp_dir().join("lock"));
    }

    #[test]
    fn a_link_a_folder_and_a_fifo_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("target"), "").unwrap();
        symlink(at("target"), at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        assert!(Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        for name in ["link", "folder", "fifo"] {
            let error = Held::wait(&at(name), |_| panic!("it waits")).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("MONGATE_LOCK"), "{error}");
            assert!(is_held(&at(name)), "nothing shows that {name} is free");
        }
        assert!(Held::wait(Path::new("/nowhere/at/all"), |_| ()).is_err());
    }
}
