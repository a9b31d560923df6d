//! Asks a binary what it is and what it can do, once: the answers are kept, by the file's path, size, modification time and hash.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::dbpath::DataFolder;
use crate::error::{Error, Result};
use crate::launch::{Executable, Launch, Launcher};
use crate::mongod::version::{self, Version};

/// The answers so far.
#[derive(Debug)]
pub struct Probes {
    file: PathBuf,
    answers: Vec<Answer>,
}

/// What one binary answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Answer {
    path: PathBuf,
    size: u64,
    modified_ns: i128,
    sha256: String,
    version: Version,
    /// By engine: nothing where it starts, mongod's own reason where it does not know the engine.
    engines: BTreeMap<String, Option<String>>,
}

impl Probes {
    /// Reads the answers kept in `folder`. A missing or unreadable file is an empty one: every answer can be asked again.
    pub fn open(folder: &Path) -> Self {
        let file = folder.join("probes.json");
        let answers = fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self { file, answers }
    }

    /// The version that this file is known to have; starts nothing.
    pub fn known_version(&self, path: &Path) -> Option<&Version> {
        self.find(path).map(|answer| &answer.version)
    }

    /// Whether this file is known to start with an engine, or not to and why; starts nothing.
    pub fn known_engine(&self, path: &Path, engine: &str) -> Option<std::result::Result<(), &str>> {
        let answer = self.find(path)?.engines.get(engine)?;
        Some(match answer {
            None => Ok(()),
            Some(reason) => Err(reason),
        })
    }

    /// The version that the binary says it is.
    ///
    /// # Errors
    /// It cannot be read, or does not run here.
    pub fn version(&mut self, executable: &Executable) -> Result<Version> {
        if let Some(version) = self.known_version(&executable.path) {
            return Ok(version.clone());
        }
        let path = &executable.path;
        let (size, modified_ns) = stamp(path).map_err(|e| unreadable(path, e))?;
        let sha256 = hash(path).map_err(|e| unreadable(path, e))?;
        // The same bytes under a new name or date, as after a copy or a restored CI cache, need not be asked again.
        let twin = self.answers.iter().find(|answer| answer.sha256 == sha256);
        let (version, engines) = match twin {
            Some(twin) => (twin.version.clone(), twin.engines.clone()),
            None => (version::ask(executable)?, BTreeMap::new()),
        };
        self.answers.retain(|answer| answer.path != *path);
        self.answers.push(Answer {
            path: path.clone(),
            size,
            modified_ns,
            sha256,
            version: version.clone(),
            engines,
        });
        self.save();
        Ok(version)
    }

    /// Whether the binary starts with an engine: nothing, or mongod's own reason why it does not know it. `base` is a folder for its data.
    ///
    /// # Errors
    /// It does not start for another reason.
    pub fn engine(
        &mut self,
        executable: &Executable,
        engine: &str,
        base: &Path,
    ) -> Result<std::result::Result<(), String>> {
        self.version(executable)?;
        if let Some(known) = self.known_engine(&executable.path, engine) {
            return Ok(known.map_err(str::to_owned));
        }
        let folder = DataFolder::new(base)?;
        let launch = Launch {
            executable: executable.clone(),
            engine: engine.to_owned(),
            db_path: folder.db(),
            arguments: Vec::new(),
            delay: None,
            timeout: Duration::from_secs(60),
        };
        let answer = match Launcher::new()?.start(&launch) {
            Ok(running) => {
                running.stop()?;
                None
            }
            Err(error) => match refusal(&error.to_string()) {
                Some(reason) => Some(reason),
                None => return Err(error),
            },
        };
        let stored = self.answers.iter_mut().find(|a| a.path == executable.path);
        if let Some(stored) = stored {
            stored.engines.insert(engine.to_owned(), answer.clone());
            self.save();
        }
        Ok(answer.map_or(Ok(()), Err))
    }

    fn find(&self, path: &Path) -> Option<&Answer> {
        let (size, modified_ns) = stamp(path).ok()?;
        self.answers
            .iter()
            .find(|a| a.path == path && a.size == size && a.modified_ns == modified_ns)
    }

    /// Keeps the answers. Not being able to is no failure: they are asked again next time.
    fn save(&self) {
        let write = || -> io::Result<()> {
            let folder = self.file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(serde_json::to_string_pretty(&self.answers)?.as_bytes())?;
            file.persist(&self.file)?;
            Ok(())
        };
        let _ = write();
    }
}

/// mongod's sentence on an engine that it does not know.
fn refusal(message: &str) -> Option<String> {
    const SENTENCE: &str = "Cannot start server with an unknown storage engine";
    let rest = &message[message.find(SENTENCE)?..];
    let end = rest.find(['"', '\n']).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches(", terminating").to_owned())
}

fn stamp(path: &Path) -> io::Result<(u64, i128)> {
    let meta = fs::metadata(path)?;
    let modified = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    Ok((meta.size(), modified))
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 1 << 20];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            length => hasher.update(&chunk[..length]),
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

fn unreadable(path: &Path, e: io::Error) -> Error {
    Error::io(format_args!("cannot read the mongod {}", path.display()), e)
}
