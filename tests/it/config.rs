//! The configuration as the command finds it: which file, and what a broken one or a bad variable does.

use std::fs;

use crate::support::{Outcome, Sandbox, run};

/// `mongate list` with a filter that nothing matches: it starts nothing and says how many cases
/// there are.
#[track_caller]
fn count(outcome: &Outcome) -> String {
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let cases = outcome.stderr.trim().rsplit(' ').next();
    cases.unwrap().to_owned()
}

#[test]
fn the_file_is_the_named_one_then_the_variables_then_the_nearest() {
    let sandbox = Sandbox::new("mongod.optional = []");
    let list = || sandbox.command(&["list", "nothing"]);
    assert_eq!(count(&run(&mut list())), "4");
    let deep = sandbox.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(count(&run(list().current_dir(&deep))), "4");
    assert_eq!(count(&run(list().env("MONGATE_CONFIG", ""))), "4");

    let two = sandbox.path().join("two.toml");
    fs::write(&two, "mongod.optional = []\nstartup.engines = ['wiredTiger']").unwrap();
    assert_eq!(count(&run(list().env("MONGATE_CONFIG", &two))), "2");
    let one = sandbox.path().join("one.toml");
    fs::write(
        &one,
        "mongod.optional = []\nstartup.engines = ['inMemory']\nstartup.db_paths = ['disk']",
    )
    .unwrap();
    let named = list().env("MONGATE_CONFIG", &two).args(["--config", "one.toml"]).output();
    let said = String::from_utf8(named.unwrap().stderr).unwrap();
    assert!(said.contains("shows all 1"), "{said}");

    // A folder above which there is no configuration; the system's, since ours has this
    // repository's above it.
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(count(&run(list().current_dir(empty.path()))), "12");
}

#[test]
fn a_broken_file_ends_every_command_with_code_2() {
    let sandbox = Sandbox::new("[mongod]\n\nverions = ['6.0']\n");
    for arguments in [&["run"][..], &["list"], &["install", "6.0"], &[]] {
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert_eq!(outcome.stdout, "");
        let said = &outcome.stderr;
        assert!(said.contains(".config/mongate.toml:3: "), "{said}");
        assert!(said.contains("did you mean `versions`?"), "{said}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let sandbox = Sandbox::new("");
    fs::write(sandbox.path().join("latin1.toml"), b"# one\n# two\n# \xfcber\n").unwrap();
    for (name, words) in [
        ("gone.toml", ["cannot read", "No such file"]),
        (".config", ["cannot read", "Is a directory"]),
        ("latin1.toml", ["latin1.toml:3: ", "UTF-8"]),
    ] {
        let by_flag = sandbox.run(&["list", "--config", name]);
        let by_variable = run(sandbox.command(&["list"]).env("MONGATE_CONFIG", name));
        for outcome in [by_flag, by_variable] {
            assert_eq!(outcome.code, Some(2), "{outcome:?}");
            for word in words.iter().chain([&name]) {
                assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr);
            }
        }
    }
}

#[test]
fn a_bad_variable_is_named() {
    let sandbox = Sandbox::new("");
    for (name, value) in [
        ("MONGATE_BLOCKS", "3"),
        ("MONGATE_BLOCKS", "many"),
        ("MONGATE_SEED", "-1"),
        ("MONGATE_SEED", "x"),
        ("MONGATE_FORMAT", "xml"),
    ] {
        for arguments in [&["run"][..], &[]] {
            let outcome = run(sandbox.command(arguments).env(name, value));
            assert_eq!(outcome.code, Some(2), "{outcome:?}");
            let said = outcome.stderr.replace('`', "\"");
            assert!(said.contains(&format!("{name}: \"{value}\"")), "{said}");
        }
    }
}

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let sandbox = Sandbox::new("");
    let mut command = sandbox.command(&["run", "nothing"]);
    for name in ["MONGATE_BLOCKS", "MONGATE_SEED", "MONGATE_FORMAT", "MONGATE_CONFIG"] {
        command.env(name, "");
    }
    let outcome = run(&mut command);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("no case matches \"nothing\""), "{}", outcome.stderr);
}
