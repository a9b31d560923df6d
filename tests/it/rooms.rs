//! The rooms of `src`: a room uses only rooms above it, and no file gets long.

use std::fs;
use std::path::{Path, PathBuf};

/// From the top down.
const ROOMS: [&str; 18] = [
    "error", "figures", "stats", "model", "config", "host", "mongod", "dbpath", "launch", "plan",
    "measure", "judge", "advise", "report", "job", "harness", "cli", "lib",
];

const LONGEST: usize = 400;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The place of a room in the order; `None` for what is not a room.
fn place(name: &str) -> Option<usize> {
    ROOMS.iter().position(|&room| room == name)
}

/// Every `crate::<room>` in a line that names a room below `own`.
fn upward(line: &str, own: usize) -> Vec<&str> {
    let names = line.split("crate::").skip(1);
    let names = names.map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    names.filter(|name| place(name).is_some_and(|used| used > own)).collect()
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("src");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files(&source) {
        let below = file.strip_prefix(&source).unwrap();
        let room = below.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let Some(own) = place(room) else { continue };
        // Tests of a room may make what they look at with the whole house.
        if below.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with("mod tests {") {
                break;
            }
            if line.trim_start().starts_with("//") {
                continue;
            }
            for name in upward(line, own) {
                wrong.push(format!("src/{}:{number}: {room} uses {name}", below.display()));
            }
        }
    }
    assert!(seen > 100, "{seen} files of rooms in {}", source.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lines = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<PathBuf> = files(&source).into_iter().filter(|f| lines(f) > LONGEST).collect();
    assert!(long.is_empty(), "{long:?}");
}
