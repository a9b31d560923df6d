//! What the page cache holds of a mongod before and after an eviction, by an account that is not mongate's
//! own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dbpath::DataFolder;
use crate::launch::cold::Image;
use crate::mongod::Executable;
use crate::testing::{folder, mongod, start};

/// A mongod of this test's own in `folder`, with its libraries: nobody else runs it. Another
/// process writes it, see [`crate::support::script`].
fn private_copy(folder: &Path, version: &str) -> Executable {
    let top = mongod(version).path.ancestors().nth(2).unwrap().to_owned();
    let own = folder.join("mongod");
    let copied = Command::new("cp").arg("-rL").arg(&top).arg(&own).status();
    assert!(copied.unwrap().success());
    Executable::new(own.join("bin/mongod"))
}

/// The mongod and the libraries that came with it. The folder has libcrypto under a second name,
/// which nobody asks for.
fn own_files(executable: &Executable) -> [PathBuf; 3] {
    let folder = executable.libraries.as_ref().unwrap();
    let library = |name| folder.join(name);
    [executable.path.clone(), library("libssl.so.1.1"), library("libcrypto.so.1.1")]
}

/// The share of a file's pages that are in the page cache.
fn cached(path: &Path) -> f64 {
    let pages = mincore::mincore_wrapper(File::open(path).unwrap()).unwrap();
    pages.iter().filter(|&&cached| cached).count() as f64 / pages.len() as f64
}

#[test]
fn an_eviction_leaves_nothing_of_a_mongod_and_a_load_brings_it_back() {
    let base = folder();
    let executable = private_copy(base.path(), "4.2");
    let data = DataFolder::new(base.path()).unwrap();
    let running = start(&executable, &data);
    let image = Image::of(&running).unwrap();

    // What runs cannot be evicted, and that is no cold start.
    let error = image.evict().unwrap_err().to_string();
    let path = executable.path.to_str().unwrap();
    assert!(error.contains(path) && error.contains(" stayed in the page cache"), "{error}");
    assert!(error.contains("help: end other mongods of that file"), "{error}");
    running.stop().unwrap();

    for _ in 0..3 {
        image.load().unwrap();
        for file in own_files(&executable) {
            assert_eq!(cached(&file), 1.0, "{}", file.display());
        }
        let stayed = image.evict().unwrap();
        // What stays are libraries of the system that other processes use, a few MB of a hundred.
        assert!((0.0..0.5).contains(&stayed), "{stayed}");
        for file in own_files(&executable) {
            assert_eq!(cached(&file), 0.0, "{}", file.display());
        }
    }
    // Evicted, not damaged.
    let data = DataFolder::new(base.path()).unwrap();
    start(&executable, &data).stop().unwrap();
}
