//! How often a binary is asked what it is.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::launch::{Probes, Setup};
use crate::model::{Engine, Topology};
use crate::mongod::Executable;

use crate::testing::{data_folders, folder, wrapper};

/// A mongod that writes down every start, with the folder of the answers.
struct Asked {
    folder: tempfile::TempDir,
}

impl Asked {
    fn executable(&self, version: &str, remark: &str) -> Executable {
        let first =
            format!("echo \"$*\" >> '{}' {remark}", self.folder.path().join("asked").display());
        Executable::new(wrapper(self.folder.path(), "mongod", version, &first))
    }

    fn answers(&self) -> Probes {
        Probes::open(self.folder.path())
    }

    /// How often it was started since the last call.
    fn count(&self) -> usize {
        let file = self.folder.path().join("asked");
        let lines = fs::read_to_string(&file).unwrap_or_default().lines().count();
        let _ = fs::remove_file(file);
        lines
    }
}

fn touch(path: &Path, at: SystemTime) {
    File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
}

#[test]
fn a_binary_is_asked_for_its_version_once_until_it_changes() {
    let asked = Asked { folder: folder() };
    let executable = asked.executable("6.0.27", "");
    let path = &executable.path;
    assert_eq!(asked.answers().known_version(path), None);
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "6.0.27");
    assert_eq!(asked.count(), 1);
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "6.0.27");
    assert_eq!(asked.answers().known_version(path).unwrap().to_string(), "6.0.27");
    assert_eq!(asked.count(), 0);

    // Another date: not known at a glance, but the hash is the same.
    let day = Duration::from_secs(86_400);
    touch(path, SystemTime::now() - day);
    assert_eq!(asked.answers().known_version(path), None);
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "6.0.27");
    assert_eq!(asked.count(), 0);
    assert!(asked.answers().known_version(path).is_some());

    // Another binary of the same size.
    let size = fs::metadata(path).unwrap().len();
    asked.executable("6.0.24", "");
    assert_eq!(fs::metadata(path).unwrap().len(), size);
    assert_eq!(asked.answers().known_version(path), None);
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "6.0.24");
    assert_eq!(asked.count(), 1);

    // Another one of another size with the date of the old one.
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    asked.executable("4.4.2", "# longer");
    touch(path, modified);
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "4.4.2");
    assert_eq!(asked.count(), 1);

    // Broken answers are no answers.
    fs::write(asked.folder.path().join("probes.json"), "{").unwrap();
    assert_eq!(asked.answers().version(&executable).unwrap().to_string(), "4.4.2");
    assert_eq!(asked.count(), 1);
}

#[test]
fn a_binary_is_asked_for_an_engine_once_also_when_it_has_none() {
    let asked = Asked { folder: folder() };
    let executable = asked.executable("6.0.27", "");
    let base = asked.folder.path();
    for (engine, starts) in [("ephemeralForTest", true), ("inMemory", false)] {
        asked.answers().version(&executable).unwrap();
        asked.count();
        for times in [1, 0] {
            let answer = asked.answers().engine(&executable, engine, base).unwrap();
            assert_eq!(asked.count(), times, "{engine}");
            match answer {
                Ok(()) => assert!(starts, "{engine}"),
                Err(why) => {
                    assert!(
                        !starts
                            && why
                                .starts_with("Cannot start server with an unknown storage engine"),
                        "{why}"
                    );
                    assert!(why.ends_with(engine), "{why}");
                }
            }
        }
        let answers = asked.answers();
        let known = answers.known_engine(&executable.path, engine).unwrap();
        assert_eq!(known.is_ok(), starts);
    }
    // Nothing of the launches is left.
    assert_eq!(data_folders(base), [""; 0]);
}

#[test]
fn a_setup_is_asked_once_and_tried_without_where_it_fails() {
    let asked = Asked { folder: folder() };
    let broken = asked.folder.path().join("broken");
    // Stands for a machine on which nothing starts for a while, which no real mongod does at will.
    let remark = format!("; [ -e '{}' ] && exit 1", broken.display());
    let executable = asked.executable("6.0.27", &remark);
    let base = asked.folder.path();
    let engine = Engine::EphemeralForTest;
    let (good, bad) = (["--quiet".to_owned()], ["--noSuchOption".to_owned()]);
    let setup = |arguments| Setup { engine, topology: Topology::Standalone, arguments };
    let answer = asked.answers().engine(&executable, engine.as_str(), base);
    answer.unwrap().unwrap();
    asked.count();

    // Not an answer of the binary, so nothing is kept.
    fs::write(&broken, "").unwrap();
    for arguments in [&good, &bad] {
        let answer = asked.answers().setup(&executable, &setup(arguments), base);
        assert!(answer.is_err(), "{answer:?}");
        assert_eq!(asked.count(), 2);
    }
    fs::remove_file(&broken).unwrap();

    for (arguments, starts, times) in [(&good, true, 1), (&bad, false, 2)] {
        for times in [times, 0] {
            let answer = asked.answers().setup(&executable, &setup(arguments), base);
            assert_eq!(asked.count(), times, "{arguments:?}");
            match answer.unwrap() {
                Ok(()) => assert!(starts, "{arguments:?}"),
                Err(why) => {
                    assert!(!starts && why.contains("'--noSuchOption'"), "{why}");
                    assert!(
                        why.starts_with("mongod 6.0.27 with ephemeralForTest did not start"),
                        "{why}"
                    );
                }
            }
        }
        let answers = asked.answers();
        let known = answers.known_setup(&executable.path, &setup(arguments));
        assert_eq!(known.unwrap().is_ok(), starts);
    }
    assert_eq!(data_folders(base), [""; 0]);
}
