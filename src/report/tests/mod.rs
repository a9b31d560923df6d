//! What the reports show of made-up results.

mod phases;
mod table;
mod transactions;
