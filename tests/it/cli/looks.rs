//! How the table looks: colours, and the width that it takes.

use std::process::{Command, Stdio};

use super::{command, ends};
use crate::support::{Sandbox, clean};

/// On a terminal, which `script` makes; `None` where there is no such program.
fn on_a_terminal(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Option<String> {
    let mut command = Command::new("script");
    let line = format!("'{}' run 2>/dev/null", env!("CARGO_BIN_EXE_mongate"));
    command.args(["-qec", &line, "/dev/null"]);
    clean(&mut command);
    sandbox.place(&mut command);
    command
        .env("HOME", sandbox.path())
        .env("XDG_CACHE_HOME", sandbox.path().join("cache"))
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.code() == Some(4));
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
    assert!(plain.contains("unavailable") && !plain.contains('\x1b'), "{plain}");
    let empty = on_a_terminal(&sandbox, &[("NO_COLOR", "")]).unwrap();
    assert!(empty.contains('\x1b'), "an empty NO_COLOR says nothing: {empty}");
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
