//! What each operation asks of the driver.

use mongodb::bson::{Document, doc};
use mongodb::error::{Error as DriverError, ErrorKind, TRANSIENT_TRANSACTION_ERROR};
use mongodb::{ClientSession, Collection};

use crate::workload::cases::{Operation, Step};
use crate::workload::dataset::Dataset;

/// What the driver answers.
pub(super) type Answer<T> = std::result::Result<T, DriverError>;

/// Sends one operation; returns how many documents it concerned and how many it changed or returned.
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
    let filter = || data.filter(operation, i);
    let count = match operation {
        Operation::InsertOne => {
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
    // The server's own first batch ends at 101; one more than there are closes the cursor with the first answer.
    let find = collection
        .find(filter)
        .batch_size(Operation::MANY as u32 + 1);
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

/// A conflict that the server ended by aborting the transaction; a broken connection is none.
pub(super) fn is_conflict(error: &DriverError) -> bool {
    let from_server = matches!(*error.kind, ErrorKind::Command(_) | ErrorKind::Write(_));
    from_server && error.contains_label(TRANSIENT_TRANSACTION_ERROR)
}
