//! Saved runs: found, read and brought together.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::host::lock::Held;
use crate::measure::write_whole;
use crate::model::results;
use crate::model::results::{Results, SCHEMA};

/// What a session's results are called in its folder.
const FILE: &str = "results.json";

/// How far below a folder the parts of a run may lie: shards, runs, test binaries, cases.
const DEPTH: usize = 4;

/// The places that `names` mean: files, folders, run ids below `<target>/mongate`, or the beginning
/// of one; no name means the last run there.
///
/// # Errors
/// There is no such run, or several begin so.
pub fn find(target: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let runs = target.join("mongate");
    if names.is_empty() {
        let last = saved(&runs).pop().ok_or_else(|| {
            Error::usage(format!("there is no run in {}", runs.display())).help(
                "`mongate run` and `mongate test` make one; or name a results.json or its folder",
            )
        })?;
        return Ok(vec![last]);
    }
    names.iter().map(|name| find_one(target, name)).collect()
}

/// The place that a name means, as for [`find`].
///
/// # Errors
/// There is no such run, or several begin so.
pub fn find_one(target: &Path, name: &str) -> Result<PathBuf> {
    let runs = target.join("mongate");
    let own = runs.join(name);
    let places = [PathBuf::from(name), own];
    if let Some(place) = places.into_iter().find(|path| path.exists()) {
        return Ok(place);
    }
    let saved = saved(&runs);
    let id = |run: &PathBuf| -> String {
        let name = run.file_name().unwrap_or(OsStr::new(""));
        name.to_string_lossy().into_owned()
    };
    let mut meant: Vec<&PathBuf> = saved.iter().filter(|run| id(run).starts_with(name)).collect();
    if let (Some(run), true) = (meant.pop(), meant.is_empty()) {
        return Ok(run.clone());
    }
    let several = if saved.iter().any(|run| id(run).starts_with(name)) {
        "several runs begin with"
    } else {
        "no file, folder or run is called"
    };
    let last: Vec<String> = saved.iter().rev().take(3).map(id).collect();
    let help = match last.as_slice() {
        [] => format!("there is no run in {}", runs.display()),
        last => format!("the last runs in {} are {}", runs.display(), last.join(", ")),
    };
    Err(Error::usage(format!("{several} {name:?}")).help(help))
}

/// The runs that have results, the last one last.
fn saved(runs: &Path) -> Vec<PathBuf> {
    let mut saved: Vec<(SystemTime, PathBuf)> = folders(runs)
        .into_iter()
        .filter_map(|run| {
            let changed = |file: &PathBuf| file.metadata().ok()?.modified().ok();
            let last = files(&run, DEPTH).iter().filter_map(changed).max()?;
            Some((last, run))
        })
        .collect();
    saved.sort();
    saved.into_iter().map(|(_, run)| run).collect()
}

impl Results {
    /// Reads what a run kept: a `results.json`, or a folder in which several lie, which become one.
    ///
    /// ```no_run
    /// let results = mongate::Results::read("target/mongate/20261207T101500Z-4711".as_ref())?;
    /// assert!(results.startup.iter().all(|case| !case.verdict.fails));
    /// # Ok::<(), mongate::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are no results, or they are damaged or of another schema than "mongate/1".
    pub fn read(place: &Path) -> Result<Self> {
        read(place)
    }
}

/// Reads a results.json, or what lies in a folder: the sessions of its sub-folders brought
/// together, else its own results.json.
///
/// # Errors
/// There are no results, they are corrupt, or of a schema that this release does not know.
pub fn read(place: &Path) -> Result<Results> {
    if !place.is_dir() {
        return read_file(place);
    }
    let all: Result<Vec<Results>> = files(place, DEPTH).iter().map(|f| read_file(f)).collect();
    results::merge(all?).ok_or_else(|| {
        Error::usage(format!("there is no {FILE} in {}", place.display())).help(
            "a run that was killed before its first session ended leaves only samples.jsonl; \
                measure again",
        )
    })
}

/// Brings the sessions in the sub-folders of a run together in its own results.json. Several
/// processes may do so at once.
///
/// # Errors
/// A part cannot be read, or the file cannot be written.
pub fn gather(run: &Path) -> Result<()> {
    // Who reads last writes last, so that no part is lost.
    let _lock = Held::wait(&run.join("lock"), |_| ())?;
    let results = read(run)?;
    write_whole(&run.join(FILE), &results)
}

fn read_file(file: &Path) -> Result<Results> {
    #[derive(Deserialize)]
    struct Header {
        schema: String,
    }
    let text = fs::read_to_string(file)
        .map_err(|e| Error::usage(format!("cannot read the results {}: {e}", file.display())))?;
    let corrupt = |e: serde_json::Error| {
        Error::usage(format!("{} holds no results of mongate: {e}", file.display()))
            .help("name a results.json, or the folder of a run")
    };
    let header: Header = serde_json::from_str(&text).map_err(corrupt)?;
    if header.schema != SCHEMA {
        return Err(Error::usage(format!(
            "{} has schema {:?}, and this mongate reads {SCHEMA:?}",
            file.display(),
            header.schema
        ))
        .help("read it with the release of mongate that wrote it"));
    }
    serde_json::from_str(&text).map_err(corrupt)
}

/// The results of sessions: those in sub-folders, else the folder's own, which is made from them
/// where there are some.
fn files(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let below: Vec<PathBuf> = match depth {
        0 => Vec::new(),
        _ => folders(folder).iter().flat_map(|below| files(below, depth - 1)).collect(),
    };
    let own = folder.join(FILE);
    if below.is_empty() && own.is_file() {
        return vec![own];
    }
    below
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
