//! One error type: what happened, to what, and what to do next.

use std::fmt;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What class of failure an [`Error`] is; it decides the exit code of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command line or the configuration asks for something that makes no sense (exit code 2).
    Usage,
    /// This machine cannot do what was asked: no binary, no space, no start (exit code 4).
    Environment,
    /// A signal asked for the end (exit code 130).
    Interrupted,
}

/// What happened, to what, and what to do next.
///
/// `Display` prints the whole message: the first line says what happened and why, later lines give
/// details such as the last log lines of a mongod, and a line `help: ...` says what to do.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    what: String,
    help: Option<String>,
}

impl Error {
    /// The command line or the configuration is wrong.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, what)
    }

    /// The machine cannot do what was asked.
    pub(crate) fn environment(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Environment, what)
    }

    /// An operation on a file or a folder failed: `what` says which, `source` why.
    pub(crate) fn io(what: impl fmt::Display, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Environment, format!("{what}: {source}"))
    }

    /// A signal asked for the end.
    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), help: None }
    }

    /// Adds what to do next.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The class of this failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
