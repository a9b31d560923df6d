//! The phases of a start.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A stretch of a start. Each lasts from the end of the one before it to the event that is named
/// here; one whose event never came is missing, and its time belongs to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before all others, where the dbPath is a copy of a template: from the beginning of the copy
    /// to the spawn.
    TemplateCopy,
    /// From the spawn to the first line of the log: fork, exec, the loader, mongod's static
    /// initialisers.
    ExecInit,
    /// To `MongoDB starting`.
    ProcessInit,
    /// To `Opening WiredTiger`, or to the word that a journal is left behind.
    EngineSelect,
    /// A journal is left behind: to `Opening WiredTiger`.
    JournalTransition,
    /// To `WiredTiger opened`; an engine that announces no opening has no such phase.
    EngineOpen,
    /// To `Flow Control is enabled`: the catalogue, the feature compatibility version.
    CatalogFcv,
    /// To `Waiting for connections`.
    Services,
    /// To the first answer to the driver.
    ClientReady,
    /// To the receipt of replSetInitiate.
    RsWait,
    /// To the new replica-set configuration.
    RsInitiate,
    /// To the election that is won.
    RsElection,
    /// To the end of the transition to primary.
    RsStepup,
    /// To the first acknowledged write with w:majority.
    RsWritable,
}

impl Phase {
    /// The name in results and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TemplateCopy => "template_copy",
            Self::ExecInit => "exec_init",
            Self::ProcessInit => "process_init",
            Self::EngineSelect => "engine_select",
            Self::JournalTransition => "journal_transition",
            Self::EngineOpen => "engine_open",
            Self::CatalogFcv => "catalog_fcv",
            Self::Services => "services",
            Self::ClientReady => "client_ready",
            Self::RsWait => "rs_wait",
            Self::RsInitiate => "rs_initiate",
            Self::RsElection => "rs_election",
            Self::RsStepup => "rs_stepup",
            Self::RsWritable => "rs_writable",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A part of [`Phase::EngineOpen`], divided at WiredTiger's first own message. It is inside that
/// phase and never added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// WiredTiger opens its files and its journal.
    WtBase,
    /// WiredTiger's recovery, and what follows it.
    WtRecovery,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WtBase => "wt_base",
            Self::WtRecovery => "wt_recovery",
        })
    }
}
