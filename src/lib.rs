#![doc = "mongate"]
#![deny(unsafe_code)]

pub mod error;
pub mod launch;
pub mod mongod;

pub use error::{Error, Result};
