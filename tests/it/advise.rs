//! `mongate advise` itself.

use std::fs;

use serde_json::Value;

use crate::runs::{case, session};
use crate::support::{Background, Sandbox, signal, wait_for};

const ID: &str = "startup::6.0::wiredTiger::disk";

#[test]
fn an_interrupted_session_ends_at_once_and_leaves_nothing() {
    let sandbox = Sandbox::new("[mongod]\nversions = ['6.0']\noptional = []\n");
    sandbox.stand_ins(&["6.0.27"]);
    let command =
        Background::spawn(&mut sandbox.private(&["advise", "--blocks", "6", "--format", "json"]));
    let runs = sandbox.target().join("mongate");
    let _ = wait_for("the first launch of the session", || fs::read_dir(&runs).ok()?.next());
    signal(command.0.id(), rustix::process::Signal::INT);
    let outcome = command.end();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    let advice = outcome.json();
    assert_eq!(advice["servers"][0]["label"], "6.0");
    assert_eq!(advice["blocks"], 0);
    // Every case that advice needs was in the session.
    let kept: Value =
        serde_json::from_slice(&fs::read(sandbox.results().join("results.json")).unwrap()).unwrap();
    let cases = kept["startup"].as_array().unwrap();
    assert_eq!(cases.len(), 32);
    sandbox.assert_clean();
}

#[test]
fn what_cannot_be_advised_on_is_refused() {
    let sandbox = Sandbox::new("mongod.versions = ['6.0']");
    let outcome = sandbox.run(&["advise", "3.6"]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("no mongod 3.6 on this machine"), "{outcome:?}");
    let none = sandbox.path().join("none.json");
    let outcome = sandbox.run(&["advise", "--run", none.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("no file, folder or run is called")
            && outcome.stderr.contains("help:"),
        "{outcome:?}"
    );
    fs::write(&none, session("run", 0, "a processor", &[case(ID, 150.0, None, false)]).to_string())
        .unwrap();
    let outcome = sandbox.run(&["advise", "7.0", "--run", none.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("no start of 7.0 is in the results"), "{outcome:?}");
}

#[test]
fn advice_has_every_format_and_a_page() {
    let sandbox = Sandbox::new("mongod.versions = ['6.0']");
    let run = sandbox.path().join("run.json");
    fs::write(&run, include_str!("../../fixtures/results/run.json")).unwrap();
    let page = sandbox.path().join("page.html");
    let advise = |format: &str| {
        let mut command = sandbox.command(&["advise", "6.0", "--run", run.to_str().unwrap()]);
        let output = command.env("MONGATE_FORMAT", format).env("MONGATE_HTML", &page).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let markdown = advise("markdown");
    let title = "## What to use with mongod 6.0.27 on this machine (8 blocks in one session)\n";
    assert!(markdown.starts_with(title), "{markdown}");
    assert!(markdown.contains("| instead of it | median | difference | memory | dbPath |"));
    let csv = advise("csv");
    assert!(csv.starts_with("table,group,instead of it,median,"), "{csv}");
    // Nothing else stands beside it.
    let json: Value = serde_json::from_str(&advise("json")).unwrap();
    assert_eq!(json["servers"][0]["label"], "6.0");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("instead of it"), "{page}");
    for fetched in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(fetched), "the page needs {fetched}");
    }
}
