//! A mongod binary: which one a label means, where it lies, what it supports, and how to get it.

mod executable;
pub mod install;
pub mod locate;
pub mod version;

use std::env;
use std::path::PathBuf;

pub use executable::Executable;
pub use locate::Binary;

/// Our cache folder: `$XDG_CACHE_HOME/mongate`, else `~/.cache/mongate`, else one below the
/// temporary folder.
pub fn cache_folder() -> PathBuf {
    env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        // The XDG specification says that a relative path is to be ignored.
        .filter(|path| path.is_absolute())
        .or_else(|| env::home_dir().map(|home| home.join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("mongate")
}
