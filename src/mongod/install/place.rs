//! Builds a version's folder out of sight and moves it into the cache in one step.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use tempfile::TempDir;

use super::{Installed, Step, Tried};
use crate::error::{Error, Result};
use crate::host::guard;
use crate::host::lock::Held;
use crate::model::Label;
use crate::mongod::Executable;
use crate::mongod::version;

/// What the name of a temporary folder in the cache starts with.
const PREFIX: &str = ".fetch-";

/// The marker in a temporary folder, locked for as long as the folder is in use.
const LOCK: &str = "lock";

/// What the marker holds; mongate 0.1.0 left it empty.
const MARKER: &[u8] = b"mongate";

/// A temporary folder inside the cache, on the file system of the destination; removed when
/// dropped.
pub(super) struct Staging {
    folder: TempDir,
    _held: Held,
}

impl Staging {
    pub(super) fn new(cache: &Path) -> Result<Self> {
        let failed =
            |e| Error::io(format_args!("cannot write into the cache {}", cache.display()), e);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(cache).map_err(failed)?;
        let held = Held::create(&folder.path().join(LOCK), MARKER).map_err(failed)?;
        for name in ["tree/bin", "files", "tmp"] {
            fs::create_dir_all(folder.path().join(name)).map_err(failed)?;
        }
        Ok(Self { folder, _held: held })
    }

    /// Where the file becomes part of the version's folder: "bin/mongod".
    pub(super) fn tree(&self, name: &str) -> PathBuf {
        self.folder.path().join("tree").join(name)
    }

    /// Downloaded files.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    /// The temporary folder of helper programs.
    pub(super) fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Asks the binary for its version and moves its folder into the cache under that name.
    ///
    /// Another installation may have been faster: then its folder is used, and this one is dropped.
    pub(super) fn place(self, cache: &Path, label: &Label) -> Result<Tried> {
        let executable = Executable::new(self.tree("bin/mongod"));
        let version = match ask(&executable) {
            Ok(version) => version,
            Err(_) if guard::interrupted() => return Err(Error::interrupted()),
            Err(error) => return Ok(Tried::Unfit(does_not_run(&executable, &error))),
        };
        if !label.accepts(&version) {
            return Ok(Tried::Unfit(format!("is {version}, which is no {label}")));
        }
        let destination = cache.join(version.to_string());
        let renamed = fs::rename(self.tree(""), &destination);
        match (renamed, executable_in(&destination)) {
            (_, Some(executable)) => {
                Ok(Tried::Placed(Installed { version, executable, fetched: true }))
            }
            (Err(e), None) => {
                Err(Error::io(format_args!("cannot put mongod into {}", destination.display()), e)
                    .help("remove that folder: it holds no usable bin/mongod"))
            }
            (Ok(()), None) => Err(Error::environment(format!(
                "{} was removed while it was installed",
                destination.display()
            ))),
        }
    }
}

/// The binary in a version's folder of the cache, when there is one that may be executed.
pub(super) fn executable_in(folder: &Path) -> Option<Executable> {
    let path = folder.join("bin/mongod");
    let metadata = fs::metadata(&path).ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
        .then(|| Executable::new(path))
}

/// Asks for the version, again while somebody has the file open for writing: a child that another
/// thread is starting right now holds our descriptors until its `exec`, and until then ours is
/// refused.
fn ask(executable: &Executable) -> Result<crate::model::Version> {
    let busy = format!("(os error {})", Errno::TXTBSY.raw_os_error());
    for _ in 0..200 {
        match version::ask(executable) {
            Err(error) if error.to_string().contains(&busy) => {
                thread::sleep(Duration::from_millis(10));
            }
            answer => return answer,
        }
    }
    version::ask(executable)
}

/// The reason why a binary is of no use, on one line, without its temporary path and the general
/// advice.
fn does_not_run(executable: &Executable, error: &Error) -> String {
    let text = error.to_string();
    let text = text.replace(&executable.path.display().to_string(), "mongod");
    let what = text.split("\n  help:").next().unwrap_or_default();
    let lines: Vec<&str> = what.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("does not run here: {}", lines.join("; "))
}

/// Writes a file: `mode` is its permissions, and each of the bytes read is told to `step`.
///
/// The file is on the disk when this returns: a crash of the machine leaves no half a file under a
/// version's name, and no write-back disturbs what is measured next.
pub(super) fn write_file(
    mut from: impl Read,
    path: &Path,
    mode: u32,
    step: Option<&Step<'_>>,
) -> Result<()> {
    let failed = |e: io::Error| Error::io(format_args!("cannot write {}", path.display()), e);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map_err(failed)?;
    // The mode above is subject to the umask; a cache that others share stays readable.
    file.set_permissions(fs::Permissions::from_mode(mode)).map_err(failed)?;
    copy(&mut from, &mut file, step, failed, failed)?;
    file.sync_all().map_err(failed)
}

/// Copies to the end, unless a signal asks for the end before.
pub(super) fn copy(
    from: &mut impl Read,
    to: &mut impl Write,
    step: Option<&Step<'_>>,
    read_failed: impl Fn(io::Error) -> Error,
    write_failed: impl Fn(io::Error) -> Error,
) -> Result<u64> {
    let mut buffer = vec![0; 256 * 1024];
    let mut done = 0;
    loop {
        if guard::interrupted() {
            return Err(Error::interrupted());
        }
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(done),
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(read_failed(e)),
        };
        to.write_all(&buffer[..read]).map_err(&write_failed)?;
        done += read as u64;
        if let Some(step) = step {
            step.advance(done);
        }
    }
}

/// Removes the staging folders that an installation left when it was killed: they bear our marker,
/// and nobody holds its lock.
pub(super) fn sweep(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let is_staging = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // Of the link itself, if it is one.
        if is_staging
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && let Ok(Some(marker)) = Held::try_take(&entry.path().join(LOCK))
            && marker.content().is_ok_and(|content| content.is_empty() || content == MARKER)
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_an_abandoned_staging_folder_with_our_marker_is_swept() {
        let cache = tempfile::tempdir().unwrap();
        let at = |name: &str| cache.path().join(name);
        let make = |name: &str, marker: &[u8]| {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join(LOCK), marker).unwrap();
        };
        let used = Staging::new(cache.path()).unwrap();
        make(".fetch-ours", b"mongate");
        // 0.1.0 left the file empty.
        make(".fetch-4242-older", b"");
        make(".fetch-foreign", b"of another program");
        make("elsewhere", b"mongate");
        symlink(at("elsewhere"), at(".fetch-link")).unwrap();
        sweep(cache.path());
        for name in [".fetch-ours", ".fetch-4242-older"] {
            assert!(!at(name).exists(), "{name} is left");
        }
        for name in [".fetch-foreign", ".fetch-link", "elsewhere/lock"] {
            assert!(at(name).symlink_metadata().is_ok(), "{name} is gone");
        }
        assert!(used.tmp().exists());
    }
}
