//! The command line: what goes to which output, exit codes, filters, formats, widths.

mod looks;

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::support::{Background, Outcome, Sandbox, ram, run};

/// With a home, a cache and a PATH in which there is no mongod but those that a test puts there:
/// what cannot be measured takes no time.
fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.private(arguments);
    command.env("PATH", "/usr/bin:/bin");
    command
}

#[track_caller]
fn ends(command: &mut Command, code: i32) -> Outcome {
    let outcome = run(command);
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    outcome
}

#[test]
fn list_says_why_a_case_cannot_run_here() {
    let sandbox = Sandbox::new(
        "[mongod]\nversions = ['6.0', '5.0']\noptional = ['7.0']\n\
         [startup]\nengines = ['ephemeralForTest', 'inMemory']\ndb_paths = ['disk', 'ramdisk']\n",
    );
    sandbox.cache(&["6.0.27"]);
    let outcome = ends(command(&sandbox, &["list"]).env("MONGATE_RAMDISK", "/no/such/folder"), 0);
    let about = |id: &str| {
        let line = outcome.stdout.lines().find(|line| line.starts_with(id));
        line.unwrap_or_else(|| panic!("{id}: {outcome:?}")).to_owned()
    };
    assert_eq!(
        about("startup::6.0::ephemeralForTest::disk"),
        "startup::6.0::ephemeralForTest::disk: mongod 6.0.27"
    );
    for (id, words) in [
        (
            "startup::6.0::inMemory::disk",
            [": unavailable: mongod 6.0.27", "unknown storage engine: inMemory"],
        ),
        (
            "startup::6.0::ephemeralForTest::ramdisk",
            [": unavailable: ", "MONGATE_RAMDISK=/no/such/folder"],
        ),
        (
            "startup::5.0::ephemeralForTest::disk",
            [": unavailable: ", "no mongod 5.0 on this machine"],
        ),
        (
            "startup::7.0::ephemeralForTest::disk",
            [": optional, unavailable: ", "no mongod 7.0 on this machine"],
        ),
    ] {
        let line = about(id);
        assert!(words.iter().all(|word| line.contains(word)), "{words:?}: {line}");
    }
    // Twelve cases, and no reference that nobody asked for.
    let cases = outcome.stdout.lines().filter(|line| line.starts_with("startup::"));
    assert_eq!(cases.count(), 12, "{outcome:?}");
    // Another test may measure just now.
    let errors = outcome.stderr.lines().filter(|line| !line.contains("waiting: "));
    assert_eq!(errors.count(), 0, "{outcome:?}");
    assert!(!sandbox.target().join("mongate").exists(), "listing measures nothing");
    sandbox.assert_clean();
}

#[test]
fn a_filter_is_an_id_a_pattern_or_a_part() {
    let sandbox = Sandbox::new("mongod.versions = ['6.0', '6.0.24']\nmongod.optional = []");
    let count = |filter: &str| {
        let outcome = ends(&mut command(&sandbox, &["list", filter]), 0);
        outcome.stdout.lines().filter(|line| line.starts_with("startup::")).count()
    };
    assert_eq!(count("startup::6.0::wiredTiger::disk"), 1);
    assert_eq!(count("startup::6.0*wiredTiger*"), 4);
    assert_eq!(count("*::ramdisk"), 4);
    assert_eq!(count("6.0.24"), 4);
    assert_eq!(count("wiredTiger::ramdisk"), 2);
    for filter in ["startup::6.0::wiredtiger::disk", "ramdisk*wiredTiger", "9.9"] {
        for verb in ["list", "run"] {
            let outcome = ends(&mut command(&sandbox, &[verb, filter]), 2);
            let said = &outcome.stderr;
            assert!(said.contains(&format!("no case matches \"{filter}\"")), "{said}");
            assert!(said.contains("the nearest is startup::6.0"), "{said}");
            assert!(said.contains("`mongate list` shows all 8"), "{said}");
            assert_eq!(outcome.stdout, "");
        }
    }
}

#[test]
fn the_format_is_a_table_or_json_also_without_a_command() {
    let sandbox = Sandbox::new("");
    let is_table =
        |outcome: Outcome| outcome.stdout.starts_with("start-up, spawn to first ping, in ms");
    assert!(is_table(ends(&mut command(&sandbox, &[]), 4)));
    assert!(is_table(ends(&mut command(&sandbox, &["run", "--format", "table"]), 4)));
    let flag_first = ["run", "--format", "table"];
    assert!(is_table(ends(command(&sandbox, &flag_first).env("MONGATE_FORMAT", "json"), 4)));
    for outcome in [
        ends(&mut command(&sandbox, &["run", "--format", "json"]), 4),
        ends(command(&sandbox, &["run"]).env("MONGATE_FORMAT", "json"), 4),
        ends(command(&sandbox, &[]).env("MONGATE_FORMAT", "json"), 4),
    ] {
        assert_eq!(outcome.json()["schema"], "mongate/1");
        assert!(outcome.stdout.ends_with("}\n"));
    }
}

#[test]
fn what_is_required_and_missing_is_code_4_and_what_is_optional_is_not() {
    let sandbox = Sandbox::new(
        "mongod.versions = ['6.0']\nmongod.optional = ['7.0']\nstartup.engines = \
            ['ephemeralForTest']",
    );
    ends(&mut command(&sandbox, &["run", "6.0"]), 4);
    let optional = ends(&mut command(&sandbox, &["run", "7.0"]), 0).stdout;
    assert!(optional.contains("[1] no mongod 7.0 on this machine"), "{optional}");

    // Each version and each reason once, though both references joined.
    let both = ends(&mut command(&sandbox, &["run"]), 4).stdout;
    for (number, label) in [(1, "6.0"), (2, "7.0")] {
        for text in [format!("unavailable [{number}]"), format!("no mongod {label}")] {
            assert_eq!(both.matches(&text).count(), 1, "{text}: {both}");
        }
    }
}

#[test]
fn bad_usage_is_code_2_and_leaves_standard_output_empty() {
    let sandbox = Sandbox::new("");
    for (arguments, word) in [
        (&["run", "--blocks", "5"][..], "from 6"),
        (&["run", "--blocks"], "--blocks"),
        (&["run", "--seed", "x"], "--seed"),
        (&["run", "--format", "xml"], "table, markdown, csv, json"),
        (&["run", "--fromat", "json"], "--format"),
        (&["rnu"], "unrecognized subcommand 'rnu'"),
        (&["install"], "VERSION"),
        (&["install", "6 0"], "not a version label"),
        (&["install", "patched"], "MONGATE_MONGOD_PATCHED"),
    ] {
        let outcome = ends(command(&sandbox, arguments).env("MONGATE_OFFLINE", "0"), 2);
        assert!(outcome.stderr.contains(word), "{arguments:?}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{arguments:?}");
    }
}

#[test]
fn help_tells_of_every_command_code_and_variable() {
    let sandbox = Sandbox::new("broken = ");
    for (arguments, words) in [
        (
            &["--help"][..],
            &[
                "run",
                "list",
                "install",
                "--config",
                "MONGATE_CONFIG",
                "Exit codes: 0 fine; 1 the gate failed; 2",
                "130",
            ][..],
        ),
        (
            &["run", "--help"],
            &[
                "FILTER",
                "--blocks",
                "MONGATE_BLOCKS",
                "MONGATE_SEED",
                "MONGATE_FORMAT",
                "[default: table]",
            ],
        ),
        (&["compare", "--help"], &["--inject", "--tolerance", "MONGATE_TOLERANCE", "10..50"]),
        (&["calibrate", "--help"], &["--record", "--blocks", "500"]),
        (&["baseline", "--help"], &["list", "show", "accept"]),
        (&["list", "--help"], &["FILTER"]),
        (&["install", "-h"], &["VERSION"]),
        (&["--version"], &[env!("CARGO_PKG_VERSION")]),
    ] {
        let outcome = ends(&mut command(&sandbox, arguments), 0);
        assert_eq!(outcome.stderr, "");
        for word in words {
            assert!(outcome.stdout.contains(word), "{word}: {}", outcome.stdout);
        }
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_a_full_output_is() {
    let sandbox = Sandbox::new("");
    for arguments in [&["list"][..], &["run", "7.0"]] {
        let mut background = Background::spawn(&mut command(&sandbox, arguments));
        drop(background.0.stdout.take());
        assert_eq!(background.0.wait().unwrap().code(), Some(0), "{arguments:?}");
        if Path::new("/dev/full").exists() {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let output = command(&sandbox, arguments).stdout(full).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(4), "{said}");
            assert!(said.contains("cannot write to standard output: No space left"), "{said}");
        }
    }
}

#[test]
fn results_that_cannot_be_kept_are_a_failure_that_says_where() {
    let sandbox = Sandbox::new("");
    let file = sandbox.path().join("a-file");
    fs::write(&file, "").unwrap();
    let outcome = ends(command(&sandbox, &["run"]).env("CARGO_TARGET_DIR", &file), 4);
    let said = &outcome.stderr;
    assert!(said.contains(&format!("cannot keep results in {}", file.display())), "{said}");
    assert!(said.contains("help: set CARGO_TARGET_DIR"), "{said}");
    assert_eq!(outcome.stdout, "");
}

/// On a RAM disk of its own, mounted where only this mongate sees it; needs the right to mount.
#[test]
fn a_full_or_read_only_ram_disk_makes_its_cases_unavailable() {
    if ram().is_none() {
        return;
    }
    let sandbox = Sandbox::new(
        "startup.engines = ['ephemeralForTest']\nmongod.optional = []\nstartup.db_paths = \
            ['ramdisk']",
    );
    sandbox.cache(&["6.0.27"]);
    let folder = sandbox.path().join("ram");
    fs::create_dir(&folder).unwrap();
    for (option, words) in [
        ("size=1m", ["not enough space in", "1 MB free, 10 MB needed"]),
        ("ro", ["not writable", "read-only"]),
    ] {
        let mongate = command(&sandbox, &["run", "--format", "json", "--blocks", "6"]);
        let mut inside = Command::new("unshare");
        inside.args([
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs -o \"$1\" none ram || exit 77; shift; exec \"$@\"",
            "sh",
            option,
        ]);
        inside
            .arg(mongate.get_program())
            .args(mongate.get_args())
            .current_dir(sandbox.path())
            .env_clear();
        inside.envs(mongate.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // Without a disk nothing else has to be measured.
        inside.env("MONGATE_RAMDISK", &folder).env("TMPDIR", sandbox.ram.as_ref().unwrap().path());
        inside.env("CARGO_TARGET_DIR", sandbox.ram.as_ref().unwrap().path());
        let outcome = run(&mut inside);
        if outcome.code != Some(4) && outcome.stdout.is_empty() {
            eprintln!("skipped: no right to mount here: {outcome:?}");
            return;
        }
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        let case = &outcome.json()["startup"][0];
        assert_eq!(case["status"], "unavailable");
        let reason = case["reason"].as_str().unwrap();
        assert!(words.iter().all(|word| reason.contains(word)), "{reason}");
    }
    sandbox.assert_clean();
}
