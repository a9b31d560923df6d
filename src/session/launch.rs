//! One launch of an arm, in a fresh folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cases::Topology;
use crate::dbpath::{DataFolder, space};
use crate::error::{Error, Result};
use crate::launch::{Launch, Launcher};
use crate::mongod::Binary;
use crate::session::prepare::{Arm, needed_space};
use crate::session::sample::Sample;
use crate::session::template::Template;
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
        Ok(Self {
            launcher: Launcher::new()?,
            timeout,
            templates: Vec::new(),
        })
    }

    /// Prepares what the launches of an arm share: its template, where it has one and that is not there yet.
    ///
    /// # Errors
    /// The template cannot be had, or would be of no use.
    pub fn prepare(&mut self, arm: &Arm) -> Result<()> {
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

    /// One launch in a fresh folder, which is gone afterwards.
    ///
    /// # Errors
    /// It failed, or the arm is unavailable.
    pub fn launch(&mut self, arm: &Arm, block: u32, position: u32) -> Result<Sample> {
        self.prepare(arm)?;
        let (binary, base) = arm.binary()?;
        space::require(base, needed_space(arm.case.engine))?;
        let folder = DataFolder::new(base)?;
        let launch = self.describe(arm, binary, folder.db());
        let began = Instant::now();
        let (server, copied) = match self.template(arm, binary, base) {
            Some(template) => {
                template.copy_to(&folder)?;
                (template.serve(&self.launcher, &launch)?, true)
            }
            None => (
                self.launcher.serve(&launch, arm.case.topology, false)?,
                false,
            ),
        };
        folder.record_child(server.running.id())?;
        let mut sample = Sample::take(block, position, &server, &folder);
        if copied {
            sample.add_copy(server.running.stamps.spawn - began);
        }
        server.running.stop()?;
        Ok(sample)
    }

    fn describe(&self, arm: &Arm, binary: &Binary, db_path: PathBuf) -> Launch {
        Launch {
            executable: binary.executable.clone(),
            engine: arm.case.engine.to_string(),
            db_path,
            arguments: arm.arguments.clone(),
            delay: arm.delay,
            timeout: self.timeout,
        }
    }

    fn template(&self, arm: &Arm, binary: &Binary, base: &Path) -> Option<&Template> {
        if !arm.template {
            return None;
        }
        let purpose = Purpose::of(arm, binary, base);
        let found = self.templates.iter().find(|(other, _)| *other == purpose);
        found.map(|(_, template)| template)
    }
}

impl Purpose {
    fn of(arm: &Arm, binary: &Binary, base: &Path) -> Self {
        Self {
            executable: binary.executable.path.clone(),
            topology: arm.case.topology,
            arguments: arm.arguments.clone(),
            base: base.to_owned(),
        }
    }
}

/// The median of `ready` over so many launches of one arm, in ms, after one launch that does not count.
///
/// # Errors
/// A launch failed.
pub fn pilot(arm: &Arm, launches: u32, timeout: Duration) -> Result<f64> {
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
