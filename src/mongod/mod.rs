//! A mongod binary: which one a label means, where it lies, what it supports, and how to get it.

pub mod version;

pub use version::{Label, Version};
