//! Processes: started, watched until they are ready, and ended on every path out. Nothing else in
//! mongate spawns.

pub mod cold;
mod command;
mod failure;
pub mod log;
mod output;
pub mod phases;
pub mod probe;
mod ready;
mod replica_set;
mod running;
mod server;
mod template;
#[cfg(test)]
mod tests;
mod together;

pub use command::Launch;
pub use failure::{End, explain};
pub use output::Line;
pub use probe::{Probes, Setup};
pub(crate) use ready::options;
pub use replica_set::{ReplicaSet, SetStamps};
pub use running::{Launcher, Running, Stamps};
pub use server::Server;
pub use template::Template;
pub use together::together;
