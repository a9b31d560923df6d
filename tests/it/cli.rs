//! The command line: what goes to which output, exit codes, filters, formats, widths.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use mongate::report::table::{self, Style};
use mongate::results::Results;
use serde_json::{Value, json};

use crate::support::{Background, Outcome, Sandbox, ram, run};

/// With a home, a cache and a PATH in which there is no mongod but those that a test puts there: what cannot be measured takes no time.
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
    let outcome = ends(
        command(&sandbox, &["list"]).env("MONGATE_RAMDISK", "/no/such/folder"),
        0,
    );
    let about = |id: &str| {
        let line = outcome.stdout.lines().find(|line| line.starts_with(id));
        line.unwrap_or_else(|| panic!("{id}: {outcome:?}"))
            .to_owned()
    };
    assert_eq!(
        about("startup::6.0::ephemeralForTest::disk"),
        "startup::6.0::ephemeralForTest::disk: mongod 6.0.27"
    );
    for (id, words) in [
        (
            "startup::6.0::inMemory::disk",
            [
                ": unavailable: mongod 6.0.27",
                "unknown storage engine: inMemory",
            ],
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
        assert!(
            words.iter().all(|word| line.contains(word)),
            "{words:?}: {line}"
        );
    }
    // Twelve cases, and no reference that nobody asked for.
    let cases = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with("startup::"));
    assert_eq!(cases.count(), 12, "{outcome:?}");
    // Another test may measure just now.
    let errors = outcome
        .stderr
        .lines()
        .filter(|line| !line.contains("waiting: "));
    assert_eq!(errors.count(), 0, "{outcome:?}");
    assert!(
        !sandbox.target().join("mongate").exists(),
        "listing measures nothing"
    );
    sandbox.assert_clean();
}

#[test]
fn a_filter_is_an_id_a_pattern_or_a_part() {
    let sandbox = Sandbox::new("mongod.versions = ['6.0', '6.0.24']\nmongod.optional = []");
    let count = |filter: &str| {
        let outcome = ends(&mut command(&sandbox, &["list", filter]), 0);
        outcome
            .stdout
            .lines()
            .filter(|line| line.starts_with("startup::"))
            .count()
    };
    assert_eq!(count("startup::6.0::wiredTiger::disk"), 1);
    assert_eq!(count("startup::6.0*wiredTiger*"), 4);
    assert_eq!(count("*::ramdisk"), 4);
    assert_eq!(count("6.0.24"), 4);
    assert_eq!(count("wiredTiger::ramdisk"), 2);
    for filter in [
        "startup::6.0::wiredtiger::disk",
        "ramdisk*wiredTiger",
        "9.9",
    ] {
        for verb in ["list", "run"] {
            let outcome = ends(&mut command(&sandbox, &[verb, filter]), 2);
            let said = &outcome.stderr;
            assert!(
                said.contains(&format!("no case matches \"{filter}\"")),
                "{said}"
            );
            assert!(said.contains("the nearest is startup::6.0"), "{said}");
            assert!(said.contains("`mongate list` shows all 8"), "{said}");
            assert_eq!(outcome.stdout, "");
        }
    }
}

#[test]
fn the_format_is_a_table_or_json_also_without_a_command() {
    let sandbox = Sandbox::new("");
    let is_table = |outcome: Outcome| {
        outcome
            .stdout
            .starts_with("start-up, spawn to first ping, in ms\n")
    };
    assert!(is_table(ends(&mut command(&sandbox, &[]), 4)));
    assert!(is_table(ends(
        &mut command(&sandbox, &["run", "--format", "table"]),
        4
    )));
    let flag_first = ["run", "--format", "table"];
    assert!(is_table(ends(
        command(&sandbox, &flag_first).env("MONGATE_FORMAT", "json"),
        4
    )));
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
    let sandbox = Sandbox::new("mongod.versions = ['6.0']\nmongod.optional = ['7.0']");
    ends(&mut command(&sandbox, &["run"]), 4);
    ends(&mut command(&sandbox, &["run", "6.0"]), 4);
    let optional = ends(&mut command(&sandbox, &["run", "7.0"]), 0);
    assert!(
        optional
            .stdout
            .contains("[1] no mongod 7.0 on this machine"),
        "{optional:?}"
    );
    // Each reason once, and each version's heading once, though its reference joined.
    assert_eq!(
        optional.stdout.matches("no mongod 7.0").count(),
        1,
        "{optional:?}"
    );
    assert_eq!(
        optional.stdout.matches("unavailable [1]").count(),
        1,
        "{optional:?}"
    );
}

#[test]
fn bad_usage_is_code_2_and_leaves_standard_output_empty() {
    let sandbox = Sandbox::new("");
    for (arguments, word) in [
        (&["run", "--blocks", "5"][..], "from 6"),
        (&["run", "--blocks"], "--blocks"),
        (&["run", "--seed", "x"], "--seed"),
        (&["run", "--format", "xml"], "table, json"),
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
        (
            &["compare", "--help"],
            &["--inject", "--tolerance", "MONGATE_TOLERANCE", "10..50"],
        ),
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

/// On a terminal, which `script` makes; `None` where there is no such program.
fn on_a_terminal(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Option<String> {
    let mut command = Command::new("script");
    let line = format!("'{}' run 2>/dev/null", env!("CARGO_BIN_EXE_mongate"));
    command.args(["-qec", &line, "/dev/null"]);
    crate::support::clean(&mut command);
    sandbox.place(&mut command);
    command
        .env("HOME", sandbox.path())
        .env("XDG_CACHE_HOME", sandbox.path().join("cache"))
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.code() == Some(4));
    if output.is_none() {
        eprintln!("skipped: util-linux's script makes no terminal here");
    }
    Some(String::from_utf8(output?.stdout).unwrap())
}

#[test]
fn colours_are_for_terminals_and_not_with_no_color() {
    let sandbox = Sandbox::new("");
    let piped = ends(command(&sandbox, &["run"]).env_remove("NO_COLOR"), 4);
    assert!(!piped.stdout.contains('\x1b'), "{piped:?}");
    let Some(coloured) = on_a_terminal(&sandbox, &[]) else {
        return;
    };
    assert!(coloured.contains("\x1b[1m"), "{coloured}");
    let plain = on_a_terminal(&sandbox, &[("NO_COLOR", "1")]).unwrap();
    assert!(
        plain.contains("unavailable") && !plain.contains('\x1b'),
        "{plain}"
    );
    let empty = on_a_terminal(&sandbox, &[("NO_COLOR", "")]).unwrap();
    assert!(
        empty.contains('\x1b'),
        "an empty NO_COLOR says nothing: {empty}"
    );
}

/// The widest figures that there are: seconds, and the longest names.
fn wide() -> Results {
    let case = |engine: &str, kind: &str, system: &str, against: Value| {
        json!({
            "id": format!("startup::6.0::{engine}::{kind}"), "label": "6.0", "version": "6.0.27", "engine": engine,
            "topology": "standalone", "required": true, "joined": false, "status": "measured", "reason": null,
            "db_path": {"kind": kind, "path": "/a", "file_system": system, "is_ram": null, "fsync_us": 3870.0},
            "samples": [], "against": against,
            "verdict": {"outcome": "measured", "rule": null, "detail": null, "fails": false},
            "summary": {"n": 50, "median_ms": 11313.0, "ci95_ms": [11151.0, 11463.0], "mean_ms": 1.0, "sd_ms": 1.0,
                "min_ms": 11042.0, "p95_ms": 11871.0},
        })
    };
    let against = json!({"reference": "startup::6.0::wiredTiger::disk", "substitute": false, "ratio": 12.22,
        "ci95": [10.19, 12.26], "p": 0.01, "p_holm": 0.06});
    let mut missing = case("inMemory", "ramdisk", "tmpfs", Value::Null);
    missing["status"] = "unavailable".into();
    missing["reason"] =
        "mongod 6.0.27: Cannot start server with an unknown storage engine: inMemory".into();
    let results = json!({
        "schema": "mongate/1", "run_id": "20261201T004847Z-21416", "started": "2026-12-01T00:48:47Z",
        "tool": {"name": "mongate", "version": "0.1.0"}, "seed": 4_294_967_295_u32,
        "machine": {"cpu": "13th Gen Intel(R) Core(TM) i9-13900HX", "cores": 32, "memory_mb": 65_536,
            "os": "Linux (Ubuntu 24.04)", "kernel": "6.18.44-lowlatency", "load1": 12.34},
        "session": {"blocks": 50, "voided": [], "measured_ms": 1.0, "wall_ms": 1.0, "interrupted": false},
        "startup": [
            case("wiredTiger", "disk", "overlay", Value::Null),
            case("ephemeralForTest", "ramdisk", "tmpfs", against),
            missing,
        ],
        "sentinel": null, "notices": [],
    });
    serde_json::from_value(results).unwrap()
}

#[test]
fn a_table_fits_80_columns_and_uses_120() {
    let results = wide();
    let draw = |width| {
        table::render(
            &results,
            Style {
                width,
                color: false,
            },
        )
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    for width in [80, 90, 100, 120, 200] {
        let text = draw(width);
        assert!(widest(&text) <= usize::from(width), "{width}:\n{text}");
        // What a reader came for is always there.
        for word in [
            "11,313",
            "11,151-11,463",
            "12.2",
            "10.2-12.3",
            "ref",
            "unavailable [1]",
        ] {
            assert!(text.contains(word), "{word}:\n{text}");
        }
    }
    assert!(draw(120).contains("11,871"), "p95 has room:\n{}", draw(120));
    assert!(
        draw(120).contains("11,042"),
        "the minimum has room:\n{}",
        draw(120)
    );
    assert!(widest(&draw(120)) > 100, "{}", draw(120));
}

#[test]
fn the_width_is_what_columns_says() {
    let sandbox = Sandbox::new("");
    let widest = |columns: &str| {
        let outcome = ends(command(&sandbox, &["run"]).env("COLUMNS", columns), 4);
        // A path cannot be broken.
        let lines = outcome.stdout.lines().filter(|line| !line.contains('/'));
        lines.map(|line| line.chars().count()).max().unwrap()
    };
    assert!(widest("80") <= 80);
    assert!((81..=120).contains(&widest("120")));
    // What is no width is none.
    assert!(widest("wide") <= 80);
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_a_full_output_is() {
    let sandbox = Sandbox::new("");
    for arguments in [&["list"][..], &["run", "7.0"]] {
        let mut background = Background::spawn(&mut command(&sandbox, arguments));
        drop(background.0.stdout.take());
        assert_eq!(
            background.0.wait().unwrap().code(),
            Some(0),
            "{arguments:?}"
        );
        if Path::new("/dev/full").exists() {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let output = command(&sandbox, arguments).stdout(full).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(4), "{said}");
            assert!(
                said.contains("cannot write to standard output: No space left"),
                "{said}"
            );
        }
    }
}

#[test]
fn results_that_cannot_be_kept_are_a_failure_that_says_where() {
    let sandbox = Sandbox::new("");
    let file = sandbox.path().join("a-file");
    fs::write(&file, "").unwrap();
    let outcome = ends(
        command(&sandbox, &["run"]).env("CARGO_TARGET_DIR", &file),
        4,
    );
    let said = &outcome.stderr;
    assert!(
        said.contains(&format!("cannot keep results in {}", file.display())),
        "{said}"
    );
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
        "startup.engines = ['ephemeralForTest']\nmongod.optional = []\nstartup.db_paths = ['ramdisk']",
    );
    sandbox.cache(&["6.0.27"]);
    let folder = sandbox.path().join("ram");
    fs::create_dir(&folder).unwrap();
    for (option, words) in [
        (
            "size=1m",
            ["not enough space in", "1 MB free, 10 MB needed"],
        ),
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
        inside.envs(
            mongate
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        // Without a disk nothing else has to be measured.
        inside
            .env("MONGATE_RAMDISK", &folder)
            .env("TMPDIR", sandbox.ram.as_ref().unwrap().path());
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
