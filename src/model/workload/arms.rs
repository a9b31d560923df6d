//! The ways to send the same operations: with or without a transaction, durable or not.

/// How far what a read sees is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLevel {
    /// What the member has.
    Local,
    /// What the majority has acknowledged.
    Majority,
    /// One point in time for all operations of a transaction.
    Snapshot,
}

/// One way to send a workload's operations. Concerns are explicit, since the servers' defaults
/// differ (w:1 up to 4.4, majority from 5.0); only [`Arm::DEFAULT`] sends none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name in results: A to G; with a digit the variant of one of them.
    pub letter: &'static str,
    /// What it is, in a few words.
    pub name: &'static str,
    /// Whether operations belong to an explicit session.
    pub session: bool,
    /// Whether they are one transaction.
    pub transaction: bool,
    /// Whether writes wait until they are durable (w:majority) or not (w:1).
    pub majority: bool,
    /// What reads see.
    pub reads: ReadLevel,
    /// Whether concerns are sent at all; without them the server's defaults hold, whatever
    /// `majority` and `reads` say.
    pub concerns: bool,
    /// Whether each iteration starts a session of its own, which is timed with it; else all reuse
    /// one.
    pub new_session: bool,
    /// Whether the driver may send a write again.
    pub retry_writes: bool,
    /// Whether the session is handed to the operations. An arm that forgets it measures no
    /// transaction, which the check of the commits finds.
    pub passes_session: bool,
}

impl Arm {
    /// Plain, w:1.
    pub const A: Self = Self {
        letter: "A",
        name: "plain, w:1",
        session: false,
        transaction: false,
        majority: false,
        reads: ReadLevel::Local,
        concerns: true,
        new_session: false,
        retry_writes: true,
        passes_session: true,
    };
    /// Plain, w:majority: as durable as [`Arm::E`].
    pub const B: Self = Self {
        letter: "B",
        name: "plain, majority",
        majority: true,
        reads: ReadLevel::Majority,
        ..Self::A
    };
    /// [`Arm::B`] in an explicit session.
    pub const C: Self = Self { letter: "C", name: "session, majority", session: true, ..Self::B };
    /// Transaction, w:1.
    pub const D: Self = Self {
        letter: "D",
        name: "transaction, w:1",
        session: true,
        transaction: true,
        reads: ReadLevel::Snapshot,
        ..Self::A
    };
    /// Transaction, w:majority, snapshot reads.
    pub const E: Self =
        Self { letter: "E", name: "transaction, majority", majority: true, ..Self::D };
    /// [`Arm::A`] without retryable writes.
    pub const F: Self = Self {
        letter: "F",
        name: "plain, w:1, no retryable writes",
        retry_writes: false,
        ..Self::A
    };
    /// [`Arm::E`] with local reads.
    pub const G: Self = Self {
        letter: "G",
        name: "transaction, majority, local reads",
        reads: ReadLevel::Local,
        ..Self::E
    };
    /// Plain, with the server's own write concern: the article's plain arm.
    pub const DEFAULT: Self =
        Self { letter: "A0", name: "plain, default", concerns: false, ..Self::A };
    /// [`Arm::B`] once more, as if it were another arm: what differs from its twin is noise.
    pub const SENTINEL: Self = Self { letter: "B2", name: "plain, majority, again", ..Self::B };
    /// [`Arm::E`] in a session of its own each time: the article's transaction.
    pub const NEW_SESSION: Self = Self {
        letter: "E0",
        name: "new session, transaction, majority",
        new_session: true,
        ..Self::E
    };
    /// Every arm.
    pub const ALL: [Self; 10] = [
        Self::DEFAULT,
        Self::A,
        Self::B,
        Self::SENTINEL,
        Self::C,
        Self::D,
        Self::E,
        Self::NEW_SESSION,
        Self::F,
        Self::G,
    ];
}
