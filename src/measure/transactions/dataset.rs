//! The documents of a workload: loaded before the timing, and as many again after every
//! macro-iteration of an arm.

use std::ops::Range;

use mongodb::bson::oid::ObjectId;
use mongodb::bson::{self, Document, doc};
use mongodb::options::{IndexOptions, WriteConcern};
use mongodb::{Collection, Database, IndexModel};

use crate::error::{Error, Result};
use crate::measure::transactions::driver;
use crate::model::workload::{Operation, Step, Workload};
use crate::plan::macros::Layout;

/// How many documents are built and sent at once.
const BATCH: usize = 10_000;

/// The names of the collections.
const NAMES: [&str; 3] = ["first", "second", "third"];

/// An id that no document has, nor any above it.
const NOWHERE: usize = 1 << 40;

/// The collections and documents of one workload.
///
/// Every call of every iteration has documents of its own, whatever the iterations before it did:
/// the lowest ids are updated and deleted, and those above what is loaded inserted. With an index
/// the second half is found, and after each macro-iteration of an arm the ids move up: the server
/// keeps deleted keys for minutes, and a unique index walks past all of those of the same id, so
/// that an id used again costs more each time. Without an index, where it matters how far a scan
/// runs, the article's own ids are found: those of the same call; in a combination, whose delete
/// has just taken these away, those of the next call.
#[derive(Debug)]
pub struct Dataset {
    workload: &'static Workload,
    layout: Layout,
    iterations: usize,
    /// The lowest id of each collection.
    lowest: [usize; NAMES.len()],
    /// How far above the lowest id the first one is that is found.
    read_from: usize,
    /// What an iteration inserts, in the order of its ids.
    fresh: Vec<Document>,
}

impl Dataset {
    /// Builds the documents for so many iterations.
    ///
    /// # Errors
    /// So many iterations need more documents than are loaded.
    pub fn new(workload: &'static Workload, iterations: usize, layout: Layout) -> Result<Self> {
        let documents = layout.documents;
        let read_from = match layout.indexed {
            true => documents / 2,
            false if workload.collections() > 1 => workload.size(),
            false => 0,
        };
        let touched = iterations * workload.size();
        let there =
            if layout.indexed { documents / 2 } else { documents.saturating_sub(read_from) };
        if touched > there || touched == 0 {
            return Err(Error::usage(format!(
                "{iterations} iterations of {} concern {touched} documents; 1 to {there} are there \
                    for them",
                workload.name,
            )));
        }
        let mut data = Self {
            workload,
            layout,
            iterations,
            lowest: [0; NAMES.len()],
            read_from,
            fresh: Vec::new(),
        };
        data.renew();
        Ok(data)
    }

    /// Builds what the next macro-iteration inserts.
    fn renew(&mut self) {
        self.fresh.clear();
        for step in self.workload.steps {
            let first = self.lowest[step.collection] + self.layout.documents;
            let ids = first..first + self.iterations * step.operation.inserts();
            self.fresh.extend(ids.map(|id| match step.operation {
                Operation::InsertSized(bytes) => sized(id, bytes),
                _ => document(id),
            }));
        }
    }

    /// The name of a collection.
    pub fn collection_name(number: usize) -> &'static str {
        NAMES[number]
    }

    /// Makes the collections, with their unique index where there is to be one, and loads them;
    /// what the database held before is gone.
    ///
    /// # Errors
    /// A command failed.
    pub async fn load(&self, database: &Database) -> Result<()> {
        database.drop().await.map_err(driver)?;
        for number in 0..self.workload.collections() {
            // By itself, since 4.2 creates none inside a transaction.
            let name = Self::collection_name(number);
            database.create_collection(name).await.map_err(driver)?;
            let collection = collection(database, number);
            if self.layout.indexed {
                let unique = IndexOptions::builder().unique(true).build();
                let index = IndexModel::builder().keys(doc! { "id": 1 }).options(unique).build();
                collection.create_index(index).await.map_err(driver)?;
            }
            insert(&collection, 0..self.layout.documents).await?;
        }
        Ok(())
    }

    /// Whether the ids move up after what an arm changed; else everything is loaded again.
    pub fn moves_up(&self) -> bool {
        self.layout.indexed
    }

    /// Moves the ids up by as many as a macro-iteration inserted or deleted, so that there are as
    /// many documents as before it.
    ///
    /// # Errors
    /// There were more or fewer documents than it should have left; or a command failed.
    pub async fn move_up(&mut self, database: &Database) -> Result<()> {
        for step in self.workload.steps {
            let inserted = self.iterations * step.operation.inserts();
            let deleted = self.iterations * step.operation.deletes();
            let by = inserted.max(deleted);
            if by == 0 {
                // An update adds 1 to a number: the next one does the same to the sum.
                continue;
            }
            let collection = collection(database, step.collection);
            let name = step.operation.name();
            let lowest = &mut self.lowest[step.collection];
            let above = *lowest + self.layout.documents;
            let kept = *lowest + by;
            let count = async |filter| collection.count_documents(filter).await.map_err(driver);
            let left = count(among(&(*lowest..*lowest + deleted))).await?;
            check(name, "documents that were to be deleted", left, 0)?;
            let new = count(doc! { "id": { "$gte": above as i64 } }).await?;
            check(name, "new documents", new, inserted)?;
            if deleted < by {
                let old = collection
                    .delete_many(among(&(*lowest + deleted..kept)))
                    .write_concern(WriteConcern::majority())
                    .await
                    .map_err(driver)?
                    .deleted_count;
                check(name, "old documents", old, by - deleted)?;
            }
            insert(&collection, above + inserted..above + by).await?;
            *lowest = kept;
        }
        self.renew();
        Ok(())
    }

    /// What iteration `i` inserts.
    pub fn inserted(&self, operation: Operation, i: usize) -> &[Document] {
        let each = operation.inserts();
        &self.fresh[i * each..(i + 1) * each]
    }

    /// The filter of what iteration `i` updates, deletes or finds.
    pub fn filter(&self, step: &Step, i: usize) -> Document {
        let size = step.operation.size();
        let first = i * size
            + match step.operation {
                Operation::FindOne | Operation::Find | Operation::Aggregate => {
                    self.lowest[step.collection] + self.read_from
                }
                Operation::UpdateNoMatch => NOWHERE,
                _ => self.lowest[step.collection],
            };
        match size {
            1 => doc! { "id": first as i64 },
            _ => among(&(first..first + size)),
        }
    }

    /// What iteration `i` of [`Operation::ReplaceOne`] puts in the place of its document: no two
    /// are equal.
    pub fn replacement(&self, step: &Step, i: usize) -> Document {
        let mut document = document(self.lowest[step.collection] + i);
        // The server keeps the one that is there.
        document.remove("_id");
        document.insert("replaced", ObjectId::new());
        document
    }

    /// What iteration `i` of [`Operation::BulkWrite`] concerns.
    pub fn bulk(&self, step: &Step, i: usize) -> Bulk {
        let each = Operation::BULK / 3;
        let lowest = self.lowest[step.collection];
        let nth = |first: usize| first + i * each..first + (i + 1) * each;
        Bulk {
            // Far from those that are deleted, which begin with the lowest as everywhere.
            updated: nth(lowest + self.layout.documents / 2),
            deleted: nth(lowest),
        }
    }
}

/// The ids that a bulk changes.
pub struct Bulk {
    pub updated: Range<usize>,
    pub deleted: Range<usize>,
}

/// Whether an operation left as many as it should have.
fn check(name: &str, what: &str, found: u64, meant: usize) -> Result<()> {
    if found == meant as u64 {
        return Ok(());
    }
    Err(Error::environment(format!("{name} left {found} {what}, and {meant} were meant")))
}

fn among(ids: &Range<usize>) -> Document {
    doc! { "id": { "$gte": ids.start as i64, "$lt": ids.end as i64 } }
}

/// The article's document, filled up to so many bytes of BSON.
fn sized(id: usize, bytes: usize) -> Document {
    let mut document = document(id);
    document.insert("filling", "");
    let length = bson::to_vec(&document).map_or(0, |bson| bson.len());
    document.insert("filling", "x".repeat(bytes.saturating_sub(length)));
    document
}

/// The article's document.
fn document(id: usize) -> Document {
    doc! {
        "_id": ObjectId::new(),
        "id": id as i64,
        "user": { "roles": [], "profile": {} },
        "rate": 1,
    }
}

fn collection(database: &Database, number: usize) -> Collection<Document> {
    database.collection(NAMES[number])
}

async fn insert(collection: &Collection<Document>, ids: Range<usize>) -> Result<()> {
    for start in ids.clone().step_by(BATCH) {
        let batch = start..ids.end.min(start + BATCH);
        collection
            .insert_many(batch.map(document))
            .write_concern(WriteConcern::majority())
            .await
            .map_err(driver)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_size() {
        for bytes in [100, 1024, 16 * 1024] {
            assert_eq!(bson::to_vec(&sized(7, bytes)).unwrap().len(), bytes);
        }
    }
}
