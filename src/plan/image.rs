//! What cold starts evict, found out once for each binary of a session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dbpath::DataFolder;
use crate::error::Result;
use crate::launch::cold::Image;
use crate::launch::{Launch, Launcher};
use crate::model::Engine;
use crate::mongod::Binary;
use crate::plan::obtain::reason;

/// The images of the binaries that were asked so far; or why there is no cold start.
#[derive(Debug, Default)]
pub(super) struct Images(BTreeMap<PathBuf, std::result::Result<Image, String>>);

impl Images {
    /// The image of a binary; `base` is a folder for the data of the start that tells it.
    ///
    /// # Errors
    /// A signal asked for the end. Inside: why a start of this binary would not be cold.
    pub fn of(
        &mut self,
        binary: &Binary,
        engine: Engine,
        base: &Path,
    ) -> Result<std::result::Result<Image, String>> {
        let path = &binary.executable.path;
        if let Some(known) = self.0.get(path) {
            return Ok(known.clone());
        }
        let image = reason(try_out(binary, engine, base))?;
        let image = image.map_err(|why| format!("no cold start: {why}"));
        self.0.insert(path.clone(), image.clone());
        Ok(image)
    }
}

/// Starts the binary once to see what it is loaded from, and evicts that once to see that it can
/// be.
fn try_out(binary: &Binary, engine: Engine, base: &Path) -> Result<Image> {
    let folder = DataFolder::new(base)?;
    let launch = Launch {
        executable: binary.executable.clone(),
        engine: engine.to_string(),
        db_path: folder.db(),
        arguments: Vec::new(),
        delay: None,
        timeout: Duration::from_secs(60),
    };
    let running = Launcher::new()?.start(&launch)?;
    let image = Image::of(&running)?;
    running.stop()?;
    image.evict()?;
    image.load()?;
    Ok(image)
}
