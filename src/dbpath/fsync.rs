//! How long a sync takes in a folder. A start of mongod makes dozens: on a slow disk they are the
//! start-up time.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// Writes that are timed: enough for a median, and below a second even at 40 ms each.
const WRITES: usize = 20;

/// Median time of writing 4 KiB at the end of a file and syncing it, in microseconds. The file is
/// gone afterwards.
///
/// The sync is fdatasync, on macOS F_FULLFSYNC, which is what WiredTiger calls there.
///
/// # Errors
/// The folder cannot be written to, or is full.
pub fn median_us(folder: &Path) -> io::Result<f64> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = [0.0; WRITES];
    for time in &mut times {
        let start = Instant::now();
        file.write_all(&[0x5a; 4096])?;
        file.sync_data()?;
        *time = start.elapsed().as_secs_f64() * 1e6;
    }
    times.sort_by(f64::total_cmp);
    Ok((times[WRITES / 2 - 1] + times[WRITES / 2]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sync_probe_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(median_us(folder.path()).unwrap() > 0.0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(median_us(&folder.path().join("gone")).is_err());
    }
}
