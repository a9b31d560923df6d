//! What a lane asks of the server, and whether it did that.

use mongodb::options::{ReadConcern, WriteConcern};

use crate::error::{Error, Result};
use crate::measure::transactions::server::Entries;
use crate::model::workload::{Action, Concern, Lane, Way};
use crate::plan::macros::Plan;

/// One macro-iteration of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneSample {
    /// The median time of its iterations, from what begins them to the end of what ends them, in
    /// microseconds.
    pub total_us: f64,
    /// Their mean time, in microseconds.
    pub mean_us: f64,
    /// Times that the server synced its journal, an iteration.
    pub syncs: f64,
    /// How long these took together, an iteration, in microseconds.
    pub sync_us: f64,
    /// Entries in the oplog, an iteration.
    pub oplog_entries: f64,
}

/// What the server counted while a lane ran, and the documents that it left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub committed: u64,
    pub aborted: u64,
    pub documents: u64,
    pub entries: Entries,
}

impl Lane {
    pub fn iterations(&self, plan: &Plan) -> usize {
        (plan.single / self.operations.max(1)).max(1)
    }

    pub fn write_concern(&self) -> Option<WriteConcern> {
        match self.concern {
            Concern::Default => None,
            Concern::One => Some(WriteConcern::nodes(1)),
            Concern::Majority => Some(WriteConcern::majority()),
        }
    }

    pub fn read_concern(&self) -> Option<ReadConcern> {
        match self.concern {
            Concern::Default => None,
            Concern::One => Some(ReadConcern::local()),
            Concern::Majority => Some(ReadConcern::majority()),
        }
    }

    /// Whether it was as meant: the transactions that the server counted, the oplog, and how many
    /// documents are there that were not before.
    pub(crate) fn check(&self, iterations: u64, counted: &Counted) -> Result<()> {
        let operations = iterations * self.operations as u64;
        // An empty transaction never leaves the client.
        let transactions = if self.operations == 0 { 0 } else { iterations };
        let (committed, aborted) = match self.way {
            Way::Plain => (0, 0),
            Way::Aborted => (0, transactions),
            Way::Transaction | Way::NewSession | Way::AndRun => (transactions, 0),
        };
        let written = match (self.action, self.way) {
            (Action::Find, _) | (_, Way::Aborted) => 0,
            (Action::Insert, _) => operations,
        };
        for (what, found, meant) in [
            ("committed transactions", counted.committed, committed),
            ("aborted transactions", counted.aborted, aborted),
            ("new documents", counted.documents, written),
        ] {
            if found != meant {
                return Err(Error::environment(format!(
                    "the server counted {found} {what} in {iterations} iterations, and {meant} \
                        were meant"
                )));
            }
        }
        self.entries(iterations).check(&counted.entries)
    }

    /// What so many iterations leave in the oplog.
    pub fn entries(&self, iterations: u64) -> Entries {
        let (writes, transactions) = match (self.action, self.way) {
            (Action::Find, _) | (_, Way::Aborted) => (0, 0),
            (Action::Insert, Way::Plain) => (iterations * self.operations as u64, 0),
            (Action::Insert, _) => (0, iterations * self.operations.min(1) as u64),
        };
        Entries { writes, transactions, noops: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: Lane = Lane {
        name: "inserts",
        action: Action::Insert,
        operations: 10,
        way: Way::Transaction,
        concern: Concern::Majority,
    };

    #[test]
    fn what_is_not_as_meant_fails_the_check() {
        let way = |way| Lane { way, ..LANE };
        let empty = Lane { operations: 0, ..LANE };
        let find = Lane { action: Action::Find, ..LANE };
        // Committed, aborted, documents, entries of writes and of transactions.
        for (lane, right) in [
            (LANE, [3, 0, 30, 0, 3]),
            (way(Way::Aborted), [0, 3, 0, 0, 0]),
            (way(Way::Plain), [0, 0, 30, 30, 0]),
            (empty, [0, 0, 0, 0, 0]),
            (find, [3, 0, 0, 0, 0]),
        ] {
            let check = |[committed, aborted, documents, writes, transactions]: [u64; 5]| {
                let entries = Entries { writes, transactions, noops: 1 };
                let counted = Counted { committed, aborted, documents, entries };
                lane.check(3, &counted)
            };
            check(right).unwrap();
            for index in 0..right.len() {
                let mut wrong = right;
                wrong[index] += 1;
                let error = check(wrong).unwrap_err().to_string();
                assert!(error.contains("were meant"), "{lane:?} {error}");
            }
        }
    }
}
