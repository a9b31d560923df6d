//! Where results are kept.

use std::env;
use std::path::PathBuf;

/// The folder that MONGATE_RESULTS names for a run.
pub fn results_folder() -> Option<PathBuf> {
    env::var_os("MONGATE_RESULTS").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder for build products, in which results are kept: CARGO_TARGET_DIR, else `target` beside
/// the nearest Cargo.lock in this folder or above it, else `target` here.
pub fn target_folder() -> PathBuf {
    if let Some(folder) = env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty()) {
        return folder.into();
    }
    let here = env::current_dir().unwrap_or_else(|_| ".".into());
    let workspace = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    workspace.unwrap_or(&here).join("target")
}
