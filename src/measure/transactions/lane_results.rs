//! From what lanes and crowds gave to results.

use crate::measure::transactions::{Crowd, CrowdSample, LaneSample};
use crate::model::results::{Comparison, Crossover, CrowdTimes, Figure, LaneTimes, Overhead};
use crate::model::workload::{Lane, LaneSet, Way};
use crate::stats::{self, fit_line, fit_proportional};

/// The lanes in their order; nothing of one without samples.
pub(super) fn lanes(measured: &[(Lane, Vec<LaneSample>)]) -> Vec<LaneTimes> {
    let times = |(lane, samples): &(Lane, Vec<LaneSample>)| {
        let of = |value: fn(&LaneSample) -> f64| samples.iter().map(value).collect::<Vec<_>>();
        let samples_us = of(|sample| sample.total_us);
        Some(LaneTimes {
            name: lane.name.to_owned(),
            summary: stats::Summary::of(&samples_us)?,
            samples_us,
            syncs: of(|sample| sample.syncs),
            sync_share: of(|sample| sample.sync_us / sample.mean_us),
            oplog_entries: of(|sample| sample.oplog_entries),
        })
    };
    measured.iter().filter_map(times).collect()
}

/// The comparisons that a set wants.
pub(super) fn comparisons(set: &LaneSet, lanes: &[LaneTimes]) -> Vec<Comparison> {
    let pairs = set.pairs.iter().filter_map(|&[one, other]| {
        let (one, other) = (lanes.get(one)?, lanes.get(other)?);
        Some(Comparison {
            one: one.name.clone(),
            other: other.name.clone(),
            overhead: Overhead::of(
                &stats::log_differences(&one.samples_us, &other.samples_us)?,
                &one.samples_us,
                &other.samples_us,
            )?,
        })
    });
    pairs.collect()
}

/// The lines of a sweep and where they cross; nothing where there are too few points.
pub(super) fn crossover(measured: &[(Lane, Vec<LaneSample>)]) -> Option<Crossover> {
    let macros = measured.first()?.1.len();
    let (mut fixed, mut each, mut write, mut crossings) = (vec![], vec![], vec![], vec![]);
    for number in 0..macros {
        let points = |plain: bool| -> Vec<(f64, f64)> {
            let lanes = measured.iter().filter(|(lane, _)| (lane.way == Way::Plain) == plain);
            let point = |(lane, samples): &(Lane, Vec<LaneSample>)| {
                Some((lane.operations as f64, samples.get(number)?.total_us))
            };
            lanes.filter_map(point).collect()
        };
        let line = fit_line(&points(false))?;
        let alone = fit_proportional(&points(true))?;
        fixed.push(line.fixed);
        each.push(line.each);
        write.push(alone);
        crossings.push(crossing(line, alone).unwrap_or(NEVER));
    }
    let median = stats::Summary::of(&crossings)?;
    // Between a number and NEVER there is none.
    let whole = |operations: f64| (operations < NEVER / 4.0).then(|| operations.ceil() as u64);
    Some(Crossover {
        fixed_us: Figure::of(fixed)?,
        each_us: Figure::of(each)?,
        write_us: Figure::of(write)?,
        operations: whole(median.median),
        ci95: median.ci95.map(|ends| ends.map(whole)),
    })
}

/// In the place of infinity, which has no median.
const NEVER: f64 = 1e12;

/// The smallest whole number of operations that cost less in one transaction.
fn crossing(line: stats::Line, write: f64) -> Option<f64> {
    let saved = write - line.each;
    (saved > 0.0).then(|| ((line.fixed / saved).floor() + 1.0).clamp(1.0, NEVER))
}

/// The crowds in their order; nothing of one without samples.
pub(super) fn crowds(measured: &[(Crowd, Vec<CrowdSample>)]) -> Vec<CrowdTimes> {
    let times = |(crowd, samples): &(Crowd, Vec<CrowdSample>)| {
        let of = |value: fn(&CrowdSample) -> f64| Figure::of(samples.iter().map(value).collect());
        Some(CrowdTimes {
            clients: crowd.clients,
            hot: crowd.hot,
            transaction: crowd.transaction,
            commits_per_s: of(|sample| sample.commits_per_s)?,
            retries: of(|sample| sample.retries)?,
            p99_us: of(|sample| sample.p99_us)?,
        })
    };
    measured.iter().filter_map(times).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::workload::{Action, Concern};

    /// Eight macro-iterations in which a transaction costs `fixed + each * N` and a write `write`,
    /// each of them a little more than the one before.
    fn sweep(fixed: f64, each: f64, write: f64) -> Vec<(Lane, Vec<LaneSample>)> {
        let lane = |operations: usize, way, us: f64| {
            let lane = Lane {
                name: "",
                action: Action::Insert,
                operations,
                way,
                concern: Concern::Majority,
            };
            let sample = |number: u32| LaneSample {
                total_us: us * (1.0 + f64::from(number) / 100.0),
                mean_us: us,
                syncs: 1.0,
                sync_us: us / 2.0,
                oplog_entries: 1.0,
            };
            (lane, (0..8).map(sample).collect())
        };
        let one = |n: usize| {
            [
                lane(n, Way::Transaction, fixed + each * n as f64),
                lane(n, Way::Plain, write * n as f64),
            ]
        };
        [1, 10, 100].into_iter().flat_map(one).collect()
    }

    #[test]
    fn the_lines_cross_where_one_transaction_becomes_cheaper() {
        // 1500 + 300 N < 1000 N from 3 on; at 2 both cost 2,100 and 2,000.
        let found = crossover(&sweep(1500.0, 300.0, 1000.0)).unwrap();
        assert_eq!((found.operations, found.ci95), (Some(3), Some([Some(3), Some(3)])));
        assert!((found.fixed_us.median / 1552.5 - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.each_us.median / 310.5 - 1.0).abs() < 1e-9, "{found:?}");
        // Cheaper from the first on, and never.
        assert_eq!(crossover(&sweep(10.0, 300.0, 1000.0)).unwrap().operations, Some(1));
        let never = crossover(&sweep(1500.0, 300.0, 250.0)).unwrap();
        assert_eq!((never.operations, never.ci95), (None, Some([None, None])));
    }

    #[test]
    fn a_share_is_of_the_time_that_it_took() {
        let lanes = lanes(&sweep(1000.0, 1.0, 1.0));
        assert_eq!(lanes[0].sync_share, [0.5; 8]);
        assert_eq!(lanes.len(), 6);
    }
}
