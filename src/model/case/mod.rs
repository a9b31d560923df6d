//! What gets measured: every case has an id, which is also its name as a test.

mod parts;

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::model::DbPathKind;
use crate::model::Label;

pub use parts::{Cache, Engine, Topology, VariantName};

/// How an id is written.
const FORM: &str = "startup::<version>::<engine>::<disk or \
    ramdisk>[::replica_set][::cold][::x<servers at once>][::<variant>]";

/// One start-up to be measured: `startup::<label>::<engine>::<dbPath
/// kind>[::replica_set][::cold][::x<N>][::<variant>]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// What the configuration calls the server.
    pub label: Label,
    /// The storage engine.
    pub engine: Engine,
    /// Where the data goes.
    pub db_path: DbPathKind,
    /// What the server is part of.
    pub topology: Topology,
    /// What the page cache holds.
    pub cache: Cache,
    /// How many servers start together; at least 1.
    pub at_once: u32,
    /// The set of extra arguments; nothing for none.
    pub variant: Option<VariantName>,
}

impl Case {
    /// One standalone server, warm, without extra arguments.
    pub fn plain(label: Label, engine: Engine, db_path: DbPathKind) -> Self {
        Self {
            label,
            engine,
            db_path,
            topology: Topology::default(),
            cache: Cache::default(),
            at_once: 1,
            variant: None,
        }
    }

    /// The id, also the name of the test.
    pub fn id(&self) -> String {
        let mut id = format!("startup::{}::{}::{}", self.label, self.engine, self.db_path);
        let mut add = |part: &str| id.extend(["::", part]);
        if self.topology != Topology::default() {
            add(self.topology.as_str());
        }
        if self.cache != Cache::default() {
            add(self.cache.as_str());
        }
        if self.at_once != 1 {
            add(&format!("x{}", self.at_once));
        }
        if let Some(variant) = &self.variant {
            add(variant.as_str());
        }
        id
    }

    /// The case that this one is compared with: the same label and topology; wiredTiger on disk,
    /// warm, alone, without extra arguments.
    pub fn reference(&self) -> Self {
        Self {
            topology: self.topology,
            ..Self::plain(self.label.clone(), Engine::WiredTiger, DbPathKind::Disk)
        }
    }
}

impl FromStr for Case {
    type Err = Error;

    /// Reads an id.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: String| Error::usage(format!("{text:?} is not a valid case: {why}"));
        let parts: Vec<&str> = text.split("::").collect();
        let ["startup", label, engine, db_path, more @ ..] = &parts[..] else {
            return Err(wrong(format!("write {FORM}")));
        };
        let mut more = more.iter().copied().peekable();
        let mut has = |word: &str| more.next_if_eq(&word).is_some();
        let topology = if has(Topology::ReplicaSet.as_str()) {
            Topology::ReplicaSet
        } else {
            Topology::Standalone
        };
        let cache = if has(Cache::Cold.as_str()) { Cache::Cold } else { Cache::Warm };
        let at_once = match more.next_if(|part| parts::is_count(part)) {
            None => 1,
            // x0 or x1, or so large that it is no number.
            Some(part) => match part[1..].parse() {
                Ok(number) if number > 1 => number,
                _ => {
                    return Err(wrong(format!(
                        "{part:?} is not a valid number of servers: write x2 or more"
                    )));
                }
            },
        };
        let variant = more.next().map(str::parse::<VariantName>).transpose();
        let case = Self {
            label: label.parse()?,
            engine: engine.parse()?,
            db_path: db_path.parse()?,
            topology,
            cache,
            at_once,
            variant: variant.map_err(|e| wrong(e.to_string()).help(format!("write {FORM}")))?,
        };
        // A part too many, or x02.
        if case.id() != text {
            return Err(wrong(format!("write {}, or {FORM}", case.id())));
        }
        Ok(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_what_it_was_written_from() {
        let plain: Case = "startup::6.0::wiredTiger::ramdisk".parse().unwrap();
        let name: VariantName = "small-journal+few-sessions".parse().unwrap();
        for topology in [Topology::Standalone, Topology::ReplicaSet] {
            for cache in [Cache::Warm, Cache::Cold] {
                for at_once in [1, 2, 16, u32::MAX] {
                    for variant in [None, Some(name.clone())] {
                        let case = Case { topology, cache, at_once, variant, ..plain.clone() };
                        assert_eq!(case.id().parse::<Case>().unwrap(), case, "{}", case.id());
                    }
                }
            }
        }
        let all = "startup::6.0::ephemeralForTest::disk::replica_set::cold::x4::mine";
        let case: Case = all.parse().unwrap();
        assert_eq!(case.id(), all);
        let reference = "startup::6.0::wiredTiger::disk::replica_set";
        assert_eq!(case.reference().id(), reference);
        assert_eq!(case.reference().reference(), case.reference());
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for (id, why) in [
            ("startup::6.0::wiredTiger", "write startup::<version>"),
            ("startup::6.0::wiredTiger::disk::", "\"\" is not a valid name of a variant"),
            ("startup::6.0::wiredTiger::disk::standalone", "another part of an id"),
            ("startup::6.0::wiredTiger::disk::warm", "another part of an id"),
            ("startup::6.0::wiredTiger::disk::cold::replica_set", "another part of an id"),
            (
                "startup::6.0::wiredTiger::disk::mine::x2",
                "write startup::6.0::wiredTiger::disk::mine, or",
            ),
            ("startup::6.0::wiredTiger::disk::x1", "\"x1\" is not a valid number of servers"),
            ("startup::6.0::wiredTiger::disk::x0", "\"x0\" is not a valid number of servers"),
            ("startup::6.0::wiredTiger::disk::x02", "write startup::6.0::wiredTiger::disk::x2, or"),
            ("startup::6.0::wiredTiger::disk::x99999999999", "is not a valid number of servers"),
            ("startup::6.0::wiredTiger::disk::x2::x4", "another part of an id"),
            ("startup::6.0::wiredTiger::disk::my journal", "is not a valid name of a variant"),
        ] {
            let message = id.parse::<Case>().unwrap_err().to_string();
            assert!(message.contains(why), "{id}: {message}");
        }
    }
}
