//! One measuring session at a time on a machine: two would measure each other.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::host::guard;

/// Held while a session measures; the kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of this machine, and waits for it where another session has it; calls
    /// `waiting` once before it waits.
    ///
    /// # Errors
    /// The lock file cannot be used, or a signal asked for the end.
    pub fn take(waiting: impl FnOnce(&Path)) -> Result<Self> {
        Self::take_at(&path(), waiting)
    }

    /// As [`Lock::take`], with a lock file of one's own.
    ///
    /// # Errors
    /// As for [`Lock::take`].
    pub fn take_at(path: &Path, waiting: impl FnOnce(&Path)) -> Result<Self> {
        let unusable = |e| {
            Error::io(format_args!("cannot use the lock file {}", path.display()), e)
                .help("remove it, or make it readable and writable for every user")
        };
        let file = open(path).map_err(unusable)?;
        let mut waiting = Some(waiting);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(e)) => return Err(unusable(e)),
                Err(TryLockError::WouldBlock) => {}
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

/// The same for every user of the machine, whatever their TMPDIR.
fn path() -> PathBuf {
    Path::new("/tmp").join("mongate.lock")
}

fn open(path: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(no_follow);
    match options.open(path) {
        // Without `create`: in a sticky folder Linux refuses that for another user's existing file.
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let file = options.write(true).create(true).mode(0o666).open(path)?;
            // The umask took bits away; every user must be able to open it.
            let _ = fs::set_permissions(path, Permissions::from_mode(0o666));
            Ok(file)
        }
        other => other,
    }
}
