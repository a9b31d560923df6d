//! Where data goes: which folder is on a disk, which is in RAM, whether there is room, and a fresh
//! folder for each mongod.
//!
//! A folder is classified by its file system, never by its name: `/mnt/ramdisk` may be an ordinary
//! folder on a disk, and `/tmp` is RAM on many systems. [`choose`] finds the [`Place`] of one
//! dbPath kind, [`space::require`] says before a launch whether mongod fits in, [`DataFolder`] is
//! what one mongod gets, and [`sweep()`] removes what a killed mongate left behind. Nothing here
//! spawns a process: what `hdiutil` says on macOS comes in through [`Env`].

mod disk;
mod env;
mod filesystem;
mod folder;
pub mod fsync;
#[cfg(any(target_os = "macos", test))]
mod hdiutil;
#[cfg(any(target_os = "linux", test))]
mod linux;
#[cfg(any(target_os = "linux", test))]
mod mountinfo;
mod process;
mod ramdisk;
pub mod space;
mod sweep;
#[cfg(test)]
mod tests;

pub use env::Env;
pub use filesystem::{FileSystem, Ram, classify};
pub use folder::DataFolder;
pub use sweep::{Swept, sweep};

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::model::DbPathKind;

/// Where the data folders of one dbPath kind are made.
#[derive(Clone, Debug)]
pub struct Place {
    /// The dbPath kind that this place was chosen for.
    pub kind: DbPathKind,
    /// The folder in which data folders are made: absolute, without symbolic links, writable.
    pub base: PathBuf,
    /// The file system that `base` lies on.
    pub file_system: FileSystem,
    /// Median of a 4 KiB write with its sync there, in microseconds (see [`fsync`]); `None` where
    /// the probe failed.
    pub fsync_us: Option<f64>,
}

/// Finds where data folders of `kind` are made on this machine, and measures the sync latency
/// there.
///
/// `disk`: the system temporary folder, or [`Env::fallback`] where that is RAM. `ramdisk`:
/// [`Env::ramdisk`] alone if it is set, else the first of the usual places that is RAM and
/// writable. Free space is not looked at: see [`space::require`].
///
/// # Errors
/// No folder fits. The message is the reason for a table: each folder that was tried, why not that
/// one, and what to do.
pub fn choose(kind: DbPathKind, env: &Env) -> Result<Place> {
    let (base, file_system) = match kind {
        DbPathKind::Disk => disk::find(env)?,
        DbPathKind::Ramdisk => ramdisk::find(env)?,
    };
    let fsync_us = fsync::median_us(&base).ok();
    Ok(Place { kind, base, file_system, fsync_us })
}

/// The real path and the file system of a folder that can be written to; the error says what is
/// wrong with it in a few words.
fn inspect(
    folder: &Path,
    hdiutil: Option<&[u8]>,
) -> std::result::Result<(PathBuf, FileSystem), String> {
    use std::io::ErrorKind;

    let base = folder.canonicalize().map_err(|e| match e.kind() {
        ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be reached ({e})"),
    })?;
    if !base.is_dir() {
        return Err("is not a folder".to_owned());
    }
    let file_system = classify(&base, hdiutil)
        .map_err(|e| format!("has a file system that cannot be read ({e})"))?;
    // Only an attempt tells: permission bits know nothing of read-only mounts and ACLs.
    tempfile::tempfile_in(&base)
        .map_err(|e| format!("is {file_system}, but is not writable ({})", e.kind()))?;
    Ok((base, file_system))
}
