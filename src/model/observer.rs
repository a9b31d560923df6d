//! What a session tells while it goes on. It prints nothing itself.

/// Hears of a session's progress.
pub trait Observer: Progress {
    /// Something that a user should know, in one line: a wait, a download, a void block.
    fn note(&self, text: &str);

    /// So many of at least so many blocks are measured; 0 during the warm-up.
    fn blocks(&self, done: u32, of: u32);
}

/// Is told how a step of an installation advances. The steps come one after the other, each between
/// `begin` and `end`, also when it fails.
pub trait Progress {
    /// A step begins: `what` says which, in words for a terminal; `total_bytes` is how many bytes
    /// it takes, when that is known.
    fn begin(&self, what: &str, total_bytes: Option<u64>);
    /// The step has done that many bytes since its beginning.
    fn advance(&self, bytes_so_far: u64);
    /// The step is over.
    fn end(&self);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _what: &str, _total_bytes: Option<u64>) {}
    fn advance(&self, _bytes_so_far: u64) {}
    fn end(&self) {}
}

impl Observer for Silent {
    fn note(&self, _text: &str) {}
    fn blocks(&self, _done: u32, _of: u32) {}
}
