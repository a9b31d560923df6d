//! Transactions as tests, beside start-ups.

use serde_json::Value;

use super::{CASE, config, ends, harness, listed, measured, names, under_nextest};
use crate::support::Sandbox;

const FIND: &str = "transactions::6.0::findOne";
const UPDATE: &str = "transactions::6.0::updateOne";

/// The two cases, with a limit for one. A transaction that reads is two round trips and a write,
/// without one it is one round trip: it always costs more, and never as much as 1,000 times. No
/// sentinel differs by as much as the tolerance.
fn with_transactions(max_overhead: &str) -> String {
    let startups = config("versions = ['6.0']\noptional = []");
    format!(
        "{startups}[transactions]\ncases = ['findOne', 'updateOne']\ndb_path = 'ramdisk'\n\
         [gate]\ntolerance = '900%'\n[[gate.limit]]\ncase = \
         'transactions::*::findOne'\nmax_overhead = '{max_overhead}'\n"
    )
}

#[test]
fn they_are_tests_where_the_configuration_has_them() {
    let sandbox = Sandbox::new(&with_transactions("0%"));
    assert_eq!(listed(&sandbox), (vec![CASE[0].into(), UPDATE.into(), FIND.into()], Vec::new()));
    assert!(!sandbox.path().join("cache").exists());
    // Those of a server that is not known to run here are ignored.
    let optional = "mongod.optional = ['7.0']\ntransactions.versions = ['6.0', \
        '7.0']\ntransactions.cases = ['findOne']";
    let ignored = listed(&Sandbox::new(optional)).1;
    assert!(ignored.contains(&"transactions::7.0::findOne".to_owned()), "{ignored:?}");
    assert!(!ignored.contains(&FIND.to_owned()), "{ignored:?}");
    // Without the table there are only start-ups.
    let (all, _) = listed(&Sandbox::new(""));
    assert!(all.iter().all(|id| id.starts_with("startup::")), "{all:?}");
    let broken = Sandbox::new("[transactions]\ncases = ['findTwo']");
    assert_eq!(names(&ends(&mut harness(&broken, &["--list"]), 0)), ["mongate::configuration"]);
}

#[test]
fn cargo_test_measures_both_kinds_into_one_file() {
    let Some(sandbox) = Sandbox::in_ram(&with_transactions("100000%")) else {
        return;
    };
    sandbox.cache(&["6.0.27"]);
    let outcome = ends(&mut harness(&sandbox, &[]), 0);
    let text = &outcome.stdout;
    for says in [
        "3 passed; 0 failed; 0 ignored",
        "start-up, spawn to first ping, in ms",
        "transactions, medians in us, cost in us and %, profile quick",
        "ok: a transaction of transactions::6.0::findOne costs ",
    ] {
        assert!(text.contains(says), "{says}: {outcome:?}");
    }
    let folder = sandbox.results();
    assert_eq!(measured(&folder), CASE[..1]);
    let results = std::fs::read_to_string(folder.join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&results).unwrap();
    let found = results["transactions"].as_array().unwrap().iter();
    let found: Vec<_> = found.map(|c| [&c["id"], &c["status"], &c["verdict"]["outcome"]]).collect();
    assert_eq!(found, [[UPDATE, "measured", "measured"], [FIND, "measured", "ok"]]);
    sandbox.assert_clean();
}

#[test]
fn nextest_measures_one_and_its_limit_fails_it() {
    let Some(sandbox) = Sandbox::in_ram(&with_transactions("0%")) else {
        return;
    };
    sandbox.cache(&["6.0.27"]);
    let exact = ["--exact", FIND, "--nocapture"];
    let outcome = ends(&mut under_nextest(&sandbox, "a-run", &exact), 101);
    let text = &outcome.stdout;
    assert!(text.contains("0 passed; 1 failed; 0 ignored"), "{outcome:?}");
    assert!(!text.contains("start-up, spawn to first ping"), "{outcome:?}");
    let says = "regressed: a transaction of transactions::6.0::findOne costs ";
    let message = text.lines().find(|line| line.contains(says));
    let message = message.unwrap_or_else(|| panic!("{outcome:?}"));
    let limit = " % more than the same operations without one (95 %: ";
    assert!(message.contains(limit), "{message}");
    assert!(message.ends_with(", more than its limit of 0 %"), "{message}");
    let folder = sandbox.results().join(FIND.replace("::", "-"));
    assert_eq!(measured(&folder), [""; 0]);
    sandbox.assert_clean();
}

#[test]
fn a_case_that_fails_fails_its_test_with_the_reason() {
    let Some(sandbox) = Sandbox::in_ram(&with_transactions("0%")) else {
        return;
    };
    // A real mongod that becomes no replica set: it never hears of one.
    let lone = crate::support::wrapper(
        sandbox.path(),
        "lone",
        "6.0.27",
        "set -- $(echo \"$@\" | sed 's/--replSet mongate//')",
    );
    let mut command = harness(&sandbox, &["--exact", FIND]);
    let outcome = ends(command.env("MONGATE_MONGOD_6_0", lone), 101);
    let text = &outcome.stdout;
    assert!(text.contains("failed: "), "{outcome:?}");
    assert!(text.contains("1 failed; 0 ignored"), "{outcome:?}");
    sandbox.assert_clean();
}
