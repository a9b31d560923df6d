//! Files that are no mongod for this machine.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::mongod::Executable;

use super::{Message, attempt};
use crate::testing::{folder, mongod, script, stand_in};

#[test]
fn a_shared_library_that_is_missing() {
    let mut executable = mongod("4.2");
    executable.libraries = None;
    let alone = executable.command().arg("--version").output().unwrap();
    if alone.status.success() {
        return eprintln!("skipped: this system has OpenSSL 1.1");
    }
    attempt(&executable, "wiredTiger").fails().says(
        "a shared library is missing (exit code 127)",
        "libcrypto.so.1.1: cannot open shared object file",
        "mongate install",
    );
}

/// Takes `library` for both libraries of OpenSSL 1.1.
fn with_library(library: &Path) -> Message {
    let libraries = folder();
    for name in ["libssl.so.1.1", "libcrypto.so.1.1"] {
        symlink(library, libraries.path().join(name)).unwrap();
    }
    let mut executable = mongod("4.2");
    executable.libraries = Some(libraries.path().to_owned());
    attempt(&executable, "wiredTiger").fails()
}

#[test]
fn a_shared_library_that_is_another() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut paths = maps.split_whitespace();
    if let Some(libc) = paths.find(|path| path.contains("/libc.so") || path.contains("/libc-2")) {
        with_library(Path::new(libc)).says(
            "a shared library is there in another version than this build needs (exit code 1)",
            "version `OPENSSL_1_1_0' not found (required by",
            "built for this distribution",
        );
    } else {
        eprintln!("skipped: this system has another C library");
    }
    // It has the version, and not the functions.
    if let Some(libraries) = mongod("4.2").libraries {
        with_library(&libraries.join("libcrypto.so.1.1")).says(
            "the program loader could not start it (exit code 127)",
            "symbol lookup error",
            "`ldd`",
        );
    } else {
        eprintln!("skipped: 4.2 has no libraries of its own here");
    }
}

#[test]
fn a_file_that_cannot_be_executed() {
    let place = folder();
    let file = |name: &str| place.path().join(name);
    fs::write(file("text"), "just words").unwrap();
    fs::create_dir(file("folder")).unwrap();
    script(place.path(), "other-loader", "#!/no/such/loader\n");
    for (name, cause, remedy) in [
        ("text", "Permission denied", "chmod +x"),
        ("folder", "Permission denied", "chmod +x"),
        ("absent", "No such file or directory", "not there"),
        ("other-loader", "No such file or directory", "loader"),
    ] {
        let cause = format!("cannot start {}: {cause}", file(name).display());
        attempt(&Executable::new(file(name)), "wiredTiger").fails().says(&cause, "", remedy);
    }
}

/// A shell tries to read such a file: /bin/sh when the kernel refuses it, which may be bash or
/// another.
#[test]
fn a_binary_of_another_processor() {
    let place = folder();
    let own = fs::File::open(std::env::current_exe().unwrap()).unwrap();
    let mut header = Vec::new();
    own.take(4096).read_to_end(&mut header).unwrap();
    // e_machine: SuperH.
    header[18..20].copy_from_slice(&[42, 0]);
    let executable = Executable::new(script(place.path(), "foreign", &header));
    let cause = "the file is not a program for this system, and a shell tried to run it";
    let remedy = "built for this system and processor";
    attempt(&executable, "wiredTiger").fails().says(cause, "foreign", remedy);
    if Path::new("/bin/bash").exists() {
        let attempt = attempt(&executable, "wiredTiger").through("exec /bin/bash MONGOD");
        attempt.fails().says(cause, "cannot execute binary file", remedy);
    }
}

#[test]
fn a_processor_without_an_instruction() {
    attempt(&stand_in("lacks-an-instruction"), "wiredTiger").fails().says(
        "the processor lacks an instruction that this build uses (signal 4 (SIGILL)); it printed \
            nothing",
        "",
        "need AVX",
    );
}
