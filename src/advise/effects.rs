//! What single things do: an argument, a RAM disk.

use serde::Serialize;

use super::Session;
use super::compared::{Compared, adjust};
use super::needs::{Advised, Need};
use crate::advise::profile::diagnose;
use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::{Case, Engine, Topology};
use crate::plan::advise::TEMPLATE;
use crate::plan::advise::is_usual;

/// What a set of arguments does to a start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The name of the set, which is a variant.
    pub variant: String,
    /// The start with it against the same one without.
    pub against: Compared,
}

/// An effect that is no larger than this share does not matter.
const NEGLIGIBLE: f64 = 0.1;

impl Effect {
    /// Whether there is none that matters: no difference is shown, and the interval leaves none
    /// possible that is larger than a tenth.
    pub fn is_none(&self) -> bool {
        !self.against.shown && self.at_most().is_some_and(|most| most <= NEGLIGIBLE)
    }

    /// Where no difference is shown: the largest effect, as a share, that the interval leaves
    /// possible. Nothing below six blocks.
    pub fn at_most(&self) -> Option<f64> {
        let [lower, upper] = self.against.ratio.ci95?;
        Some((lower - 1.0).abs().max((upper - 1.0).abs()))
    }
}

/// What a RAM disk does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RamDisk {
    /// Each configuration on the RAM disk against the same one on disk.
    pub against: Vec<Compared>,
    /// The kinds of suites for which what is recommended lies on it.
    pub worth_it: Vec<Need>,
    /// The median of an fsync on the disk, in microseconds.
    pub disk_fsync_us: Option<f64>,
    /// The same on the RAM disk.
    pub ram_fsync_us: Option<f64>,
    /// What the default configurations on disk wait for, by the rule of `mongate profile`.
    pub findings: Vec<Finding>,
}

/// What limits a start, with the numbers that decide it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The case's id.
    pub case: String,
    /// The finding in words.
    pub text: String,
}

/// What each variant but the template does, on disk where that was measured.
pub(super) fn effects(session: &Session<'_>, label: &Label) -> Vec<Effect> {
    let on = |place: DbPathKind| {
        let of_place =
            move |case: &Case| case.label == *label && case.db_path == place && is_usual(case);
        let found = session.measured().filter(move |(case, _)| of_place(case));
        found.filter_map(|(case, found)| {
            let variant = case.variant.as_ref().filter(|name| name.as_str() != TEMPLATE)?;
            let without = session.find(&Case { variant: None, ..case.clone() })?;
            Some(Effect { variant: variant.to_string(), against: Compared::of(found, without)? })
        })
    };
    let mut effects: Vec<Effect> = on(DbPathKind::Disk).collect();
    if effects.is_empty() {
        effects = on(DbPathKind::Ramdisk).collect();
    }
    let family = effects.iter_mut().map(|effect| &mut effect.against);
    adjust(family);
    effects
}

/// What a RAM disk does to every configuration that was measured on both.
pub(super) fn ram_disk(session: &Session<'_>, label: &Label, needs: &[Advised]) -> Option<RamDisk> {
    let pairs = session.measured().filter_map(|(case, ram)| {
        let is_pair = case.label == *label && case.db_path == DbPathKind::Ramdisk && is_usual(case);
        let disk = session.find(&Case { db_path: DbPathKind::Disk, ..case.clone() })?;
        is_pair.then_some((disk, ram))
    });
    let pairs: Vec<_> = pairs.collect();
    let (disk, ram) = pairs.first()?;
    let mut against: Vec<Compared> =
        pairs.iter().filter_map(|(disk, ram)| Compared::of(ram, disk)).collect();
    adjust(&mut against);
    let default = [Topology::Standalone, Topology::ReplicaSet].map(|topology| Case {
        topology,
        ..Case::plain(label.clone(), Engine::WiredTiger, DbPathKind::Disk)
    });
    let all: Vec<_> = pairs.iter().flat_map(|(disk, ram)| [*disk, *ram]).cloned().collect();
    let findings = default.iter().filter_map(|case| {
        let found = session.find(case)?;
        Some(Finding { case: found.id.clone(), text: diagnose(found, &all)?.text })
    });
    let on_ram = |advised: &&Advised| {
        let recommended = &advised.recommended.id;
        pairs.iter().any(|(_, ram)| ram.id == *recommended)
    };
    Some(RamDisk {
        worth_it: needs.iter().filter(on_ram).map(|advised| advised.need).collect(),
        disk_fsync_us: disk.db_path.fsync_us,
        ram_fsync_us: ram.db_path.fsync_us,
        findings: findings.collect(),
        against,
    })
}
