//! What several tests need: real mongods, the binary under test, and a place where only one test
//! looks.

#[path = "../../src/testing/system.rs"]
mod system;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::fs::statfs;
use serde_json::Value;
use tempfile::TempDir;

pub use system::*;

/// A real mongod, with the folder of its libraries where it needs one.
#[derive(Clone)]
pub struct Mongod {
    pub path: PathBuf,
    pub libraries: Option<PathBuf>,
}

/// A real mongod of this version, fetched into the user's cache where it is missing.
#[track_caller]
pub fn mongod(label: &str) -> Mongod {
    static FOUND: Mutex<BTreeMap<String, Mongod>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let found = found.entry(label.to_owned()).or_insert_with(|| {
        let outcome =
            run(mongate().args(["install", label]).current_dir(env!("CARGO_MANIFEST_DIR")));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let path = PathBuf::from(outcome.stdout.trim_end().rsplit(": ").next().unwrap());
        let libraries = path.ancestors().nth(2).unwrap().join("lib");
        Mongod { path, libraries: libraries.is_dir().then_some(libraries) }
    });
    found.clone()
}

/// A program of its own in `folder` that does `first` in a shell and then becomes the real mongod
/// of this version.
pub fn wrapper(folder: &Path, name: &str, version: &str, first: &str) -> PathBuf {
    let Mongod { path, libraries } = mongod(version);
    let libraries = libraries
        .map_or(String::new(), |folder| format!("export LD_LIBRARY_PATH='{}'", folder.display()));
    let path = path.display();
    script(folder, name, format!("#!/bin/sh\n{first}\n{libraries}\nexec '{path}' \"$@\"\n"))
}

/// A program of its own in `folder` that does `first` in a shell and then becomes the stand-in of
/// `fixtures/mongod/answers`. Without the modules of the site, Python starts in 20 ms.
pub fn stand_in(folder: &Path, name: &str, version: &str, first: &str) -> PathBuf {
    let answers = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/mongod/answers");
    let text = format!(
        "#!/bin/sh\n{first}\nPATH=/usr/bin:/usr/local/bin:$PATH\n\
         exec python3 -ESs '{answers}' {version} \"$@\"\n"
    );
    script(folder, name, text)
}

/// The binary under test, with an environment in which nothing of the developer's own speaks for
/// it.
pub fn mongate() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mongate"));
    clean(&mut command);
    command
}

/// Takes out of a command's environment what the developer or a runner put there for mongate.
pub fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("MONGATE_") || text.starts_with("NEXTEST") {
            command.env_remove(&name);
        }
    }
    command.env("NO_COLOR", "1").env("COLUMNS", "100");
}

/// The magic number of tmpfs.
const TMPFS: i64 = 0x0102_1994;

/// A fresh folder in RAM; `None`, with a word on stderr, where the system has none that is
/// writable.
#[allow(clippy::unnecessary_cast, reason = "the type of `f_type` differs between systems")]
pub fn ram() -> Option<TempDir> {
    let shm = Path::new("/dev/shm");
    let is_ram = statfs(shm).is_ok_and(|found| found.f_type == TMPFS);
    let folder = is_ram.then(|| tempfile::tempdir_in(shm).ok()).flatten();
    if folder.is_none() {
        eprintln!("skipped: /dev/shm is not writable RAM here");
    }
    folder
}

/// A place for one run of mongate in which everything that it makes lies below folders of its own,
/// and nothing is ever fetched.
pub struct Sandbox {
    root: TempDir,
    /// In RAM, where the system has some.
    pub ram: Option<TempDir>,
    /// Without it every folder is in RAM, so that nothing on a disk can be measured.
    disk: bool,
}

impl Outcome {
    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl Sandbox {
    /// With this configuration as `.config/mongate.toml`.
    pub fn new(config: &str) -> Self {
        let root = folder();
        for name in [".config", "tmp", "target"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        fs::write(root.path().join(".config/mongate.toml"), config).unwrap();
        Self { root, ram: ram(), disk: true }
    }

    /// As [`Sandbox::new`], without a disk: only what is in RAM is measured, so that the reference
    /// does not join. `None` without RAM.
    pub fn in_ram(config: &str) -> Option<Self> {
        let sandbox = Self { disk: false, ..Self::new(config) };
        sandbox.ram.is_some().then_some(sandbox)
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where build products and results go.
    pub fn target(&self) -> PathBuf {
        match &self.ram {
            Some(ram) if !self.disk => ram.path().join("target"),
            _ => self.path().join("target"),
        }
    }

    /// Its own, so that no test waits for another.
    pub fn lock(&self) -> PathBuf {
        self.path().join("lock")
    }

    /// The folders in which mongods get theirs.
    pub fn bases(&self) -> Vec<PathBuf> {
        let disk = self.disk.then(|| self.path().join("tmp"));
        let ram = self.ram.as_ref().map(|ram| ram.path().to_owned());
        disk.into_iter().chain(ram).collect()
    }

    /// The environment of this place on any command.
    pub fn place(&self, command: &mut Command) {
        command
            .current_dir(self.path())
            .env("CARGO_TARGET_DIR", self.target())
            .env("TMPDIR", &self.bases()[0])
            .env("MONGATE_LOCK", self.lock())
            .env("MONGATE_OFFLINE", "1");
        if let Some(ram) = &self.ram {
            command.env("MONGATE_RAMDISK", ram.path());
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = mongate();
        self.place(&mut command);
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Outcome {
        run(&mut self.command(arguments))
    }

    /// As [`Sandbox::command`], with this place as the home, so that its cache is the one that
    /// [`Sandbox::cache`] fills.
    pub fn private(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.env("HOME", self.path()).env("XDG_CACHE_HOME", self.path().join("cache"));
        command
    }

    /// The only run that there was.
    #[track_caller]
    pub fn results(&self) -> PathBuf {
        let runs: Vec<_> = fs::read_dir(self.target().join("mongate")).unwrap().collect();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.into_iter().next().unwrap().unwrap().path()
    }

    /// Neither a process nor a folder of a mongod is left.
    #[track_caller]
    pub fn assert_clean(&self) {
        for base in self.bases() {
            assert_eq!(processes_naming(&base), [0; 0], "{}", base.display());
            assert_eq!(data_folders(&base), [""; 0], "{}", base.display());
        }
    }

    /// As [`Sandbox::cache`], with stand-ins that answer in milliseconds.
    pub fn stand_ins(&self, versions: &[&str]) -> PathBuf {
        let cache = self.path().join("cache");
        for version in versions {
            let bin = cache.join("mongate/mongod").join(version).join("bin");
            fs::create_dir_all(&bin).unwrap();
            stand_in(&bin, "mongod", version, "");
        }
        cache
    }

    /// A cache of mongate's with only these versions in it; the value for XDG_CACHE_HOME.
    pub fn cache(&self, versions: &[&str]) -> PathBuf {
        let cache = self.path().join("cache");
        fs::create_dir_all(cache.join("mongate/mongod")).unwrap();
        for version in versions {
            let top = mongod(version).path.ancestors().nth(2).unwrap().to_owned();
            symlink(top, cache.join("mongate/mongod").join(version)).unwrap();
        }
        cache
    }
}

/// A command that runs on, and is killed when the test ends before it.
pub struct Background(pub Child);

impl Background {
    pub fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Reads standard error up to a line with this text in it.
    #[track_caller]
    pub fn says(&mut self, text: &str) {
        let mut error = BufReader::new(self.0.stderr.as_mut().unwrap());
        let mut all = String::new();
        while !all.contains(text) {
            let more = error.read_line(&mut all).unwrap();
            assert!(more > 0, "it never said {text:?}: {all}");
        }
    }

    /// Waits for its end.
    pub fn end(mut self) -> Outcome {
        let mut text = [String::new(), String::new()];
        self.0.stdout.take().unwrap().read_to_string(&mut text[0]).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut text[1]).unwrap();
        let code = self.0.wait().unwrap().code();
        let [stdout, stderr] = text;
        Outcome { code, stdout, stderr }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Both do nothing where it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
