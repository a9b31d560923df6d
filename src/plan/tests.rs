//! Which cases a configuration and a filter choose.

use std::path::Path;

use crate::config::Config;
use crate::model::workload::BEYOND;

#[test]
fn a_configuration_chooses_the_cases_and_a_filter_finds_the_others() {
    let names = |text: &str, filter: Option<&str>| {
        let config = Config::parse(text, Path::new("m.toml")).unwrap();
        let cases = crate::plan::transactions::select(&config, filter, false).unwrap();
        cases.iter().map(|case| case.workload.name).collect::<Vec<_>>()
    };
    assert_eq!(names("", None).len(), 12);
    assert_eq!(names("", Some("6.0")).len(), 12);
    assert_eq!(names("[transactions]\ncases = 'all'\n", None).len(), 13 + BEYOND.len());
    assert_eq!(
        names("[transactions]\ncases = ['abort-*', 'find']\n", None),
        ["find", "abort-x1", "abort-x100"]
    );
    // What the configuration does not ask for is measured when it is named.
    assert_eq!(names("", Some("::conflicts")), ["conflicts"]);
    assert_eq!(names("", Some("*::insertOne-*KB")).len(), 3);
    assert_eq!(
        names("[transactions]\ncases = 'find,and_run'\n", Some("::replaceOne")),
        ["replaceOne"]
    );
    // A few cases as tests take nothing from the command, nor does one version.
    let few = "[mongod]\nversions = ['4.2', '6.0']\n[transactions]\nversions = ['6.0']\ncases = \
        ['find', 'and_run']\n";
    assert_eq!(names(few, None).len(), 2);
    assert_eq!(names(few, Some("transactions::6.0::*")).len(), 13);
    assert_eq!(names(few, Some("4.2")).len(), 13);
    let config = Config::parse(few, Path::new("m.toml")).unwrap();
    let only = crate::plan::transactions::select(&config, Some("6.0"), true).unwrap();
    assert_eq!(only.len(), 2);
    let refused = |text: &str| {
        let error = Config::parse(text, Path::new("m.toml")).unwrap_err();
        error.to_string()
    };
    let unknown = refused("[transactions]\ncases = ['find', 'abort-x2']\n");
    assert!(
        unknown.starts_with("m.toml:2: ") && unknown.contains("no workload matches \"abort-x2\""),
        "{unknown}"
    );
    assert!(unknown.contains("the nearest is abort-x1"), "{unknown}");
    assert!(refused("[transactions]\ncases = 3\n").contains("\"article\", \"all\", or a list"));
    assert!(refused("[transactions]\ncases = []\n").contains("empty"));
}
