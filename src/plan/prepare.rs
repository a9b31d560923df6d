//! What each case of a session needs before it can be measured: a binary, an engine in it, a place
//! for the data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Config, Variant};
use crate::dbpath;
use crate::dbpath::Place;
use crate::error::{Error, Result};
use crate::launch::cold::Image;
use crate::launch::{Probes, Setup};
use crate::model::DbPathKind;
use crate::model::Observer;
use crate::model::{Cache, Case, Engine, Topology};
use crate::model::{Label, Version};
use crate::mongod::{Binary, cache_folder, locate};
use crate::plan::image::Images;
use crate::plan::obtain::{Fetch, obtain, reason};

/// One case of a session, with what it takes to measure it.
#[derive(Clone, Debug)]
pub struct PlannedCase {
    /// The case.
    pub case: Case,
    /// Listed under `versions`: where it cannot be measured, the gate fails.
    pub required: bool,
    /// Not among the cases that were asked for: it joined as somebody's reference.
    pub joined: bool,
    /// What the binary says it is, where there is one.
    pub version: Option<Version>,
    /// Where its data goes, where there is such a place.
    pub place: Option<Place>,
    /// Extra arguments for mongod.
    pub arguments: Vec<String>,
    /// What is evicted from the page cache right before each launch; nothing for warm ones.
    pub image: Option<Image>,
    /// Which arm of the session this one is compared with; a reference names itself.
    pub reference: usize,
    /// Each launch begins with a copy of a dbPath that is prepared once.
    pub template: bool,
    /// Waited before mongod, in a wrapper; nothing for no wrapper.
    pub delay: Option<Duration>,
    /// After so many blocks it is complete and launched no more, unless another one that goes on is
    /// compared with it; nothing for never. Decided before the session: whoever ends an arm for
    /// what it showed finds differences between identical ones.
    pub complete_after: Option<u32>,
    /// The binary and the folder for its data; or why it cannot be measured.
    pub ready: std::result::Result<(Binary, PathBuf), String>,
}

impl PlannedCase {
    /// The binary and the folder for its data.
    ///
    /// # Errors
    /// It is unavailable, with the reason.
    pub fn binary(&self) -> Result<(&Binary, &Path)> {
        match &self.ready {
            Ok((binary, base)) => Ok((binary, base)),
            Err(why) => Err(Error::environment(why.clone())),
        }
    }
}

/// The cases that join a session of these: their references, and those that limits compare them
/// with.
pub fn joining(config: &Config, cases: &[Case]) -> Vec<Case> {
    let references = cases.iter().map(Case::reference);
    let mut joining = Vec::new();
    for case in references.chain(config.gate.against(cases)) {
        if !cases.contains(&case) && !joining.contains(&case) {
            joining.push(case);
        }
    }
    joining
}

/// Prepares `cases` and those that join them. `target` is the folder for build products, which
/// takes the data where the temporary folder is RAM.
///
/// # Errors
/// A signal asked for the end. What cannot be had makes a case unavailable, which is no error here.
pub fn prepare(
    config: &Config,
    cases: &[Case],
    joining: &[Case],
    fetch: Fetch,
    target: &Path,
    observer: &dyn Observer,
) -> Result<Vec<PlannedCase>> {
    let all = [cases, joining].concat();
    let environment = environment(target);
    let places: BTreeMap<DbPathKind, _> = [DbPathKind::Disk, DbPathKind::Ramdisk]
        .into_iter()
        .filter(|kind| all.iter().any(|case| case.db_path == *kind))
        .map(|kind| (kind, dbpath::choose(kind, &environment)))
        .collect();
    for place in places.values().flatten() {
        dbpath::sweep(&place.base);
    }
    let mut probes = Probes::open(&cache_folder());
    let mut binaries: BTreeMap<Label, std::result::Result<Binary, String>> = BTreeMap::new();
    for case in &all {
        if !binaries.contains_key(&case.label) {
            let binary = reason(obtain(&case.label, config, fetch, &mut probes, observer))?;
            binaries.insert(case.label.clone(), binary);
        }
    }
    let mut images = Images::default();
    let mut arms = Vec::new();
    for (index, case) in all.iter().enumerate() {
        let place = places[&case.db_path].as_ref();
        let binary = &binaries[&case.label];
        let mut ready = match (binary, place) {
            (Err(why), _) => Err(why.clone()),
            (Ok(_), Err(why)) => Err(why.to_string()),
            (Ok(binary), Ok(place)) => {
                let answer = variant(case, config).and_then(|variant| {
                    let arguments = arguments(config, variant.as_ref());
                    let setup = setup(case, &arguments);
                    probes.setup(&binary.executable, &setup, &place.base)
                });
                match reason(answer)? {
                    Ok(Ok(())) => Ok((binary.clone(), place.base.clone())),
                    Ok(Err(refusal)) => Err(refusal),
                    Err(why) => Err(why),
                }
            }
        };
        let image = match &ready {
            Ok((binary, base)) if case.cache == Cache::Cold => {
                let image = images.of(binary, case.engine, base)?;
                image.map_err(|why| ready = Err(why)).ok()
            }
            _ => None,
        };
        // Where it is unknown, `ready` says so.
        let variant = variant(case, config).unwrap_or_default();
        arms.push(PlannedCase {
            case: case.clone(),
            required: config.mongod.versions.contains(&case.label),
            joined: index >= cases.len(),
            version: binary.as_ref().ok().map(|b| b.version.clone()),
            place: place.ok().cloned(),
            arguments: arguments(config, variant.as_ref()),
            template: variant.is_some_and(|variant| variant.template),
            image,
            // A case whose reference is not here is its own.
            reference: all.iter().position(|other| *other == case.reference()).unwrap_or(index),
            delay: None,
            complete_after: None,
            ready,
        });
    }
    Ok(arms)
}

/// The variant of a case, where it has one.
///
/// # Errors
/// There is none of that name.
fn variant(case: &Case, config: &Config) -> Result<Option<Variant>> {
    let name = case.variant.as_ref();
    name.map(|name| config.startup.variant(name)).transpose()
}

/// The extra arguments of a case: those of the configuration, then those of its variant.
fn arguments(config: &Config, variant: Option<&Variant>) -> Vec<String> {
    let own = variant.into_iter().flat_map(|variant| &variant.arguments);
    let all = config.startup.arguments.iter().chain(own);
    all.map(|argument| argument.0.clone()).collect()
}

/// What a binary is asked about a case: its engine; with a topology or a variant, all of it.
/// Arguments that are for every case are not asked for: without them there is nothing to measure.
fn setup<'a>(case: &Case, arguments: &'a [String]) -> Setup<'a> {
    let is_plain = case.topology == Topology::Standalone && case.variant.is_none();
    Setup {
        engine: case.engine,
        topology: case.topology,
        arguments: if is_plain { &[] } else { arguments },
    }
}

/// What the choice of a folder depends on; on macOS that is also what `hdiutil` says of RAM disks.
fn environment(target: &Path) -> dbpath::Env {
    let environment = dbpath::Env::current(target);
    #[cfg(target_os = "macos")]
    let environment = dbpath::Env {
        // Without it no folder counts as RAM, which the reason then says.
        hdiutil: crate::host::tool::run(
            std::process::Command::new("hdiutil").args(["info", "-plist"]),
            || (),
        )
        .ok()
        .map(|output| output.stdout.into_bytes()),
        ..environment
    };
    environment
}

/// Whether a case is known, without starting anything, to run here: its binary is here and starts
/// with what it takes.
pub fn is_known_to_run(case: &Case, config: &Config, probes: &Probes) -> bool {
    known(case, config, probes) == Some(true)
}

/// Whether there is a file that may be the case's binary and was never asked.
pub fn is_unknown(case: &Case, config: &Config, probes: &Probes) -> bool {
    known(case, config, probes).is_none()
}

/// What is known of a case without starting anything; nothing where a file was never asked.
fn known(case: &Case, config: &Config, probes: &Probes) -> Option<bool> {
    let Ok(variant) = variant(case, config) else {
        return Some(false);
    };
    let arguments = arguments(config, variant.as_ref());
    let setup = setup(case, &arguments);
    let cache = cache_folder().join("mongod");
    for candidate in locate::candidates(&case.label, &config.mongod, &cache) {
        let version = probes.known_version(&candidate.path)?;
        if case.label.accepts(version) {
            return Some(probes.known_setup(&candidate.path, &setup)?.is_ok());
        }
    }
    Some(false)
}

/// The free space that one launch of an engine needs, in bytes.
pub fn needed_space(engine: Engine) -> u64 {
    match engine {
        Engine::WiredTiger => dbpath::space::WIRED_TIGER,
        Engine::EphemeralForTest | Engine::InMemory => dbpath::space::EPHEMERAL_FOR_TEST,
    }
}
