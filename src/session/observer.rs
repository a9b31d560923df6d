//! What a session tells while it goes on. It prints nothing itself.

use crate::mongod::install::Progress;

/// Hears of a session's progress.
pub trait Observer: Progress {
    /// Something that a user should know, in one line: a wait, a download, a void block.
    fn note(&self, text: &str);

    /// So many of at least so many blocks are measured; 0 during the warm-up.
    fn blocks(&self, done: u32, of: u32);
}
