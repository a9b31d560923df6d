//! Finds the binary that a label means, among those that are already on this machine.
//!
//! In this order: the path under `[mongod.path]`, the variable `MONGATE_MONGOD_<LABEL>`, our cache,
//! mongodb-memory-server's caches, PATH.

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config;
use crate::config::Source;
use crate::model::{Label, Version};
use crate::mongod::Executable;
use crate::mongod::install;

/// A mongod on this machine.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The file, and the libraries that it needs.
    pub executable: Executable,
    /// What it says it is.
    pub version: Version,
}

/// A file that may be what a label means.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The file.
    pub path: PathBuf,
    /// The user named this file for this label: another version in it is an error, not a reason to
    /// look further.
    pub named: Option<String>,
}

/// The files that may be what `label` means, best first; starts nothing. `cache` is the folder of
/// our own binaries.
pub fn candidates(label: &Label, config: &config::Mongod, cache: &Path) -> Vec<Candidate> {
    let mut found = Vec::new();
    if config.sources.contains(&Source::Path) {
        if let Some(path) = config.path.get(label) {
            found.push(named(path.clone(), "[mongod.path]".to_owned()));
        }
        let variable = label.variable();
        if let Some(path) = env::var_os(&variable).filter(|value| !value.is_empty()) {
            found.push(named(path.into(), variable));
        }
    }
    if label.numbers().is_none() {
        // Any mongod would answer to a name.
        return found;
    }
    let mut unnamed = Vec::new();
    if config.sources.contains(&Source::Cache) {
        let ours = install::all_cached(label, cache);
        unnamed.extend(ours.map(|installed| installed.executable.path));
        unnamed.extend(memory_server_folders().iter().flat_map(|folder| mongods_in(folder)));
    }
    if config.sources.contains(&Source::Path) {
        let folders = env::var_os("PATH").unwrap_or_default();
        unnamed.extend(env::split_paths(&folders).map(|folder| folder.join("mongod")));
    }
    let unnamed = unnamed.into_iter().filter(|path| path.is_file());
    found.extend(unnamed.map(|path| Candidate { path, named: None }));
    found
}

fn named(path: PathBuf, by: String) -> Candidate {
    Candidate {
        // A bare file name would be looked for in PATH when it is started.
        path: std::path::absolute(&path).unwrap_or(path),
        named: Some(by),
    }
}

/// Where mongodb-memory-server keeps its binaries: the folder that the user set, the project's, the
/// user's.
fn memory_server_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    folders.extend(env::var_os("MONGOMS_DOWNLOAD_DIR").map(PathBuf::from));
    if let Ok(here) = env::current_dir() {
        folders.extend(
            here.ancestors().map(|folder| folder.join("node_modules/.cache/mongodb-memory-server")),
        );
    }
    folders.extend(env::home_dir().map(|home| home.join(".cache/mongodb-binaries")));
    folders
}

/// The files named `mongod` or `mongod-...` in a folder, newest first by the version that such a
/// name ends with.
fn mongods_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            // Beside the binaries lie lock files and archives.
            name.starts_with("mongod") && !name.ends_with(".lock") && !name.ends_with(".tgz")
        })
        .collect();
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        Version::parse(name.rsplit('-').next()?).ok()
    };
    files.sort_by_key(|path| Reverse((version(path), path.clone())));
    files
}
