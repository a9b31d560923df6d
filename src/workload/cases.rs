//! The twelve cases of the article "MongoDB transactions performance", and their ids.

use crate::config::Config;
use crate::mongod::Label;
use crate::workload::profile::Profile;

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
}

use Operation::{
    DeleteMany, DeleteOne, Find, FindOne, InsertMany, InsertOne, UpdateMany, UpdateNoMatch,
    UpdateOne,
};

impl Operation {
    /// Documents that a call of an operation on many concerns, as in the article.
    pub const MANY: usize = 300;

    /// Documents that one call asks for.
    pub fn size(self) -> usize {
        match self {
            InsertOne | UpdateOne | DeleteOne | FindOne | UpdateNoMatch => 1,
            InsertMany | UpdateMany | DeleteMany | Find => Self::MANY,
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
        !matches!(self, FindOne | Find)
    }

    /// Its name in the driver of the article.
    pub fn name(self) -> &'static str {
        match self {
            InsertOne => "insertOne",
            UpdateOne => "updateOne",
            DeleteOne => "deleteOne",
            FindOne => "findOne",
            InsertMany => "insertMany",
            UpdateMany => "updateMany",
            DeleteMany => "deleteMany",
            Find => "find",
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

/// What is measured as one: the operations of one transaction.
#[derive(Debug, PartialEq, Eq)]
pub struct Workload {
    /// The last part of its case's id.
    pub name: &'static str,
    /// The operations in their order. With several writes each has its own collection, and then a find reads all of them.
    pub steps: &'static [Step],
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

    /// Documents that one iteration writes: as many entries of the oplog, unless they are one transaction.
    pub fn written(&self) -> u64 {
        let operations = self.steps.iter().map(|step| step.operation);
        operations
            .filter(|o| o.writes())
            .map(Operation::concerned)
            .sum()
    }

    /// The workload of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let mut all = WORKLOADS.iter().chain([&NO_MATCH]);
        all.find(|workload| workload.name == name)
    }
}

const fn on(collection: usize, operation: Operation) -> Step {
    Step {
        operation,
        collection,
    }
}

const fn workload(name: &'static str, steps: &'static [Step]) -> Workload {
    Workload { name, steps }
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

/// What the article measured as updateOne: its filter fits no document, so that every call scans the whole collection and writes nothing.
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

/// The cases of a configuration: labels, then workloads. The article's protocol has one more, its updateOne as it was.
pub fn all(config: &Config) -> Vec<TransactionCase> {
    let labels = config.transaction_versions().iter();
    let extra = (config.transactions.profile == Profile::Article).then_some(&NO_MATCH);
    labels
        .flat_map(|label| {
            WORKLOADS
                .iter()
                .chain(extra)
                .map(|workload| TransactionCase {
                    label: label.clone(),
                    workload,
                })
        })
        .collect()
}
