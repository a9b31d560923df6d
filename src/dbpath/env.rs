//! What the choice of a place depends on.

use std::env;
use std::path::{Path, PathBuf};

/// What the choice of a place depends on, taken from the environment once, so that tests need not
/// change it.
#[derive(Clone, Debug)]
pub struct Env {
    /// MONGATE_RAMDISK, absolute: the folder to use as RAM disk, and no other. `None` where it is
    /// unset or empty.
    pub ramdisk: Option<PathBuf>,
    /// Whether this is a CI job: the variable CI is there, and neither empty nor `false` nor `0`.
    pub ci: bool,
    /// The operating system, as in [`std::env::consts::OS`].
    pub os: &'static str,
    /// The user's runtime folder, RAM on a systemd Linux: $XDG_RUNTIME_DIR, else `/run/user/<uid>`.
    /// `None` on other systems.
    pub runtime: Option<PathBuf>,
    /// The system temporary folder.
    pub temporary: PathBuf,
    /// The folder for `disk` where the system temporary folder is RAM; made when it is needed.
    pub fallback: PathBuf,
    /// What `hdiutil info -plist` printed, on macOS: the only way to tell a RAM disk there. `None`
    /// where it was not asked.
    pub hdiutil: Option<Vec<u8>>,
}

impl Env {
    /// The environment of this process. `target` becomes [`Env::fallback`]; on macOS the caller
    /// fills in [`Env::hdiutil`].
    pub fn current(target: &Path) -> Self {
        Self {
            ramdisk: folder("MONGATE_RAMDISK"),
            ci: env::var_os("CI").is_some_and(|v| !(v.is_empty() || v == "false" || v == "0")),
            os: env::consts::OS,
            runtime: cfg!(target_os = "linux").then(|| {
                let uid = rustix::process::getuid().as_raw();
                folder("XDG_RUNTIME_DIR").unwrap_or_else(|| format!("/run/user/{uid}").into())
            }),
            temporary: absolute(&env::temp_dir()),
            fallback: absolute(target),
            hdiutil: None,
        }
    }
}

fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(|value| absolute(Path::new(&value)))
}

/// mongod and the sweep of a later run need a path that does not depend on the current folder.
fn absolute(path: &Path) -> PathBuf {
    // It fails for an empty path, or where there is no current folder: then the path as it is gives
    // the better message.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
