//! Cases of either kind together, as tests and lists have them.

use crate::config::Config;
use crate::config::{startup_cases, transaction_cases};
use crate::model::Case;
use crate::model::workload::TransactionCase;

/// A case of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyCase {
    /// A start-up.
    Startup(Case),
    /// What a transaction costs.
    Transactions(TransactionCase),
}

impl AnyCase {
    /// What a configuration has as tests: start-ups, then transactions where it has
    /// `[transactions]`.
    pub fn all(config: &Config) -> Vec<Self> {
        let startups = startup_cases(config).into_iter().map(Self::Startup);
        let transactions = transaction_cases::as_tests(config).into_iter();
        startups.chain(transactions.map(Self::Transactions)).collect()
    }

    /// The id, also the name of the test.
    pub fn id(&self) -> String {
        match self {
            Self::Startup(case) => case.id(),
            Self::Transactions(case) => case.id(),
        }
    }

    /// The server that it takes: a start-up is one itself.
    pub fn server(&self, config: &Config) -> Case {
        match self {
            Self::Startup(case) => case.clone(),
            Self::Transactions(case) => case.server(config),
        }
    }
}

/// Each of these once, in their order.
pub fn distinct(servers: impl IntoIterator<Item = Case>) -> Vec<Case> {
    let mut distinct = Vec::new();
    for server in servers {
        if !distinct.contains(&server) {
            distinct.push(server);
        }
    }
    distinct
}
