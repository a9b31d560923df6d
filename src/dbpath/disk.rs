//! The place of the dbPath kind `disk`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Env, FileSystem, Ram, inspect};
use crate::error::{Error, Result};

/// The system temporary folder if it is not RAM, else the fallback, which is made.
pub(super) fn find(env: &Env) -> Result<(PathBuf, FileSystem)> {
    let temporary = match not_ram(&env.temporary, env) {
        Ok(found) => return Ok(found),
        Err(why) => why,
    };
    // Made only now: a folder that is not needed must not appear.
    let fallback = match fs::create_dir_all(&env.fallback) {
        Ok(()) => match not_ram(&env.fallback, env) {
            Ok(found) => return Ok(found),
            Err(why) => why,
        },
        Err(e) => format!("{} cannot be made ({e})", env.fallback.display()),
    };
    Err(Error::environment(format!("no folder on a disk: {temporary}; {fallback}"))
        .help("set TMPDIR to a writable folder on a disk"))
}

/// Unknown counts as a disk: the table names the file system, so nobody is misled.
fn not_ram(folder: &Path, env: &Env) -> std::result::Result<(PathBuf, FileSystem), String> {
    let (base, file_system) = inspect(folder, env.hdiutil.as_deref())
        .map_err(|why| format!("{} {why}", folder.display()))?;
    if file_system.ram == Ram::Yes {
        return Err(format!("{} is {file_system}", folder.display()));
    }
    Ok((base, file_system))
}
