//! Lanes: ways to do one thing that are compared with each other, in random order inside each
//! macro-iteration, as arms are. What an arm does not vary, a lane does: how many operations, how
//! the transaction begins and ends, and whether a write concern is given at all.

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// insertOne of a document that is not there.
    Insert,
    /// findOne, by an index, of a document that is there.
    Find,
}

/// Around the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nothing.
    Plain,
    /// One transaction, in a session that is used again.
    Transaction,
    /// The same, aborted in the place of its commit.
    Aborted,
    /// One transaction in a session of its own, which begins and ends within the time.
    NewSession,
    /// One transaction by the driver's `and_run2`, which tries again by itself.
    AndRun,
}

/// Which write concern the operations or their transaction have. Reads have the matching read
/// concern, and in transactions snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// None is given: what the server then does depends on its version.
    Default,
    /// w:1.
    One,
    /// w:majority.
    Majority,
}

/// One way to do one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its name in results.
    pub name: &'static str,
    /// What is done.
    pub action: Action,
    /// How often, in one iteration.
    pub operations: usize,
    /// What is around it.
    pub way: Way,
    /// How durable it is.
    pub concern: Concern,
}

/// Lanes that are measured together.
#[derive(Debug, PartialEq, Eq)]
pub struct LaneSet {
    /// The lanes.
    pub lanes: &'static [Lane],
    /// Which are compared, by their places: the time of the first over that of the second.
    pub pairs: &'static [[usize; 2]],
    /// Whether the lanes are numbers of inserts, with a transaction and without, for which lines
    /// are fitted.
    pub is_sweep: bool,
}
