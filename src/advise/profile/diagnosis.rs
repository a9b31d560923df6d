//! What a start waits for: a finding by a stated rule.

use crate::advise::profile::figures::median;
use crate::figures::{milliseconds, percent, percent_interval, slower};
use crate::model::DbPathKind;
use crate::model::Engine;
use crate::model::Sample;
use crate::model::paired;
use crate::model::results::StartupCase;

/// What limits a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The processor.
    Cpu,
    /// The disk under the dbPath.
    Disk,
    /// Neither of them alone.
    Neither,
}

/// A finding, with the numbers that decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// What limits the start.
    pub bound: Bound,
    /// The finding in words.
    pub text: String,
}

/// A start of which so much is processor time is CPU-bound.
const CPU_BOUND: f64 = 0.7;

/// A start that takes so many times as long as the same one on a RAM disk is disk-bound.
const DISK_RATIO: f64 = 1.1;

/// A wait matters from this share of the start on.
const WAIT: f64 = 0.2;

/// A wait for a processor is told from this share of the start on.
const BUSY: f64 = 0.05;

/// Syncs explain a wait when they take this share of it: the probe's sync of 4 KiB is the cheapest
/// that there is.
const EXPLAINS: f64 = 0.5;

/// Says what limits the start of `case`; `all` are the cases of its session. Nothing where the
/// processor time is unknown.
///
/// What counts is the start without the time in which its main thread could have run and got no
/// processor: a busy machine makes no start disk-bound. In this order, with medians over the
/// launches:
/// 1. the same start on a RAM disk was measured in the session, and the whole 95 % interval of the
///    ratio is above 1.1: disk-bound, since nothing else differs between the two;
/// 2. at least 20 % of that is no processor time, and the syncs of such a start, at the latency
///    that was measured in that folder, take at least half of this: disk-bound;
/// 3. at least 70 % of that is processor time (of all threads, so that it may exceed 100 %):
///    CPU-bound;
/// 4. else neither.
pub fn diagnose(case: &StartupCase, all: &[StartupCase]) -> Option<Diagnosis> {
    let wait = |sample: &Sample| sample.cpu_wait_ms.unwrap_or(0.0);
    let own = |sample: &Sample| (sample.ready_ms - wait(sample)).max(f64::MIN_POSITIVE);
    let cpu = median(&case.samples, |sample| Some(sample.cpu_ms? / own(sample)))?;
    let own_ms = median(&case.samples, |sample| Some(own(sample)))?;
    let busy = median(&case.samples, |sample| Some(wait(sample) / sample.ready_ms))?;
    let other = (1.0 - cpu).max(0.0);
    let (bound, finding) = if let Some(why) = beside_ram(case, all) {
        let text = format!("disk-bound: {why}; {} of the start is CPU time", percent(cpu));
        (Bound::Disk, text)
    } else if let Some(why) = by_syncs(case, other, own_ms) {
        (Bound::Disk, format!("disk-bound: {why}"))
    } else if cpu >= CPU_BOUND {
        let text = format!("CPU-bound: {} of the start is CPU time", percent(cpu));
        (Bound::Cpu, text)
    } else {
        let text = format!(
            "neither CPU-bound nor disk-bound: {} of the start is CPU time, {} are other waits",
            percent(cpu),
            percent(other)
        );
        (Bound::Neither, text)
    };
    let text = if busy >= BUSY {
        let busy = percent(busy);
        format!("{finding} (excluding {busy} spent waiting for a CPU on a busy machine)")
    } else {
        finding
    };
    Some(Diagnosis { bound, text })
}

/// The same start on a RAM disk, where that is clearly faster.
fn beside_ram(case: &StartupCase, all: &[StartupCase]) -> Option<String> {
    let [disk, ram] = [DbPathKind::Disk, DbPathKind::Ramdisk].map(|kind| format!("::{kind}"));
    if case.db_path.kind != DbPathKind::Disk {
        return None;
    }
    let id = case.id.replacen(&disk, &ram, 1);
    let other = all.iter().find(|other| other.id == id)?;
    let compared = paired::compare(&case.samples, &other.samples)?;
    let ci95 = compared.ratio.ci95.filter(|[lower, _]| *lower > DISK_RATIO)?;
    Some(format!(
        "{} than on the RAM disk (95 %: {})",
        slower(compared.ratio.estimate),
        percent_interval(ci95)
    ))
}

/// The syncs of such a start, where they explain a wait that matters.
fn by_syncs(case: &StartupCase, wait: f64, own_ms: f64) -> Option<String> {
    let sync_ms = case.db_path.fsync_us? / 1e3;
    let syncs = syncs(case.engine);
    let explained = f64::from(syncs) * sync_ms;
    (wait >= WAIT && explained >= EXPLAINS * wait * own_ms).then(|| {
        format!(
            "{} of the start is no CPU time, and {syncs} syncs at {} ms each take {} ms",
            percent(wait),
            milliseconds(sync_ms),
            milliseconds(explained)
        )
    })
}

/// At least so many fsync and fdatasync calls come before a server on a fresh dbPath listens:
/// strace counted 40 to 44 of wiredTiger on 4.2.6, 4.4.2, 5.0.4 and 6.0.27, and 4 of
/// ephemeralForTest on each of them, which are those of the files that every engine needs.
fn syncs(engine: Engine) -> u32 {
    match engine {
        Engine::WiredTiger => 40,
        Engine::EphemeralForTest | Engine::InMemory => 4,
    }
}
