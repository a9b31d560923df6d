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

/// One way to send a workload's operations. Concerns are always explicit: the servers' defaults differ (w:1 up to 4.4, majority from 5.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name in results: A to G.
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
    /// Whether the driver may send a write again.
    pub retry_writes: bool,
    /// Whether the session is handed to the operations. An arm that forgets it measures no transaction, which the check of the commits finds.
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
    pub const C: Self = Self {
        letter: "C",
        name: "session, majority",
        session: true,
        ..Self::B
    };
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
    pub const E: Self = Self {
        letter: "E",
        name: "transaction, majority",
        majority: true,
        ..Self::D
    };
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
    /// Every arm.
    pub const ALL: [Self; 7] = [
        Self::A,
        Self::B,
        Self::C,
        Self::D,
        Self::E,
        Self::F,
        Self::G,
    ];
}
