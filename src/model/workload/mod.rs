//! What a workload is, the twelve of the article "MongoDB transactions performance", and the ids of
//! cases.

mod arms;
mod beyond;
mod lanes;
mod profile;

use crate::model::Label;

pub use arms::{Arm, ReadLevel};
pub use beyond::BEYOND;
pub use lanes::{Action, Concern, Lane, LaneSet, Way};
pub use profile::TransactionProfile;

/// What one call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    InsertOne,
    UpdateOne,
    DeleteOne,
    FindOne,
    InsertMany,
    UpdateMany,
    DeleteMany,
    Find,
    /// An update whose filter no document fits: what the article's own updateOne did.
    UpdateNoMatch,
    /// A document of so many bytes.
    InsertSized(usize),
    ReplaceOne,
    /// An update of a document that is not there yet.
    Upsert,
    FindOneAndUpdate,
    /// Inserts, updates and deletes of single documents, [`Operation::BULK`] together, in three
    /// commands.
    BulkWrite,
    Aggregate,
}

use Operation::{
    Aggregate, BulkWrite, DeleteMany, DeleteOne, Find, FindOne, FindOneAndUpdate, InsertMany,
    InsertOne, InsertSized, ReplaceOne, UpdateMany, UpdateNoMatch, UpdateOne, Upsert,
};

impl Operation {
    /// Documents that a call of an operation on many concerns, as in the article.
    pub const MANY: usize = 300;

    /// Operations in one [`Operation::BulkWrite`].
    pub const BULK: usize = 100;

    /// Documents that one call asks for.
    pub fn size(self) -> usize {
        match self {
            InsertOne | UpdateOne | DeleteOne | FindOne | UpdateNoMatch => 1,
            InsertSized(_) | ReplaceOne | Upsert | FindOneAndUpdate => 1,
            InsertMany | UpdateMany | DeleteMany | Find | Aggregate => Self::MANY,
            BulkWrite => Self::BULK,
        }
    }

    /// Documents that one call finds or changes, which every iteration checks.
    pub fn concerned(self) -> u64 {
        match self {
            UpdateNoMatch => 0,
            _ => self.size() as u64,
        }
    }

    /// Whether it changes what it concerns.
    pub fn writes(self) -> bool {
        !matches!(self, FindOne | Find | Aggregate)
    }

    /// Documents that one call inserts.
    pub fn inserts(self) -> usize {
        match self {
            InsertOne | InsertSized(_) | Upsert => 1,
            InsertMany => Self::MANY,
            BulkWrite => Self::BULK - 2 * (Self::BULK / 3),
            _ => 0,
        }
    }

    /// Documents that one call deletes.
    pub fn deletes(self) -> usize {
        match self {
            DeleteOne => 1,
            DeleteMany => Self::MANY,
            BulkWrite => Self::BULK / 3,
            _ => 0,
        }
    }

    /// Its name in the driver of the article.
    pub fn name(self) -> &'static str {
        match self {
            InsertOne | InsertSized(_) => "insertOne",
            UpdateOne => "updateOne",
            DeleteOne => "deleteOne",
            FindOne => "findOne",
            InsertMany => "insertMany",
            UpdateMany => "updateMany",
            DeleteMany => "deleteMany",
            Find => "find",
            ReplaceOne => "replaceOne",
            Upsert => "upsert",
            FindOneAndUpdate => "findOneAndUpdate",
            BulkWrite => "bulkWrite",
            Aggregate => "aggregate",
            UpdateNoMatch => "updateOne-no-match",
        }
    }
}

/// An operation, and the collection that it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub operation: Operation,
    /// The number of the collection, from 0.
    pub collection: usize,
}

/// What a workload compares.
#[derive(Debug, PartialEq, Eq)]
pub enum Shape {
    /// The same operations, its steps, in every arm of the plan.
    Arms,
    /// Lanes of its own, in the place of arms.
    Lanes(&'static LaneSet),
    /// Numbers of clients on one document, and on one each.
    Conflicts,
}

/// What is measured as one: the operations of one transaction.
#[derive(Debug, PartialEq, Eq)]
pub struct Workload {
    /// The last part of its case's id.
    pub name: &'static str,
    /// The operations in their order. With several writes each has its own collection, and then a
    /// find reads all of them.
    pub steps: &'static [Step],
    /// What is compared.
    pub shape: Shape,
}

impl Workload {
    /// How many collections it uses.
    pub fn collections(&self) -> usize {
        let highest = self.steps.iter().map(|step| step.collection).max();
        highest.map_or(0, |highest| highest + 1)
    }

    /// The most documents that one of its calls concerns.
    pub fn size(&self) -> usize {
        let sizes = self.steps.iter().map(|step| step.operation.size());
        sizes.max().unwrap_or(0)
    }

    /// Documents that one iteration writes: as many entries of the oplog, unless they are one
    /// transaction.
    pub fn written(&self) -> u64 {
        let operations = self.steps.iter().map(|step| step.operation);
        operations.filter(|o| o.writes()).map(Operation::concerned).sum()
    }

    /// The workload of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::every().find(|workload| workload.name == name)
    }

    /// The article's, its updateOne as it was, then those beyond it.
    pub fn every() -> impl Iterator<Item = &'static Self> {
        WORKLOADS.iter().chain([&NO_MATCH]).chain(&BEYOND)
    }
}

pub(super) const fn on(collection: usize, operation: Operation) -> Step {
    Step { operation, collection }
}

pub(super) const fn workload(name: &'static str, steps: &'static [Step]) -> Workload {
    Workload { name, steps, shape: Shape::Arms }
}

/// The article's cases in its order.
#[rustfmt::skip]
pub static WORKLOADS: [Workload; 12] = [
    workload("insertOne", &[on(0, InsertOne)]),
    workload("updateOne", &[on(0, UpdateOne)]),
    workload("deleteOne", &[on(0, DeleteOne)]),
    workload("findOne", &[on(0, FindOne)]),
    workload("insertMany", &[on(0, InsertMany)]),
    workload("updateMany", &[on(0, UpdateMany)]),
    workload("deleteMany", &[on(0, DeleteMany)]),
    workload("find", &[on(0, Find)]),
    workload("insertOne+updateOne+deleteOne", &[on(0, InsertOne), on(1, UpdateOne), on(2, DeleteOne)]),
    workload("insertOne+updateOne+deleteOne+findOne",
        &[on(0, InsertOne), on(1, UpdateOne), on(2, DeleteOne), on(0, FindOne), on(1, FindOne), on(2, FindOne)]),
    workload("insertMany+updateMany+deleteMany", &[on(0, InsertMany), on(1, UpdateMany), on(2, DeleteMany)]),
    workload("insertMany+updateMany+deleteMany+find",
        &[on(0, InsertMany), on(1, UpdateMany), on(2, DeleteMany), on(0, Find), on(1, Find), on(2, Find)]),
];

/// What the article measured as updateOne: its filter fits no document, so that every call scans
/// the whole collection and writes nothing.
pub static NO_MATCH: Workload = workload("updateOne-no-match", &[on(0, UpdateNoMatch)]);

/// One workload on one server: `transactions::<label>::<workload>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionCase {
    /// What the configuration calls the server.
    pub label: Label,
    /// What is measured.
    pub workload: &'static Workload,
}

impl TransactionCase {
    /// The id.
    pub fn id(&self) -> String {
        format!("transactions::{}::{}", self.label, self.workload.name)
    }
}
