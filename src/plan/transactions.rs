//! Which transactions cases a command measures.

use crate::config::transaction_cases::{all, cases_of, is_wanted};
use crate::config::{Cases, Config};
use crate::error::Result;
use crate::model;
use crate::model::Label;
use crate::model::workload::{TransactionCase, Workload};

/// The cases that `mongate transactions` measures: without a filter those of the configuration. A
/// filter picks among these and, unless `only_these`, the article's; where it fits none, among all
/// cases, and then among all labels of `[mongod]`.
///
/// # Errors
/// It matches none of all: the message names the nearest id.
pub fn select(
    config: &Config,
    filter: Option<&str>,
    only_these: bool,
) -> Result<Vec<TransactionCase>> {
    let pick = |cases| {
        let shows = "`mongate transactions --cases all` measures";
        model::pick(cases, TransactionCase::id, filter, shows)
    };
    if filter.is_none() {
        return pick(all(config));
    }
    let configured = |workload: &Workload| is_wanted(config, workload);
    let usual = |workload: &Workload| {
        configured(workload) || !only_these && Cases::Article.include(workload)
    };
    let own = config.transaction_versions();
    let labels = [&*config.mongod.versions, &*config.mongod.optional].concat();
    pick(cases_of(own, usual))
        .or_else(|_| pick(cases_of(own, |_| true)))
        .or_else(|_| pick(cases_of(&labels, usual)))
        .or_else(|_| pick(cases_of(&labels, |_| true)))
}

/// What the claims on transactions are judged by: the label whose measurements count, 6.0 or else
/// the last that the configuration measures, with its cases; and the server's default write concern
/// on the nearest versions of `[mongod]` on both sides of 5.0, from which on it is majority. `None`
/// where no label is measured.
pub fn explaining(config: &Config) -> Option<(Label, Vec<TransactionCase>)> {
    const CASES: [&str; 4] = ["writeConcern", "readOnly", "insertOne-xN", "conflicts"];
    let measured = config.transaction_versions();
    let usual = |label: &&Label| label.as_str() == "6.0";
    let label = measured.iter().find(usual).or(measured.last())?;
    let mut wanted: Vec<(&Label, &str)> = CASES.iter().map(|name| (label, *name)).collect();
    let labels = || config.mongod.versions.iter().chain(&config.mongod.optional);
    let numbered = || labels().filter_map(|label| Some((label.numbers()?, label)));
    let below = numbered().filter(|(numbers, _)| numbers.as_slice() < [5].as_slice()).max();
    let from = numbered().filter(|(numbers, _)| numbers.as_slice() >= [5].as_slice()).min();
    for (_, side) in below.into_iter().chain(from) {
        if side != label {
            wanted.push((side, CASES[0]));
        }
    }
    let case = |(label, name): (&Label, &str)| {
        Some(TransactionCase { label: label.clone(), workload: Workload::named(name)? })
    };
    Some((label.clone(), wanted.into_iter().filter_map(case).collect()))
}
