//! Files that are there whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that is being written. Nothing is at its path before [`Pending::finish`].
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Pending {
    /// Begins a file in a folder that exists. It gets the permissions of any new file.
    ///
    /// # Errors
    /// The path is a folder, or its folder is missing or cannot be written.
    pub fn at(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let temporary = tempfile::Builder::new()
            // The umask takes what it wants.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes the content and puts the file into its place.
    ///
    /// # Errors
    /// There is no space, or the path cannot be replaced.
    pub fn finish(mut self, content: &[u8]) -> io::Result<()> {
        self.temporary.write_all(content)?;
        self.temporary.persist(&self.path).map_err(|e| e.error)?;
        Ok(())
    }
}

/// Writes a whole file at once.
///
/// # Errors
/// As for [`Pending`].
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    Pending::at(path)?.finish(content)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_whole_or_absent_and_as_readable_as_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let pending = Pending::at(&path).unwrap();
        assert!(!path.exists());
        pending.finish(b"{}").unwrap();
        write(&path, b"[]").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"[]");
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&other));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(Pending::at(folder.path()).is_err());
        assert!(write(&folder.path().join("none/file"), b"").is_err());
    }
}
