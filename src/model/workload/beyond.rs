//! The workloads beyond the article's: other operations in the same arms, and comparisons of
//! another shape in lanes of their own.
//!
//! Their names take part in ids and tests' names: `-xN` is "so many times", `-1KB` the size of a
//! document.

use crate::model::workload::Operation::{
    Aggregate, BulkWrite, FindOne, FindOneAndUpdate, InsertSized, ReplaceOne, Upsert,
};
use crate::model::workload::{Action, Concern, Lane, LaneSet, Way};
use crate::model::workload::{Shape, Workload, on, workload};

const fn lanes(name: &'static str, set: &'static LaneSet) -> Workload {
    Workload { name, steps: &[], shape: Shape::Lanes(set) }
}

/// In the order of tables.
#[rustfmt::skip]
pub static BEYOND: [Workload; 18] = [
    workload("findOneAndUpdate", &[on(0, FindOneAndUpdate)]),
    workload("replaceOne", &[on(0, ReplaceOne)]),
    workload("upsert", &[on(0, Upsert)]),
    workload("bulkWrite", &[on(0, BulkWrite)]),
    workload("aggregate", &[on(0, Aggregate)]),
    workload("findOne-x10", &[on(0, FindOne); 10]),
    workload("insertOne-0.1KB", &[on(0, InsertSized(100))]),
    workload("insertOne-1KB", &[on(0, InsertSized(1024))]),
    workload("insertOne-16KB", &[on(0, InsertSized(16 * 1024))]),
    lanes("insertOne-xN", &SWEEP),
    lanes("writeConcern", &CONCERNS),
    lanes("readOnly", &READ_ONLY),
    lanes("empty", &EMPTY),
    lanes("abort-x1", &ABORT_1),
    lanes("abort-x100", &ABORT_100),
    lanes("newSession", &SESSIONS),
    lanes("and_run", &AND_RUN),
    Workload { name: "conflicts", steps: &[], shape: Shape::Conflicts },
];

/// Inserts with w:majority, in one transaction.
const fn inserts(name: &'static str, operations: usize, way: Way) -> Lane {
    Lane { name, action: Action::Insert, operations, way, concern: Concern::Majority }
}

/// N inserts in one transaction, and as many majority writes without one.
static SWEEP: LaneSet = LaneSet {
    lanes: &[
        inserts("transaction of 1", 1, Way::Transaction),
        inserts("transaction of 10", 10, Way::Transaction),
        inserts("transaction of 100", 100, Way::Transaction),
        inserts("transaction of 1000", 1000, Way::Transaction),
        inserts("1 majority write", 1, Way::Plain),
        inserts("10 majority writes", 10, Way::Plain),
        inserts("100 majority writes", 100, Way::Plain),
        inserts("1000 majority writes", 1000, Way::Plain),
    ],
    pairs: &[[0, 4], [1, 5], [2, 6], [3, 7]],
    is_sweep: true,
};

/// One insert under each write concern, in a transaction and without.
static CONCERNS: LaneSet = LaneSet {
    lanes: &[
        Lane { concern: Concern::Default, ..inserts("plain, server's default", 1, Way::Plain) },
        Lane { concern: Concern::One, ..inserts("plain, w:1", 1, Way::Plain) },
        inserts("plain, majority", 1, Way::Plain),
        Lane { concern: Concern::One, ..inserts("transaction, w:1", 1, Way::Transaction) },
        inserts("transaction, majority", 1, Way::Transaction),
    ],
    pairs: &[[0, 1], [0, 2], [2, 1], [3, 1], [4, 2], [2, 3]],
    is_sweep: false,
};

/// One find, which writes nothing.
static READ_ONLY: LaneSet = LaneSet {
    lanes: &[
        find("plain find", Way::Plain, Concern::Majority),
        find("transaction, w:1", Way::Transaction, Concern::One),
        find("transaction, majority", Way::Transaction, Concern::Majority),
    ],
    pairs: &[[1, 0], [2, 0]],
    is_sweep: false,
};

const fn find(name: &'static str, way: Way, concern: Concern) -> Lane {
    Lane { name, action: Action::Find, operations: 1, way, concern }
}

/// Begins and commits, and does nothing between.
static EMPTY: LaneSet = LaneSet {
    lanes: &[
        inserts("empty transaction", 0, Way::Transaction),
        inserts("transaction of 1", 1, Way::Transaction),
    ],
    pairs: &[],
    is_sweep: false,
};

static ABORT_1: LaneSet = LaneSet {
    lanes: &[
        inserts("1 write, aborted", 1, Way::Aborted),
        inserts("1 write, committed", 1, Way::Transaction),
    ],
    pairs: &[[0, 1]],
    is_sweep: false,
};

static ABORT_100: LaneSet = LaneSet {
    lanes: &[
        inserts("100 writes, aborted", 100, Way::Aborted),
        inserts("100 writes, committed", 100, Way::Transaction),
    ],
    pairs: &[[0, 1]],
    is_sweep: false,
};

/// A session for each transaction, begun and ended within the time.
static SESSIONS: LaneSet = LaneSet {
    lanes: &[
        inserts("new session each", 1, Way::NewSession),
        inserts("session reused", 1, Way::Transaction),
    ],
    pairs: &[[0, 1]],
    is_sweep: false,
};

/// The driver's convenient way.
static AND_RUN: LaneSet = LaneSet {
    lanes: &[inserts("and_run", 1, Way::AndRun), inserts("start and commit", 1, Way::Transaction)],
    pairs: &[[0, 1]],
    is_sweep: false,
};
