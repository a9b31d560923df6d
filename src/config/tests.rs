//! The configuration: what is wrong in it is named with its place, and the word that was meant.

use std::path::Path;
use std::time::Duration;

use crate::config::startup_cases;
use crate::config::{Blocks, Config};
use crate::model::Case;

#[track_caller]
fn parse(text: &str) -> Config {
    Config::parse(text, Path::new("m.toml")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is said of a text that is wrong.
#[track_caller]
fn refused(text: &str) -> String {
    match Config::parse(text, Path::new("m.toml")) {
        Ok(config) => panic!("accepted: {text}\n{config:?}"),
        Err(error) => error.to_string(),
    }
}

/// Each with the line in which it is wrong, and words that the message must have.
#[test]
fn every_mistake_is_named_with_its_line_and_the_word_that_was_meant() {
    #[rustfmt::skip]
    let mistakes: &[(&str, usize, &[&str])] = &[
        // Words that nobody knows.
        ("[mongd]\n", 1, &["`mongd`", "did you mean `mongod`?"]),
        ("[mongod]\n# a comment\nverions = []\n", 3, &["`verions`", "did you mean `versions`?"]),
        ("[startup]\ndbpaths = []\n", 2, &["`dbpaths`", "did you mean `db_paths`?"]),
        ("[session]\nblock = 6\n", 2, &["`block`", "did you mean `blocks`?"]),
        ("session.timeot = '9s'\n", 1, &["`timeot`", "did you mean `timeout`?"]),
        ("[startup]\nengines = [\n  'wiredTiger',\n  'ephemeralfortest',\n]\n", 4, &["did you mean \
            `ephemeralForTest`?"]),
        ("[startup]\nengines = ['mmapv1']\n", 2, &["mmapv1", "`wiredTiger`", "`inMemory`"]),
        ("[startup]\ndb_paths = ['ramdsk']\n", 2, &["did you mean `ramdisk`?"]),
        ("[mongod]\nsources = ['whel']\n", 2, &["did you mean `wheel`?"]),
        // Values that are none.
        ("[mongod]\nversions = ['6 0']\n", 2, &["\"6 0\" is not a version label", "\"6.0.27\""]),
        ("[mongod]\nversions = [\n'6.0',\n'']\n", 4, &["is not a version label"]),
        ("[mongod]\nversions = [6.0]\n", 2, &["6.0", "expected a string"]),
        ("[mongod.path]\n'6/0' = '/x'\n", 2, &["\"6/0\" is not a version label"]),
        ("[session]\nblocks = 5\n", 2, &["\"5\"", "from 6"]),
        ("[session]\nblocks = -6\n", 2, &["\"-6\"", "N or MIN..MAX"]),
        ("[session]\nblocks = '20..10'\n", 2, &["\"20..10\""]),
        ("[session]\nblocks = '6..'\n", 2, &["\"6..\""]),
        ("[session]\nblocks = 99999999999\n", 2, &["to 10000"]),
        ("[session]\ntimeout = '1min'\n", 2, &["\"1min\"", "60s"]),
        ("[session]\ntimeout = '0s'\n", 2, &["\"0s\""]),
        ("[session]\n\ntimeout = 60\n", 3, &["60", "expected a string"]),
        ("[session]\nseed = -1\n", 2, &["-1"]),
        ("[startup]\narguments = '--quiet'\n", 2, &["expected a sequence"]),
        // Options that are mongate's own, however they are spelt.
        ("[startup]\narguments = [\n'--quiet',\n'--port', '1']\n", 4, &["--port is set by mongate \
            itself"]),
        ("[startup]\narguments = ['--dbpath=/x']\n", 2, &["--dbpath is set by mongate itself"]),
        ("[startup]\narguments = ['-storageEngine', 'x']\n", 2, &["-storageEngine is set by \
            mongate itself"]),
        ("[startup]\narguments = ['-f', 'x']\n", 2, &["-f is set by mongate itself"]),
        // What contradicts itself, or means nothing.
        ("[mongod]\nversions = ['6.0', '6.0']\n", 2, &["version 6.0 is listed twice"]),
        ("[mongod]\nversions = ['6.0']\noptional = ['6.0']\n", 3, &["version 6.0 is listed twice", "once"]),
        ("[startup]\nengines = ['inMemory', 'inMemory']\n", 2, &["engine inMemory is listed \
            twice"]),
        ("[startup]\ndb_paths = ['disk', 'disk']\n", 2, &["dbPath kind disk is listed twice"]),
        ("# engines\n[startup]\nengines = []\n", 3, &["`engines` is empty"]),
        ("[startup]\ndb_paths = []\n", 2, &["`db_paths` is empty"]),
        ("[mongod]\noptional = []\nversions = []\n", 3, &["`versions` is empty"]),
        ("[session]\n[mongod.path]\n'9.9' = '/x'\n", 2, &["version 9.9", "neither `versions` nor \
            `optional`"]),
        ("[mongod]\nsources = ['cache']\n[mongod.path]\n'6.0' = '/x'\n", 3, &["`sources` lacks \
            \"path\""]),
        // The matrix of start-ups and its variants.
        ("[startup]\ntopologies = ['replicaset']\n", 2, &["did you mean `replica_set`?"]),
        ("[startup]\ntopologies = []\n", 2, &["`topologies` is empty"]),
        ("[startup]\ncaches = ['colt']\n", 2, &["did you mean `cold`?"]),
        ("[startup]\ncaches = ['cold', 'cold']\n", 2, &["state of the cache cold is listed twice"]),
        ("[startup]\nconcurrent = [1, 0]\n", 2, &["0 servers at once"]),
        ("[startup]\nconcurrent = [4, 4]\n", 2, &["the number of servers 4 is listed twice"]),
        ("[startup]\narguments = ['--replSet', 'x']\n", 2, &["--replSet is set by mongate itself"]),
        ("[startup]\nvariants = ['smal-journal']\n", 2, &["there is no variant smal-journal", "did you mean `small-journal`?"]),
        ("[startup]\nvariants = ['qqq']\n", 2, &["there is no variant qqq", "small-cache", "[[startup.variant]]"]),
        ("[startup]\nvariants = [\n'x4']\n", 3, &["\"x4\", which is another part of an id"]),
        ("[startup]\nvariants = ['ftdc-off', 'ftdc-off']\n", 2, &["variant ftdc-off is listed \
            twice"]),
        ("[startup]\nengines = ['ephemeralForTest']\nvariants = ['small-journal']\n", 3, &["small-journal goes with none of"]),
        ("[startup]\ntopologies = ['replica_set']\nvariants = ['no-journal']\n", 3, &["no-journal goes with none of"]),
        ("[[startup.variant]]\nname = 'a'\nargumets = ['--quiet']\n", 3, &["did you mean \
            `arguments`?"]),
        ("[[startup.variant]]\nname = 'a b'\narguments = ['--quiet']\n", 2, &["\"a b\" is not a valid name \
            of a variant"]),
        ("[[startup.variant]]\nname = 'a'\narguments = ['--port']\n", 3, &["--port is set by \
            mongate itself"]),
        ("[[startup.variant]]\nname = 'a'\narguments = []\n", 3, &["variant a has no arguments"]),
        ("[[startup.variant]]\nname = 'small-cache'\narguments = ['--quiet']\n", 2, &["small-cache \
            ships with mongate"]),
        ("[startup]\nvariants = ['a']\n[[startup.variant]]\nname = 'a'\narguments = ['--quiet']\n", 2, &["a is one of your own"]),
        ("[[startup.variant]]\nname = 'a'\narguments = ['--quiet']\n[[startup.variant]]\nname = \
            'a'\narguments = ['-v']\n", 5, &["two variants a"]),
        ("[[startup.variant]]\nname = 'a'\narguments = ['-v']\nversions = ['9.9']\n", 4, &["version 9.9 is under neither"]),
        ("[[startup.variant]]\nname = 'a'\narguments = ['-v']\nengines = ['inMemory']\n", 2, &["a goes with none of"]),
        ("[gate]\n[[gate.limit]]\ncase = 'startup::6.0::wiredTiger::ramdisk'\nmax_ratio = 2.0\n\
          against = 'startup::6.0::wiredTiger::disk::smal-journal'\n", 5, &["did you mean \
              `small-journal`?"]),
        // Limits for nothing, or of the other kind.
        ("[[gate.limit]]\ncase = 'startup::*'\n", 1, &["needs `max`, `max_ratio` or \
            `max_overhead`"]),
        ("[[gate.limit]]\ncase = 'x'\nmax = '1s'\nmax_overhead = '5%'\n", 1, &["write one [[gate.limit]] for each"]),
        ("[[gate.limit]]\ncase = 'x'\nagainst = 'startup::6.0::wiredTiger::disk'\nmax_overhead = \
            '5%'\n", 1, &["`against` goes with `max_ratio`"]),
        ("[[gate.limit]]\ncase = 'x'\nmax_overhead = '-5%'\n", 3, &["\"-5%\" is not a valid share"]),
        ("transactions = {}\n[[gate.limit]]\ncase = 'x*'\nmax_overhead = \
            '5%'\n[[gate.limit]]\ncase = 'x*'\nmax_overhead = '6%'\n", 2, &["two limits of the \
                same kind"]),
        ("[[gate.limit]]\n\ncase = 'startup::9.9::*'\nmax = '1s'\n", 3, &["no case matches", "the nearest is startup::"]),
        ("[[gate.limit]]\ncase = 'transactions::*::insertOne'\nmax_overhead = '5%'\n", 2, &["[transactions] is missing", "add [transactions]"]),
        ("[transactions]\n[[gate.limit]]\ncase = 'transactions::*::insertTwo'\nmax_overhead = \
            '5%'\n", 3,
            &["no case matches", "the nearest is transactions::6.0::insertOne"]),
        ("[transactions]\ncases = ['find']\n[[gate.limit]]\ncase = \
            'transactions::*::insertOne'\nmax_overhead = '5%'\n", 4, &["no case matches"]),
        ("[transactions]\ncases = 'all'\n[[gate.limit]]\ncase = \
            'transactions::*::conflicts'\nmax_overhead = '5%'\n", 4,
            &["`max_overhead` compares arms E and B, which transactions::6.0::conflicts does not \
                have"]),
        ("[transactions]\n[[gate.limit]]\ncase = 'startup::*'\nmax_overhead = '5%'\n", 3,
            &["`max_overhead` limits what a transaction costs, and startup::6.0::wiredTiger::disk \
                is a start-up", "by `max` or `max_ratio`"]),
        ("[transactions]\n[[gate.limit]]\ncase = 'transactions::*'\nmax = '1s'\n", 3,
            &["`max` and `max_ratio` limit start-ups, and transactions::6.0::insertOne is none", "by `max_overhead`"]),
        // What is no TOML.
        ("[mongod]\n\n[startup\n", 3, &["expected `]`"]),
        ("[mongod]\nmirror = 'a'\nmirror = 'b'\n", 3, &["duplicate key"]),
    ];
    for (text, line, words) in mistakes {
        let message = refused(text);
        let place = format!("m.toml:{line}: ");
        assert!(message.starts_with(&place), "{place} for {text}\n{message}");
        for word in *words {
            assert!(message.contains(word), "{word} for {text}\n{message}");
        }
    }
}

#[test]
fn what_is_not_written_has_its_default() {
    for text in ["", "[session]\n", "\u{feff}[mongod]\nversions = ['6.0']\n"] {
        let config = parse(text);
        let ids: Vec<String> = startup_cases(&config).iter().map(Case::id).collect();
        assert_eq!(ids.len(), 12);
        assert_eq!(ids[0], "startup::6.0::wiredTiger::disk");
        assert_eq!(ids[11], "startup::8.0::ephemeralForTest::ramdisk");
        assert_eq!(config.session.blocks, Blocks { min: 10, max: 50 });
        assert_eq!(config.session.seed, None);
        assert_eq!(config.session.timeout.0, Duration::from_secs(60));
        assert!(config.startup.arguments.is_empty());
    }
}

#[test]
fn what_is_written_is_taken() {
    let config = parse(
        "[mongod]\nversions = ['4.4', 'patched']\noptional = []\n[mongod.path]\npatched = '/x'\n\
         [startup]\nengines = ['inMemory']\ndb_paths = ['ramdisk']\narguments = ['--quiet', \
         '--slowms=5', 'port']\n\
         [session]\nblocks = '6..20'\nseed = 7\ntimeout = '1500ms'\n",
    );
    let ids: Vec<String> = startup_cases(&config).iter().map(Case::id).collect();
    assert_eq!(ids, ["startup::4.4::inMemory::ramdisk", "startup::patched::inMemory::ramdisk"]);
    assert_eq!(config.session.blocks, Blocks { min: 6, max: 20 });
    assert_eq!(config.session.seed, Some(7));
    assert_eq!(config.session.timeout.0, Duration::from_millis(1500));
    let arguments: Vec<&str> = config.startup.arguments.iter().map(|a| a.0.as_str()).collect();
    assert_eq!(arguments, ["--quiet", "--slowms=5", "port"]);
}

#[test]
fn the_matrix_is_every_combination_that_goes_together() {
    let config = parse(
        "[mongod]\nversions = ['4.2', '6.0']\noptional = []\n\
         [startup]\ndb_paths = ['ramdisk']\ntopologies = ['standalone', 'replica_set']\ncaches = \
         ['warm', 'cold']\n\
         concurrent = [1, 4]\nvariants = ['no-journal']\n\
         [[startup.variant]]\nname = 'mine'\nversions = ['6.0']\nengines = \
         ['ephemeralForTest']\narguments = ['--quiet']\n",
    );
    let cases = startup_cases(&config);
    let ids: Vec<String> = cases.iter().map(Case::id).collect();
    let with = |part: &str| ids.iter().filter(|id| id.contains(part)).count();
    // Two versions and engines; two topologies, caches and numbers: 32. no-journal joins the
    // standalones of wiredTiger, mine one engine of 6.0.
    assert_eq!(ids.len(), 32 + 8 + 8, "{ids:#?}");
    assert_eq!((with("no-journal"), with("::mine")), (8, 8));
    assert_eq!(with("replica_set::no-journal"), 0);
    assert_eq!(
        ids[..4],
        [
            "startup::4.2::wiredTiger::ramdisk",
            "startup::4.2::wiredTiger::ramdisk::no-journal",
            "startup::4.2::wiredTiger::ramdisk::x4",
            "startup::4.2::wiredTiger::ramdisk::x4::no-journal",
        ]
    );
    let last = "startup::6.0::ephemeralForTest::ramdisk::replica_set::cold::x4::mine";
    assert_eq!(ids.last().unwrap(), last);
    for case in cases {
        assert_eq!(case.id().parse::<Case>().unwrap(), case);
    }
}

/// Who writes down only `versions = ["7.0"]` does not have to know that 7.0 is optional by default.
#[test]
fn a_default_yields_to_the_list_that_is_written() {
    let config = parse("mongod.versions = ['7.0']");
    let required: Vec<&str> = config.mongod.versions.iter().map(|l| l.as_str()).collect();
    let optional: Vec<&str> = config.mongod.optional.iter().map(|l| l.as_str()).collect();
    assert_eq!((required, optional), (vec!["7.0"], vec!["8.0"]));
    let config = parse("mongod.optional = ['6.0']");
    assert!(config.mongod.versions.is_empty(), "{config:?}");
}
