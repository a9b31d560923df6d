//! One launch of an arm, in a fresh folder.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::dbpath::{DataFolder, space};
use crate::error::{Error, Result};
use crate::launch::Template;
use crate::launch::cold::Image;
use crate::launch::{Launch, Launcher, Server, together};
use crate::model::Sample;
use crate::model::Topology;
use crate::mongod::Binary;
use crate::plan::prepare::{PlannedCase, needed_space};
use crate::stats::quantile;

/// Launches arms, and holds what their launches share.
#[derive(Debug)]
pub(super) struct Starter {
    launcher: Launcher,
    timeout: Duration,
    /// Each with what it is a template for.
    templates: Vec<(Purpose, Template)>,
}

/// What a template is prepared for: two arms that agree in it share one.
#[derive(Debug, PartialEq)]
struct Purpose {
    executable: PathBuf,
    topology: Topology,
    arguments: Vec<String>,
    base: PathBuf,
}

impl Starter {
    /// `timeout` is how long one launch may take.
    ///
    /// # Errors
    /// The driver's runtime cannot be set up.
    pub fn new(timeout: Duration) -> Result<Self> {
        Ok(Self { launcher: Launcher::new()?, timeout, templates: Vec::new() })
    }

    /// Prepares what the launches of an arm share: its template, where it has one and that is not
    /// there yet.
    ///
    /// # Errors
    /// The template cannot be had, or would be of no use.
    pub fn prepare(&mut self, arm: &PlannedCase) -> Result<()> {
        let (binary, base) = arm.binary()?;
        if !arm.template || self.template(arm, binary, base).is_some() {
            return Ok(());
        }
        space::require(base, needed_space(arm.case.engine))?;
        let launch = self.describe(arm, binary, PathBuf::new());
        let topology = arm.case.topology;
        let template = Template::prepare(&self.launcher, &launch, topology, base)?;
        let purpose = Purpose::of(arm, binary, base);
        self.templates.push((purpose, template));
        Ok(())
    }

    /// One launch: a server in a fresh folder, or several at once with one each. All are gone
    /// afterwards.
    ///
    /// # Errors
    /// It failed, or the arm is unavailable.
    pub fn launch(&mut self, arm: &PlannedCase, block: u32, position: u32) -> Result<Sample> {
        self.prepare(arm)?;
        let (binary, base) = arm.binary()?;
        let count = arm.case.at_once;
        space::require(base, needed_space(arm.case.engine) * u64::from(count))?;
        let template = self.template(arm, binary, base);
        let start = |launcher: &Launcher, folder: DataFolder| -> Result<Started> {
            let launch = self.describe(arm, binary, folder.db());
            let copying = template.map(|_| Instant::now());
            let server = match template {
                Some(template) => {
                    template.copy_to(&folder)?;
                    template.serve(launcher, &launch)?
                }
                None => launcher.serve(&launch, arm.case.topology, false)?,
            };
            Ok(Started { server, folder, copying })
        };
        let look = |started: Started| started.look(block, position);
        let folders: Vec<DataFolder> =
            (0..count).map(|_| DataFolder::new(base)).collect::<Result<_>>()?;
        // The last thing before the start: whatever runs in between could load the binary again.
        let cached = arm.image.as_ref().map(Image::evict).transpose()?;
        let measured = match <[DataFolder; 1]>::try_from(folders) {
            Ok([folder]) => start(&self.launcher, folder).and_then(look).map(|(sample, _)| sample),
            Err(folders) => together(folders, start, look).and_then(|servers| {
                let none = || Error::usage("a launch needs at least one server");
                Sample::of_several(&servers).ok_or_else(none)
            }),
        };
        // Also after a failure: the next launch of this binary may be a warm one.
        arm.image.as_ref().map(Image::load).transpose()?;
        Ok(Sample { cached, ..measured? })
    }

    fn describe(&self, arm: &PlannedCase, binary: &Binary, db_path: PathBuf) -> Launch {
        Launch {
            executable: binary.executable.clone(),
            engine: arm.case.engine.to_string(),
            db_path,
            arguments: arm.arguments.clone(),
            delay: arm.delay,
            timeout: self.timeout,
        }
    }

    fn template(&self, arm: &PlannedCase, binary: &Binary, base: &Path) -> Option<&Template> {
        if !arm.template {
            return None;
        }
        let purpose = Purpose::of(arm, binary, base);
        let found = self.templates.iter().find(|(other, _)| *other == purpose);
        found.map(|(_, template)| template)
    }
}

/// A server that is ready, and its folder, which is dropped after it.
struct Started {
    server: Server,
    folder: DataFolder,
    /// When the copy of its template began, where it has one.
    copying: Option<Instant>,
}

impl Started {
    /// What it gave, and from when until when its start took; ends it.
    fn look(self, block: u32, position: u32) -> Result<(Sample, Range<Instant>)> {
        self.folder.record_child(self.server.running.id())?;
        let mut sample = Sample::take(block, position, &self.server, &self.folder);
        let spawn = self.server.running.stamps.spawn;
        if let Some(began) = self.copying {
            sample.add_copy(spawn - began);
        }
        let time = self.copying.unwrap_or(spawn)..self.server.ready();
        self.server.running.stop()?;
        Ok((sample, time))
    }
}

impl Purpose {
    fn of(arm: &PlannedCase, binary: &Binary, base: &Path) -> Self {
        Self {
            executable: binary.executable.path.clone(),
            topology: arm.case.topology,
            arguments: arm.arguments.clone(),
            base: base.to_owned(),
        }
    }
}

/// The median of `ready` over so many launches of one arm, in ms, after one launch that does not
/// count.
///
/// # Errors
/// A launch failed.
pub fn pilot(arm: &PlannedCase, launches: u32, timeout: Duration) -> Result<f64> {
    let mut starter = Starter::new(timeout)?;
    let mut times = Vec::new();
    for block in 0..=launches {
        let sample = starter.launch(arm, block, 1)?;
        if block > 0 {
            times.push(sample.ready_ms);
        }
    }
    quantile(&times, 0.5).ok_or_else(|| Error::usage("a pilot needs at least one launch"))
}
