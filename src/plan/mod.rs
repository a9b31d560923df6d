//! From a configuration and this machine to what a session measures, in which order.

pub mod advise;
pub mod compare;
mod image;
pub mod macros;
pub mod obtain;
pub mod prepare;
pub mod profile;
#[cfg(test)]
mod tests;
pub mod transactions;

pub use obtain::Fetch;
pub use prepare::PlannedCase;
