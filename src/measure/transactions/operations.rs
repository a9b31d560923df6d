//! What each operation asks of the driver.

use mongodb::bson::{Bson, Document, doc};
use mongodb::error::{Error as DriverError, ErrorKind, TRANSIENT_TRANSACTION_ERROR};
use mongodb::options::{Acknowledgment, WriteConcern};
use mongodb::{ClientSession, Collection};

use crate::measure::transactions::dataset::Dataset;
use crate::measure::transactions::server::number;
use crate::model::workload::{Operation, Step};

/// What the driver answers.
pub(super) type Answer<T> = std::result::Result<T, DriverError>;

/// Sends one operation; returns how many documents it concerned and how many it changed or
/// returned.
pub(super) async fn perform(
    step: &Step,
    collection: &Collection<Document>,
    data: &Dataset,
    i: usize,
    session: Option<&mut ClientSession>,
) -> Answer<[u64; 2]> {
    macro_rules! send {
        ($action:expr) => {
            match session {
                Some(session) => $action.session(session).await?,
                None => $action.await?,
            }
        };
    }
    let operation = step.operation;
    let filter = || data.filter(step, i);
    let count = match operation {
        Operation::InsertOne | Operation::InsertSized(_) => {
            send!(collection.insert_one(&data.inserted(operation, i)[0]));
            1
        }
        Operation::InsertMany => {
            let documents = data.inserted(operation, i);
            send!(collection.insert_many(documents)).inserted_ids.len() as u64
        }
        Operation::UpdateOne | Operation::UpdateMany | Operation::UpdateNoMatch => {
            let change = doc! { "$inc": { "rate": 1 } };
            let result = match operation {
                Operation::UpdateMany => send!(collection.update_many(filter(), change)),
                _ => send!(collection.update_one(filter(), change)),
            };
            return Ok([result.matched_count, result.modified_count]);
        }
        Operation::DeleteOne => send!(collection.delete_one(filter())).deleted_count,
        Operation::DeleteMany => send!(collection.delete_many(filter())).deleted_count,
        Operation::ReplaceOne => {
            // A replacement that is equal to what is there changes nothing, and then nothing is
            // written.
            let new = data.replacement(step, i);
            let result = send!(collection.replace_one(filter(), new));
            return Ok([result.matched_count, result.modified_count]);
        }
        Operation::Upsert => {
            let new = data.inserted(operation, i)[0].get_i64("id").ok();
            let change = doc! { "$inc": { "rate": 1 } };
            let result = send!(collection.update_one(doc! { "id": new }, change).upsert(true));
            u64::from(result.upserted_id.is_some())
        }
        Operation::FindOneAndUpdate => {
            let change = doc! { "$inc": { "rate": 1 } };
            u64::from(send!(collection.find_one_and_update(filter(), change)).is_some())
        }
        Operation::BulkWrite => bulk_write(step, collection, data, i, session).await?,
        Operation::Aggregate => aggregated(collection, filter(), session).await?,
        Operation::FindOne => u64::from(send!(collection.find_one(filter())).is_some()),
        Operation::Find => found(collection, filter(), session).await?,
    };
    Ok([count, count])
}

/// Reads all that a filter means, in one batch, and counts it.
async fn found(
    collection: &Collection<Document>,
    filter: Document,
    session: Option<&mut ClientSession>,
) -> Answer<u64> {
    // The server's own first batch ends at 101; one more than there are closes the cursor with the
    // first answer.
    let find = collection.find(filter).batch_size(Operation::MANY as u32 + 1);
    let mut count = 0;
    match session {
        Some(session) => {
            let mut cursor = find.session(&mut *session).await?;
            while cursor.advance(session).await? {
                cursor.deserialize_current()?;
                count += 1;
            }
        }
        None => {
            let mut cursor = find.await?;
            while cursor.advance().await? {
                cursor.deserialize_current()?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Counts and adds up what a filter means on the server, and returns the count.
async fn aggregated(
    collection: &Collection<Document>,
    filter: Document,
    session: Option<&mut ClientSession>,
) -> Answer<u64> {
    let group = doc! { "_id": null, "count": { "$sum": 1 }, "rate": { "$sum": "$rate" } };
    let action = collection.aggregate([doc! { "$match": filter }, doc! { "$group": group }]);
    let first = match session {
        Some(session) => {
            let mut cursor = action.session(&mut *session).await?;
            let found = cursor.advance(session).await?;
            found.then(|| cursor.deserialize_current()).transpose()?
        }
        None => {
            let mut cursor = action.await?;
            let found = cursor.advance().await?;
            found.then(|| cursor.deserialize_current()).transpose()?
        }
    };
    Ok(first.map_or(0, |group| number(&group, &["count"]).unwrap_or(0)))
}

/// An ordered bulk of inserts, updates and deletes. The driver has one only for servers from 8.0
/// on, so these are the three commands that such a bulk becomes; they are sent as they are, and the
/// driver does not send them again.
async fn bulk_write(
    step: &Step,
    collection: &Collection<Document>,
    data: &Dataset,
    i: usize,
    mut session: Option<&mut ClientSession>,
) -> Answer<u64> {
    let namespace = collection.namespace();
    let database = collection.client().database(&namespace.db);
    let name = &namespace.coll;
    let one = |id: i64| doc! { "id": id };
    let bulk = data.bulk(step, i);
    let updates: Vec<Document> = bulk
        .updated
        .map(|id| doc! { "q": one(id as i64), "u": { "$inc": { "rate": 1 } } })
        .collect();
    let deletes: Vec<Document> =
        bulk.deleted.map(|id| doc! { "q": one(id as i64), "limit": 1 }).collect();
    let commands = [
        (doc! { "insert": name, "documents": data.inserted(Operation::BulkWrite, i) }, "n"),
        (doc! { "update": name, "updates": updates }, "nModified"),
        (doc! { "delete": name, "deletes": deletes }, "n"),
    ];
    let mut done = 0;
    for (mut command, counted) in commands {
        // In a transaction the collection has none, and the commit has the transaction's.
        if let Some(concern) = collection.write_concern() {
            command.insert("writeConcern", doc! { "w": acknowledgment(concern) });
        }
        let action = database.run_command(command);
        let answer = match session.as_deref_mut() {
            Some(session) => action.session(session).await?,
            None => action.await?,
        };
        // What an answer lacks because of an error in it is missing in the sum.
        done += number(&answer, &[counted]).unwrap_or(0);
    }
    Ok(done)
}

fn acknowledgment(concern: &WriteConcern) -> Bson {
    match &concern.w {
        Some(Acknowledgment::Nodes(nodes)) => Bson::Int64((*nodes).into()),
        _ => "majority".into(),
    }
}

/// A conflict that the server ended by aborting the transaction; a broken connection is none.
pub(super) fn is_conflict(error: &DriverError) -> bool {
    let from_server = matches!(*error.kind, ErrorKind::Command(_) | ErrorKind::Write(_));
    from_server && error.contains_label(TRANSIENT_TRANSACTION_ERROR)
}
