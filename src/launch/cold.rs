//! Cold starts: right before a launch the page cache gives up what the mongod is loaded from.
//!
//! Cold are then the program file and its libraries, as after a reboot or on a fresh CI machine.
//! Not cold are folder entries and inodes, which the kernel keeps elsewhere, the processor's own
//! caches, and the libraries that other processes use at the moment (libc above all), which no
//! kernel gives up.
//!
//! posix_fadvise(DONTNEED) evicts; it needs no right but to read. mincore tells what stayed.
//! preadv2(RWF_NOWAIT) cannot: it loads the pages that it is asked about (tried on Linux 6.18).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::launch::Running;

/// The largest share of its program file that may stay cached in a cold start.
const STAYS: f64 = 0.01;

/// The files that a mongod is loaded from.
#[derive(Clone, Debug)]
pub struct Image {
    program: PathBuf,
    libraries: Vec<PathBuf>,
}

impl Image {
    /// The files of a mongod that runs, as its memory map names them: what a wrapper has become,
    /// and every library that is loaded so far.
    ///
    /// # Errors
    /// The system does not show the memory map: only Linux does.
    pub fn of(running: &Running) -> Result<Self> {
        let process = PathBuf::from(format!("/proc/{}", running.id()));
        let unknown = |e| {
            Error::io("the files that this mongod is loaded from are not known", e).help(
                "cold starts need Linux with /proc; remove \"cold\" from `caches` under [startup]",
            )
        };
        let program = fs::read_link(process.join("exe")).map_err(unknown)?;
        let maps = fs::read(process.join("maps")).map_err(unknown)?;
        let mut libraries = loaded(&String::from_utf8_lossy(&maps));
        libraries.retain(|file| *file != program);
        Ok(Self { program, libraries })
    }

    /// Evicts all files from the page cache; returns the share of their bytes that stayed there,
    /// from 0 to 1.
    ///
    /// # Errors
    /// More than 1 % of the program file stayed, or the system does not tell: then a launch would
    /// not be cold. The message says why.
    pub fn evict(&self) -> Result<f64> {
        let failed = |path: &Path, e| {
            Error::io(format_args!("cannot evict {} from the page cache", path.display()), e)
        };
        let Some(program) = evict(&self.program).map_err(|e| failed(&self.program, e))? else {
            return Err(Error::environment(format!(
                "the kernel does not tell whether {} is in the page cache: it belongs to another \
                    user",
                self.program.display()
            ))
            .help("name a mongod of your own, such as the one that `mongate install` fetches"));
        };
        if program.share() > STAYS {
            return Err(Error::environment(format!(
                "{:.0} % of {} stayed in the page cache",
                program.share() * 100.0,
                self.program.display()
            ))
            .help(
                "end other mongods of that file; where it lies in RAM itself, put it on a disk",
            ));
        }
        let mut all = program;
        for library in &self.libraries {
            // What the kernel does not tell of counts for nothing.
            let told = evict(library).map_err(|e| failed(library, e))?;
            let told = told.unwrap_or_default();
            all.cached += told.cached;
            all.pages += told.pages;
        }
        Ok(all.share())
    }

    /// Reads all files, so that the page cache holds them again: other launches are warm, and an
    /// eviction must not make them colder.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn load(&self) -> Result<()> {
        for path in std::iter::once(&self.program).chain(&self.libraries) {
            let copied = File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
            copied.map_err(|e| Error::io(format_args!("cannot read {}", path.display()), e))?;
        }
        Ok(())
    }
}

/// How much of a file the page cache holds.
#[derive(Clone, Copy, Debug, Default)]
struct Pages {
    cached: usize,
    pages: usize,
}

impl Pages {
    fn share(self) -> f64 {
        self.cached as f64 / self.pages.max(1) as f64
    }
}

/// Evicts a file; what stayed, or nothing where the kernel does not tell.
#[cfg(target_os = "linux")]
fn evict(path: &Path) -> io::Result<Option<Pages>> {
    let file = File::open(path)?;
    // Pages that are not on the disk yet, as of a binary that has just been fetched, cannot be
    // given up.
    file.sync_data()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    if !is_told(path, &file.metadata()?) {
        return Ok(None);
    }
    let resident = mincore::mincore_wrapper(&file)?;
    Ok(Some(Pages {
        cached: resident.iter().filter(|&&cached| cached).count(),
        pages: resident.len(),
    }))
}

#[cfg(not(target_os = "linux"))]
fn evict(_path: &Path) -> io::Result<Option<Pages>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the kernel tells this user what it caches of a file. To others mincore says since Linux
/// 5.2 that all of it is in memory.
#[cfg(target_os = "linux")]
fn is_told(path: &Path, metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    let user = rustix::process::geteuid();
    user.is_root()
        || metadata.uid() == user.as_raw()
        || rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// The files of a memory map (`/proc/<pid>/maps`) that hold code. mongod maps files of its dbPath,
/// too.
fn loaded(maps: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for line in maps.lines() {
        // address permissions offset device inode      path
        let mut fields = line.splitn(6, ' ');
        let is_code = fields.nth(1).is_some_and(|rights| rights.contains('x'));
        let path = fields.nth(3).unwrap_or_default().trim_start();
        let is_file = path.starts_with('/') && !path.ends_with(" (deleted)");
        if is_code && is_file && !files.iter().any(|file| file == Path::new(path)) {
            files.push(path.into());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_a_process_is_loaded_from() {
        let maps = "\
55d0c0a00000-55d0c4c00000 r--p 00000000 fd:00 1234                       /opt/mongo db/bin/mongod
55d0c4c00000-55d0c9c00000 r-xp 04200000 fd:00 1234                       /opt/mongo db/bin/mongod
55d0ca000000-55d0ca001000 r-xp 09000000 fd:00 1234                       /opt/mongo db/bin/mongod
7f0000000000-7f0000100000 r--s 00000000 00:1b 77                         \
/dev/shm/mongate-1-a/db/collection.wt
7f0000200000-7f0000300000 r-xp 00000000 fd:00 88                         \
/lib/x86_64-linux-gnu/libc.so.6
7f0000400000-7f0000500000 r-xp 00000000 fd:00 99                         /lib/gone.so (deleted)
7f0000600000-7f0000700000 rwxp 00000000 00:00 0
7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]
torn
";
        let files = ["/opt/mongo db/bin/mongod", "/lib/x86_64-linux-gnu/libc.so.6"];
        assert_eq!(loaded(maps), files.map(PathBuf::from));
        assert!(loaded("").is_empty());
    }
}
