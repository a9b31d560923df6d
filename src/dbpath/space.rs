//! Free space. mongod starts even where there is none (a failed preallocation leaves a sparse log)
//! and aborts later, so it is asked first.

use std::io;
use std::path::Path;

use crate::error::{Error, Result};

/// One MB in this module: 1,048,576 bytes, as `size=` of a tmpfs and `file_max` of WiredTiger
/// count.
pub const MB: u64 = 1 << 20;

/// What one mongod with wiredTiger takes without data, in bytes: three preallocated journal files
/// of 100 MB and about 8 MB of tables, measured as 301 to 307 MB. Add twice the data that is
/// expected.
pub const WIRED_TIGER: u64 = 310 * MB;

/// What one mongod with ephemeralForTest takes in its dbPath, in bytes: measured as 1 to 2 MB, its
/// data being in its own memory.
pub const EPHEMERAL_FOR_TEST: u64 = 10 * MB;

/// Bytes that an unprivileged user can still write to the file system of `path`. A quota may allow
/// less.
///
/// # Errors
/// The path does not exist, or the kernel refuses to say.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Checks that `needed` bytes are free on the file system of `path`.
///
/// # Errors
/// There is less: the message says how much, how many mongod fit, and what to do. Or the free space
/// cannot be read.
pub fn require(path: &Path, needed: u64) -> Result<()> {
    let free = free_bytes(path).map_err(|e| {
        Error::io(format_args!("cannot read the free space of {}", path.display()), e)
    })?;
    enough(path, free, needed)
}

fn enough(path: &Path, free: u64, needed: u64) -> Result<()> {
    if free >= needed {
        return Ok(());
    }
    // Rounded away from each other, or 309.9 MB of 310 MB would read as enough.
    let (free_mb, needed_mb) = (free / MB, needed.div_ceil(MB));
    Err(Error::environment(format!(
        "not enough space in {}: {free_mb} MB free, {needed_mb} MB needed; {} mongod with \
            wiredTiger of {} MB fit there",
        path.display(),
        free / WIRED_TIGER,
        WIRED_TIGER / MB,
    ))
    .help(
        "free some space or start fewer at once. For a larger RAM disk, run `ramdisk/linux.sh create \
            2048` or `ramdisk/macos.sh create 2048` of mongate's repository, or name a folder with \
            MONGATE_RAMDISK; in Docker use --shm-size=2g. For a smaller mongod, pass \
            log=(prealloc=false,file_max=1MB) in --wiredTigerEngineConfigString",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_how_much_and_how_many() {
        let docker = enough(Path::new("/dev/shm"), 64 * MB, WIRED_TIGER).unwrap_err();
        let message = docker.to_string();
        assert!(
            message.starts_with(
                "not enough space in /dev/shm: 64 MB free, 310 MB needed; 0 mongod with wiredTiger \
                    of 310 MB fit there\n  help: "
            ),
            "{message}"
        );
        let several = enough(Path::new("/r"), 1024 * MB, 8 * WIRED_TIGER).unwrap_err();
        assert!(several.to_string().contains("; 3 mongod"));
    }

    #[test]
    fn just_enough_is_enough_and_one_byte_less_is_not() {
        assert!(enough(Path::new("/r"), WIRED_TIGER, WIRED_TIGER).is_ok());
        let short = enough(Path::new("/r"), WIRED_TIGER - 1, WIRED_TIGER).unwrap_err();
        assert!(short.to_string().contains("309 MB free, 310 MB needed"));
    }

    #[test]
    fn space_is_asked_before_a_start() {
        let folder = tempfile::tempdir().unwrap();
        let free = free_bytes(folder.path()).unwrap();
        assert!(free > 0);
        require(folder.path(), 1).unwrap();
        let error = require(folder.path(), u64::MAX).unwrap_err().to_string();
        assert!(error.contains("MB free") && error.contains("help:"), "{error}");
        let gone = require(&folder.path().join("gone"), 1).unwrap_err();
        assert!(gone.to_string().contains("gone"));
    }
}
