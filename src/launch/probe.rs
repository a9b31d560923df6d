//! Asks a binary what it is and what it can do, once: the answers are kept, by the file's path,
//! size, modification time and hash.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::dbpath::DataFolder;
use crate::error::{Error, ErrorKind, Result};
use crate::host::write::write;
use crate::launch::{Launch, Launcher};
use crate::model::Version;
use crate::model::{Engine, Topology};
use crate::mongod::Executable;
use crate::mongod::version;

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
    /// The same by topology, engine and arguments.
    #[serde(default)]
    setups: BTreeMap<String, Option<String>>,
}

/// What a server is started with besides its binary.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The storage engine.
    pub engine: Engine,
    /// What the server is part of.
    pub topology: Topology,
    /// The extra arguments.
    pub arguments: &'a [String],
}

impl Setup<'_> {
    /// Only its engine can be refused.
    fn is_plain(&self) -> bool {
        self.topology == Topology::Standalone && self.arguments.is_empty()
    }

    fn key(&self) -> String {
        let words = [self.topology.as_str(), self.engine.as_str()];
        let arguments = self.arguments.iter().map(String::as_str);
        let words: Vec<&str> = words.into_iter().chain(arguments).collect();
        words.join(" ")
    }
}

/// How long a server may take that is only asked whether it starts.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a replica set may take until it acknowledges a majority write: on some engines it never
/// does, and the answer is kept.
const SET_PATIENCE: Duration = Duration::from_secs(20);

impl Probes {
    /// Reads the answers kept in `folder`. A missing or unreadable file is an empty one: every
    /// answer can be asked again.
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

    /// As [`Probes::known_engine`], for all that a server is started with.
    pub fn known_setup(
        &self,
        path: &Path,
        setup: &Setup<'_>,
    ) -> Option<std::result::Result<(), &str>> {
        let engine = self.known_engine(path, setup.engine.as_str())?;
        if setup.is_plain() || engine.is_err() {
            return Some(engine);
        }
        let answer = self.find(path)?.setups.get(&setup.key())?;
        Some(answer.as_deref().map_or(Ok(()), Err))
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
        // The same bytes under a new name or date, as after a copy or a restored CI cache, need not
        // be asked again.
        let twin = self.answers.iter().find(|answer| answer.sha256 == sha256);
        let answer = match twin {
            Some(twin) => Answer { path: path.clone(), size, modified_ns, ..twin.clone() },
            None => Answer {
                path: path.clone(),
                size,
                modified_ns,
                sha256,
                version: version::ask(executable)?,
                engines: BTreeMap::new(),
                setups: BTreeMap::new(),
            },
        };
        let version = answer.version.clone();
        self.answers.retain(|answer| answer.path != *path);
        self.answers.push(answer);
        self.save();
        Ok(version)
    }

    /// Whether the binary starts with an engine: nothing, or mongod's own reason why it does not
    /// know it. `base` is a folder for its data.
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
        let setup =
            Setup { engine: engine.parse()?, topology: Topology::Standalone, arguments: &[] };
        let answer = match try_out(executable, &setup, base) {
            Ok(()) => None,
            Err(error) => match refusal(&error.to_string()) {
                Some(reason) => Some(reason),
                None => return Err(error),
            },
        };
        self.keep(&executable.path, |stored| {
            stored.engines.insert(engine.to_owned(), answer.clone());
        });
        Ok(answer.map_or(Ok(()), Err))
    }

    /// Whether the binary starts with all of this: nothing, or a sentence with its version and what
    /// it said and did instead. `base` is a folder for its data.
    ///
    /// What it starts without, it refuses: that is tried, too, so that want of space, say, is not
    /// taken for a refusal.
    ///
    /// # Errors
    /// It does not start without the arguments and as a standalone, either.
    pub fn setup(
        &mut self,
        executable: &Executable,
        setup: &Setup<'_>,
        base: &Path,
    ) -> Result<std::result::Result<(), String>> {
        let version = self.version(executable)?;
        let engine = self.engine(executable, setup.engine.as_str(), base)?;
        if setup.is_plain() || engine.is_err() {
            return Ok(engine.map_err(|why| format!("mongod {version}: {why}")));
        }
        let with_version = |why: &str| format!("mongod {version} {why}");
        if let Some(known) = self.known_setup(&executable.path, setup) {
            return Ok(known.map_err(with_version));
        }
        let answer = match try_out(executable, setup, base) {
            Ok(()) => None,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                let plain = Setup { topology: Topology::Standalone, arguments: &[], ..*setup };
                try_out(executable, &plain, base)?;
                Some(without_path(&error.to_string(), &executable.path))
            }
        };
        self.keep(&executable.path, |stored| {
            stored.setups.insert(setup.key(), answer.clone());
        });
        Ok(answer.map_or(Ok(()), |why| Err(with_version(&why))))
    }

    /// Keeps an answer of the binary at `path`.
    fn keep(&mut self, path: &Path, change: impl FnOnce(&mut Answer)) {
        if let Some(stored) = self.answers.iter_mut().find(|a| a.path == path) {
            change(stored);
            self.save();
        }
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
            fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
            write(&self.file, &serde_json::to_vec_pretty(&self.answers)?)
        };
        let _ = write();
    }
}

/// Starts a server once and ends it.
fn try_out(executable: &Executable, setup: &Setup<'_>, base: &Path) -> Result<()> {
    let folder = DataFolder::new(base)?;
    let launch = Launch {
        executable: executable.clone(),
        engine: setup.engine.to_string(),
        db_path: folder.db(),
        arguments: setup.arguments.to_vec(),
        delay: None,
        timeout: match setup.topology {
            Topology::Standalone => PATIENCE,
            Topology::ReplicaSet => SET_PATIENCE,
        },
    };
    let server = Launcher::new()?.serve(&launch, setup.topology, false)?;
    server.running.stop()
}

/// A message that begins with the path of the binary, without it: the answer is for the same bytes
/// elsewhere, too.
fn without_path(message: &str, path: &Path) -> String {
    let rest = message.strip_prefix(&path.display().to_string());
    rest.unwrap_or(message).trim_start().to_owned()
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
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn unreadable(path: &Path, e: io::Error) -> Error {
    Error::io(format_args!("cannot read the mongod {}", path.display()), e)
}
