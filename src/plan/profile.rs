//! What `mongate profile` is asked for.

use crate::config;
use crate::config::Config;
use crate::error::Result;
use crate::host::target_folder;
use crate::model;
use crate::model::Case;
use crate::model::Label;
use crate::model::Observer;
use crate::plan::compare::Side;
use crate::plan::{Fetch, PlannedCase, prepare};

/// A case, and how it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The case.
    pub case: Case,
    /// By name or by its server, and not by a pattern: that it cannot be measured is a failure.
    pub named: bool,
}

/// The cases that these words mean, each once: an id; a pattern with `*`, or a part of an id, of
/// the configuration's cases; a version or a label, which is every engine and dbPath kind of the
/// configuration on that server; or the path of a mongod, likewise, which gets the label `path1`
/// and so on.
///
/// # Errors
/// A word means no case: the message names the nearest id.
pub fn cases(config: &mut Config, words: &[String]) -> Result<Vec<Asked>> {
    let mut asked: Vec<Asked> = Vec::new();
    let mut paths = 0;
    for word in words {
        let (found, named) = match word.parse() {
            _ if word.contains('*') => {
                (model::select(config::startup_cases(config), Some(word))?, false)
            }
            Ok(Side::Case(case)) => (vec![case], true),
            Ok(Side::Path(path)) => {
                paths += 1;
                let label: Label = format!("path{paths}").parse()?;
                config.mongod.path.insert(label.clone(), path);
                (config::cases_of_label(config, &label), true)
            }
            Ok(Side::Label(label)) if is_server(config, &label) => {
                (config::cases_of_label(config, &label), true)
            }
            Err(error) if word.starts_with("startup::") => return Err(error),
            _ => (model::select(config::startup_cases(config), Some(word))?, false),
        };
        for case in found {
            match asked.iter_mut().find(|other| other.case == case) {
                Some(known) => known.named |= named,
                None => asked.push(Asked { case, named }),
            }
        }
    }
    Ok(asked)
}

/// Whether a word can be meant as a server: it is one of the configuration's labels, or a version.
fn is_server(config: &Config, label: &Label) -> bool {
    let mongod = &config.mongod;
    mongod.versions.contains(label)
        || mongod.optional.contains(label)
        || mongod.path.contains_key(label)
        || label.to_string().starts_with(|c: char| c.is_ascii_digit())
}

/// The arms of a profile, in the order that was asked for. No reference joins: a case is compared
/// with nothing but what was asked for.
///
/// # Errors
/// A signal asked for the end.
pub fn arms(config: &Config, asked: &[Asked], observer: &dyn Observer) -> Result<Vec<PlannedCase>> {
    let cases: Vec<Case> = asked.iter().map(|asked| asked.case.clone()).collect();
    let mut arms = prepare::prepare(config, &cases, &[], Fetch::All, &target_folder(), observer)?;
    for (arm, asked) in arms.iter_mut().zip(asked) {
        arm.required |= asked.named;
    }
    Ok(arms)
}
