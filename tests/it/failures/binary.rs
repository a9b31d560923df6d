//! Files that are no mongod for this machine.

use std::fs;
use std::io::Read;
use std::path::Path;

use mongate::launch::Executable;

use super::attempt;
use crate::support::{folder, mongod, script, stand_in};

#[cfg(target_os = "linux")]
#[test]
fn a_shared_library_that_is_missing_or_another() {
    let mut executable = mongod("4.2");
    executable.libraries = None;
    let runs_alone = executable
        .command()
        .arg("--version")
        .output()
        .unwrap()
        .status
        .success();
    if runs_alone {
        eprintln!("skipped: this system has OpenSSL 1.1");
    } else {
        attempt(&executable, "wiredTiger").fails().says(
            "a shared library is missing (exit code 127)",
            "libcrypto.so.1.1: cannot open shared object file",
            "mongate install",
        );
    }
    // The C library under that name: it is there, and has not the versions in it.
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let libc = maps
        .split_whitespace()
        .find(|word| word.contains("/libc.so") || word.contains("/libc-2"));
    let Some(libc) = libc else {
        return eprintln!("skipped: this system has another C library");
    };
    let libraries = folder();
    for name in ["libssl.so.1.1", "libcrypto.so.1.1"] {
        std::os::unix::fs::symlink(libc, libraries.path().join(name)).unwrap();
    }
    executable.libraries = Some(libraries.path().to_owned());
    attempt(&executable, "wiredTiger").fails().says(
        "a shared library is there in another version than this build needs (exit code 1)",
        "version `OPENSSL_1_1_0' not found (required by",
        "built for this distribution",
    );
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
        attempt(&Executable::new(file(name)), "wiredTiger")
            .fails()
            .says(&cause, "", remedy);
    }
}

/// A shell tries to read such a file: /bin/sh when the kernel refuses it, which may be bash or another.
#[cfg(target_os = "linux")]
#[test]
fn a_binary_of_another_processor() {
    let place = folder();
    let own = fs::File::open(std::env::current_exe().unwrap()).unwrap();
    let mut header = Vec::new();
    own.take(4096).read_to_end(&mut header).unwrap();
    // e_machine: SuperH.
    header[18..20].copy_from_slice(&[42, 0]);
    let executable = Executable::new(script(place.path(), "foreign", &header));
    let cause = "the file is no program for this system, and a shell tried to run it";
    let remedy = "built for this system and processor";
    attempt(&executable, "wiredTiger")
        .fails()
        .says(cause, "foreign", remedy);
    if Path::new("/bin/bash").exists() {
        let attempt = attempt(&executable, "wiredTiger").through("exec /bin/bash MONGOD");
        attempt
            .fails()
            .says(cause, "cannot execute binary file", remedy);
    }
}

#[test]
fn a_processor_without_an_instruction() {
    attempt(&stand_in("lacks-an-instruction"), "wiredTiger").fails().says(
        "the processor lacks an instruction that this build uses (signal 4 (SIGILL)); it printed nothing",
        "",
        "need AVX",
    );
}
