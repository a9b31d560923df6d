//! Variants: named sets of extra arguments, each measured as cases of its own.

use serde::Deserialize;

use crate::config::Argument;
use crate::model::Label;
use crate::model::{Case, Engine, Topology, VariantName};

/// A named set of extra arguments. What its lists leave out is no case; what mongod refuses is a
/// case that is unavailable, in mongod's words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name, the last part of the id.
    pub name: VariantName,
    /// The engines that it goes with; default all.
    pub engines: Option<Vec<Engine>>,
    /// The labels that it goes with; default all.
    pub versions: Option<Vec<Label>>,
    /// The topologies that it goes with; default all.
    pub topologies: Option<Vec<Topology>>,
    /// What it adds to mongod's command line, after `arguments` of `[startup]`.
    #[serde(default)]
    pub arguments: Vec<Argument>,
    /// Each launch begins with a copy of a dbPath that was prepared once, and the copy counts; with
    /// wiredTiger only, since the other engines keep nothing there. Default false.
    #[serde(default)]
    pub template: bool,
}

impl Variant {
    /// Whether it goes with what a case measures.
    pub fn is_for(&self, case: &Case) -> bool {
        fn has<T: PartialEq>(list: &Option<Vec<T>>, value: &T) -> bool {
            list.as_ref().is_none_or(|list| list.contains(value))
        }
        has(&self.engines, &case.engine)
            && has(&self.versions, &case.label)
            && has(&self.topologies, &case.topology)
            && (!self.template || case.engine == Engine::WiredTiger)
    }
}

/// The variants that ship with mongate.
///
/// - `small-journal`: a journal file of 1 MB that is not preallocated, in place of three of 100 MB.
/// - `few-sessions`: room for 200 sessions of WiredTiger in place of 20,000 or more, for which it
///   allocates memory when it opens.
/// - `small-journal+few-sessions`: both, which needs one option, since mongod takes
///   `--wiredTigerEngineConfigString` once.
/// - `no-journal`: a standalone up to 6.0 can do without.
/// - `ftdc-off`: without the diagnostic data that every mongod collects.
/// - `small-cache`: 256 MB, the least that mongod takes, in place of half the memory.
/// - `small-oplog`: a replica set's oplog of 16 MB in place of a share of the disk.
/// - `template`: `small-journal+few-sessions` on copies of a dbPath that was prepared once, with
///   its replica set initiated.
///
/// A journal file of 1 MB rather than of WiredTiger's least, 100 KB: a suite that writes switches
/// files less often.
pub fn shipped() -> Vec<Variant> {
    const ENGINE: &str = "--wiredTigerEngineConfigString";
    const SMALL: &str = "log=(prealloc=false,file_max=1MB),session_max=200";
    let wired_tiger = |name: &str, arguments: &[&str]| Variant {
        engines: Some(vec![Engine::WiredTiger]),
        ..with(name, arguments)
    };
    vec![
        wired_tiger("small-journal", &[ENGINE, "log=(prealloc=false,file_max=1MB)"]),
        wired_tiger("few-sessions", &[ENGINE, "session_max=200"]),
        wired_tiger("small-journal+few-sessions", &[ENGINE, SMALL]),
        Variant {
            // mongod says of a replica set that it needs its journal.
            topologies: Some(vec![Topology::Standalone]),
            ..wired_tiger("no-journal", &["--nojournal"])
        },
        with("ftdc-off", &["--setParameter", "diagnosticDataCollectionEnabled=false"]),
        wired_tiger("small-cache", &["--wiredTigerCacheSizeGB", "0.25"]),
        Variant {
            topologies: Some(vec![Topology::ReplicaSet]),
            ..with("small-oplog", &["--oplogSize", "16"])
        },
        Variant { template: true, ..wired_tiger("template", &[ENGINE, SMALL]) },
    ]
}

fn with(name: &str, arguments: &[&str]) -> Variant {
    let arguments = arguments.iter().map(|&text| Argument(text.to_owned()));
    Variant {
        name: name.parse().expect("a literal name"),
        engines: None,
        versions: None,
        topologies: None,
        arguments: arguments.collect(),
        template: false,
    }
}
