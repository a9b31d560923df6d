//! `[startup]`: the matrix of start-ups.

use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;

use crate::config::place::{line_in, line_in_array, place};
use crate::config::startup_cases;
use crate::config::variant;
use crate::config::variant::Variant;
use crate::config::{Argument, Config, twice};
use crate::error::{Error, Result};
use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::{Cache, Engine, Topology, VariantName};

/// `[startup]`: every combination of these is a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Startup {
    /// Default `["wiredTiger", "ephemeralForTest"]`.
    pub engines: Vec<Engine>,
    /// Default `["disk", "ramdisk"]`.
    pub db_paths: Vec<DbPathKind>,
    /// Default `["standalone"]`.
    pub topologies: Vec<Topology>,
    /// Default `["warm"]`.
    pub caches: Vec<Cache>,
    /// How many servers start together; default `[1]`.
    pub concurrent: Vec<u32>,
    /// Extra mongod arguments for every case; default none.
    pub arguments: Vec<Argument>,
    /// Variants that ship with mongate, by name; default none.
    pub variants: Vec<VariantName>,
    /// `[[startup.variant]]`: variants of the user's own.
    #[serde(rename = "variant")]
    pub own_variants: Vec<Variant>,
}

impl Default for Startup {
    fn default() -> Self {
        Self {
            engines: vec![Engine::WiredTiger, Engine::EphemeralForTest],
            db_paths: vec![DbPathKind::Disk, DbPathKind::Ramdisk],
            topologies: vec![Topology::Standalone],
            caches: vec![Cache::Warm],
            concurrent: vec![1],
            arguments: Vec::new(),
            variants: Vec::new(),
            own_variants: Vec::new(),
        }
    }
}

impl Startup {
    /// The variants that are part of the matrix: those that are listed, then the user's own.
    pub fn chosen(&self) -> Vec<Variant> {
        // The configuration was refused where a name means nothing.
        let listed = self.variants.iter().filter_map(|name| self.variant(name).ok());
        listed.chain(self.own_variants.clone()).collect()
    }

    /// The variant of this name: one of the user's own, or one that ships with mongate, listed or
    /// not.
    ///
    /// # Errors
    /// There is none: the message names the nearest.
    pub fn variant(&self, name: &VariantName) -> Result<Variant> {
        let mut known = self.own_variants.clone();
        known.extend(variant::shipped());
        if let Some(variant) = known.iter().find(|variant| variant.name == *name) {
            return Ok(variant.clone());
        }
        let near = |variant: &&Variant| strsim::jaro_winkler(variant.name.as_str(), name.as_str());
        let nearest = known.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
        let names: Vec<&str> = known.iter().map(|variant| variant.name.as_str()).collect();
        let help =
            format!("there are {}; others are written as [[startup.variant]]", names.join(", "));
        Err(Error::usage(format!("there is no variant {name}")).help(match nearest {
            Some(variant) if near(&variant) > 0.7 => {
                format!("did you mean `{}`?", variant.name)
            }
            _ => help,
        }))
    }
}

impl Config {
    /// Lists that are empty or name one thing twice, and variants that contradict each other or
    /// mean nothing.
    pub(super) fn check_startup(&self, text: &str, file: &Path) -> Result<()> {
        let startup = &self.startup;
        let at = |key: &str, what: String| {
            let place = place(file, line_in(text, "startup", key));
            Error::usage(format!("{place}: {what}"))
        };
        let lists = [
            ("engines", faults(&startup.engines, "engine")),
            ("db_paths", faults(&startup.db_paths, "dbPath kind")),
            ("topologies", faults(&startup.topologies, "topology")),
            ("caches", faults(&startup.caches, "state of the cache")),
            ("concurrent", faults(&startup.concurrent, "the number of servers")),
        ];
        for (key, (is_empty, twice)) in lists {
            if let Some(twice) = twice {
                return Err(at(key, format!("{twice} is listed twice")));
            }
            if is_empty {
                return Err(at(key, format!("`{key}` is empty, so there is nothing to measure")));
            }
        }
        if startup.concurrent.contains(&0) {
            return Err(at("concurrent", "0 servers at once are nothing to measure".to_owned()));
        }
        if let (_, Some(twice)) = faults(&startup.variants, "variant") {
            return Err(at("variants", format!("{twice} is listed twice")));
        }
        for name in &startup.variants {
            if startup.own_variants.iter().any(|own| own.name == *name) {
                return Err(at("variants", format!("variant {name} is one of your own")).help(
                    "`variants` lists what ships with mongate; your own [[startup.variant]] \
                        are measured without it",
                ));
            }
            startup.variant(name).map_err(|e| at("variants", e.to_string()))?;
        }
        let cases = startup_cases(self);
        let idle = |name: &VariantName| {
            let is_measured = cases.iter().any(|case| case.variant.as_ref() == Some(name));
            (!is_measured).then(|| {
                format!(
                    "variant {name} goes with none of the versions, engines and topologies here"
                )
            })
        };
        if let Some(what) = startup.variants.iter().find_map(idle) {
            return Err(at("variants", what));
        }
        for (index, own) in startup.own_variants.iter().enumerate() {
            let wrong = self.fault(own, index).or_else(|| Some(("name", idle(&own.name)?)));
            if let Some((key, what)) = wrong {
                let line = line_in_array(text, ["startup", "variant"], index, key);
                return Err(Error::usage(format!("{}: {what}", place(file, line))));
            }
        }
        Ok(())
    }

    /// The key that is wrong in one of the user's own variants, and why.
    fn fault(&self, own: &Variant, index: usize) -> Option<(&'static str, String)> {
        let name = &own.name;
        let unknown = |label: &&Label| {
            !self.mongod.versions.contains(label) && !self.mongod.optional.contains(label)
        };
        if variant::shipped().iter().any(|shipped| shipped.name == *name) {
            let why = "ships with mongate: list it under `variants`, or take another name";
            Some(("name", format!("the variant {name} {why}")))
        } else if self.startup.own_variants[..index].iter().any(|other| other.name == *name) {
            Some(("name", format!("there are two variants {name}")))
        } else if own.arguments.is_empty() && !own.template {
            Some((
                "arguments",
                format!("variant {name} has no arguments, so it differs in nothing"),
            ))
        } else {
            let label = own.versions.iter().flatten().find(unknown)?;
            Some((
                "versions",
                format!("version {label} is under neither `versions` nor `optional` of [mongod]"),
            ))
        }
    }
}

/// Whether a list is empty, and what it names twice, in words.
fn faults<T: PartialEq + Display>(list: &[T], what: &str) -> (bool, Option<String>) {
    let twice = twice(list).map(|value| format!("{what} {value}"));
    (list.is_empty(), twice)
}
