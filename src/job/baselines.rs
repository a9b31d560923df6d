//! The baseline file: read, added to, accepted.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::host;
use crate::judge::baseline::{Document, Session};

/// What a run does to the baseline: MONGATE_UPDATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds its session to the file beside it that ends in `.new`, for `mongate baseline accept`;
    /// under CI nothing. The default.
    Auto,
    /// Adds its session to the baseline itself.
    Always,
    /// Nothing.
    No,
}

impl FromStr for Update {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" | "" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "no" => Ok(Self::No),
            _ => Err(Error::usage(format!(
                "MONGATE_UPDATE: {text:?} is not one of auto, always, no"
            ))),
        }
    }
}

impl Update {
    /// What MONGATE_UPDATE says.
    ///
    /// # Errors
    /// It has another value.
    pub fn current() -> Result<Self> {
        env::var("MONGATE_UPDATE").unwrap_or_default().parse()
    }
}

/// A baseline file and the one with what waits to be accepted.
#[derive(Clone, Debug)]
pub struct Baselines {
    file: PathBuf,
}

impl Baselines {
    /// The file of a configuration; its default one where it names none.
    pub fn of(config: &Config) -> Self {
        let named = config.gate.baseline.clone().unwrap_or_default();
        Self { file: config.root.join(named.file) }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Beside the file: what waits to be accepted.
    pub fn pending_file(&self) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(".new");
        name.into()
    }

    /// The accepted baseline; an empty one where there is no file.
    ///
    /// # Errors
    /// It cannot be read, is corrupt, or a newer mongate wrote it.
    pub fn read(&self) -> Result<Document> {
        Ok(read(&self.file)?.unwrap_or_default())
    }

    /// The sessions that wait to be accepted.
    ///
    /// # Errors
    /// As for [`Baselines::read`].
    pub fn pending(&self) -> Result<Document> {
        Ok(read(&self.pending_file())?.unwrap_or_default())
    }

    /// Adds a session as `update` says; returns the file that it went to. The caller holds the
    /// machine's lock.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn add(&self, session: Session, update: Update) -> Result<Option<PathBuf>> {
        let (file, mut document) = match update {
            Update::No => return Ok(None),
            Update::Auto if under_ci() => return Ok(None),
            Update::Auto => (self.pending_file(), self.pending()?),
            Update::Always => (self.file.clone(), self.read()?),
        };
        document.sessions.push(session);
        write(&file, &document)?;
        Ok(Some(file))
    }

    /// Adds the sessions that wait to the baseline; returns how many.
    ///
    /// # Errors
    /// Nothing waits, or a file cannot be read or written.
    pub fn accept(&self) -> Result<usize> {
        let pending = self.pending_file();
        let waiting = self.pending()?.sessions;
        let count = waiting.len();
        if count == 0 {
            return Err(Error::usage(format!(
                "nothing waits to be accepted in {}",
                pending.display()
            ))
            .help(
                "a run with [gate.baseline] in its configuration leaves a session there, except \
                under CI or with MONGATE_UPDATE=no",
            ));
        }
        let mut document = self.read()?;
        document.sessions.extend(waiting);
        write(&self.file, &document)?;
        fs::remove_file(&pending)
            .map_err(|e| Error::io(format_args!("cannot remove {}", pending.display()), e))?;
        Ok(count)
    }
}

fn under_ci() -> bool {
    env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

fn read(file: &Path) -> Result<Option<Document>> {
    match fs::read_to_string(file) {
        Ok(text) => Document::parse(&text, &file.display().to_string()).map(Some),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(format_args!("cannot read the baseline {}", file.display()), e)),
    }
}

/// Whole or not at all.
fn write(file: &Path, document: &Document) -> Result<()> {
    let failed = |e| Error::io(format_args!("cannot write the baseline {}", file.display()), e);
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    host::write::write(file, document.text().as_bytes()).map_err(failed)
}
