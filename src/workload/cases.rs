//! The twelve cases of the article "MongoDB transactions performance", and their ids.

use crate::cases::{self, Case, Engine};
use crate::config::Config;
use crate::error::Result;
use crate::mongod::Label;

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
}

use Operation::{
    DeleteMany, DeleteOne, Find, FindOne, InsertMany, InsertOne, UpdateMany, UpdateOne,
};

impl Operation {
    /// Documents that a call of an operation on many concerns, as in the article.
    pub const MANY: usize = 300;

    /// Documents that one call concerns.
    pub fn size(self) -> usize {
        match self {
            InsertOne | UpdateOne | DeleteOne | FindOne => 1,
            InsertMany | UpdateMany | DeleteMany | Find => Self::MANY,
        }
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

    /// The workload of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        WORKLOADS.iter().find(|workload| workload.name == name)
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

    /// The server that it is measured on.
    pub fn server(&self, config: &Config) -> Case {
        Case {
            label: self.label.clone(),
            engine: Engine::WiredTiger,
            db_path: config.transactions.db_path,
        }
    }
}

/// The workloads that a filter means: a name, a pattern with `*`, or a part of a name.
///
/// # Errors
/// It matches none: the message names the nearest.
pub fn workloads(filter: &str) -> Result<Vec<&'static Workload>> {
    let all = WORKLOADS.iter().collect();
    cases::pick(all, |w| w.name.to_owned(), Some(filter), "the README names")
}

/// The cases of a configuration: labels, then workloads.
pub fn all(config: &Config) -> Vec<TransactionCase> {
    let chosen: Option<Vec<&Workload>> = config.transactions.cases.as_ref().map(|filters| {
        // What matches none is an error of the configuration.
        let found = filters.iter().filter_map(|filter| workloads(filter).ok());
        found.flatten().collect()
    });
    let wanted = |w: &&Workload| chosen.as_ref().is_none_or(|chosen| chosen.contains(w));
    let labels = config.transaction_versions().iter();
    labels
        .flat_map(|label| {
            let case = |workload| TransactionCase {
                label: label.clone(),
                workload,
            };
            WORKLOADS.iter().filter(wanted).map(case)
        })
        .collect()
}

/// The cases that are tests: all, where the configuration has `[transactions]`.
pub fn as_tests(config: &Config) -> Vec<TransactionCase> {
    if config.transactions.as_tests {
        all(config)
    } else {
        Vec::new()
    }
}
