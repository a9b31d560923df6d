//! The transactions cases of a configuration.

use crate::config::{Cases, Config};
use crate::model::workload::{NO_MATCH, TransactionCase, Workload};
use crate::model::{Case, Engine, Label, TransactionProfile};

/// The cases that a configuration asks for: labels, then workloads.
pub fn all(config: &Config) -> Vec<TransactionCase> {
    cases_of(config.transaction_versions(), |workload| is_wanted(config, workload))
}

/// Whether a configuration asks for it. The article's protocol has one more than the article, its
/// updateOne as it was.
pub fn is_wanted(config: &Config, workload: &Workload) -> bool {
    let wanted = &config.transactions.cases;
    let article =
        config.transactions.profile == TransactionProfile::Article && *wanted == Cases::Article;
    wanted.include(workload) || article && *workload == NO_MATCH
}

pub fn cases_of(labels: &[Label], wanted: impl Fn(&Workload) -> bool) -> Vec<TransactionCase> {
    let workloads: Vec<&'static Workload> = Workload::every().filter(|w| wanted(w)).collect();
    let cases = |label: &Label| {
        let label = label.clone();
        workloads.iter().map(move |&workload| TransactionCase { label: label.clone(), workload })
    };
    labels.iter().flat_map(cases).collect()
}

/// The cases that are tests: all, where the configuration has `[transactions]`.
pub fn as_tests(config: &Config) -> Vec<TransactionCase> {
    if config.transactions.as_tests { all(config) } else { Vec::new() }
}

impl TransactionCase {
    /// The server that it is measured on.
    pub fn server(&self, config: &Config) -> Case {
        let kind = config.transactions.db_path;
        Case::plain(self.label.clone(), Engine::WiredTiger, kind)
    }
}
