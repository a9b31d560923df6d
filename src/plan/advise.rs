//! What a session measures to give advice.

use crate::model::DbPathKind;
use crate::model::Label;
use crate::model::{Cache, Case, Engine, Topology};

/// Both arguments that make wiredTiger start faster.
pub(crate) const FAST: &str = "small-journal+few-sessions";

/// A copy of a prepared dbPath.
pub(crate) const TEMPLATE: &str = "template";

/// What is tried by itself, to see whether it does anything.
const ALONE: [&str; 5] = ["small-journal", "few-sessions", "no-journal", "ftdc-off", "small-cache"];

/// The same of replica sets.
const ALONE_IN_SET: [&str; 1] = ["small-oplog"];

/// How many servers start together.
const AT_ONCE: [u32; 3] = [2, 4, 8];

/// The cases of a session that gives advice on the servers `advised`, and compares these with
/// `others`.
///
/// A block launches 65 servers for one that is advised and 4 for each other one; [`of_flags`] says
/// which 10 of the 65 need more blocks than the others. 10 blocks of all and 20 of these, with 2 of
/// warm-up, take 4 to 5 minutes on a quiet machine.
pub fn cases(advised: &[Label], others: &[Label]) -> Vec<Case> {
    let of_advised = advised.iter().flat_map(|label| {
        let parts = [candidates(label), alone(label), cold(label), at_once(label)];
        parts.concat()
    });
    let of_others = others.iter().flat_map(for_comparison);
    of_advised.chain(of_others).collect()
}

/// Whether a case, on a server that is advised, shows what single arguments do: the starts with
/// these and those without, on disk. Such an effect is small, and that there is none is shown only
/// where the interval is narrow; so these need more blocks than the rest, whose differences are
/// large.
pub fn of_flags(case: &Case) -> bool {
    let is_disk = case.engine == Engine::WiredTiger && case.db_path == DbPathKind::Disk;
    is_disk && is_usual(case) && !is_template(case)
}

/// Whether it starts on a copy of a prepared dbPath.
pub(crate) fn is_template(case: &Case) -> bool {
    let variant = case.variant.as_ref();
    variant.is_some_and(|name| name.as_str() == TEMPLATE)
}

/// What may be recommended: both places, engines for standalones, and what makes wiredTiger faster.
fn candidates(label: &Label) -> Vec<Case> {
    let mut cases = Vec::new();
    for db_path in [DbPathKind::Disk, DbPathKind::Ramdisk] {
        for topology in [Topology::Standalone, Topology::ReplicaSet] {
            let plain =
                Case { topology, ..Case::plain(label.clone(), Engine::WiredTiger, db_path) };
            cases.push(plain.clone());
            cases.extend([FAST, TEMPLATE].map(|name| with(&plain, name)));
        }
        cases.push(Case::plain(label.clone(), Engine::EphemeralForTest, db_path));
    }
    cases
}

fn alone(label: &Label) -> Vec<Case> {
    let standalone = Case::plain(label.clone(), Engine::WiredTiger, DbPathKind::Disk);
    let set = Case { topology: Topology::ReplicaSet, ..standalone.clone() };
    let standalones = ALONE.iter().map(|name| with(&standalone, name));
    let sets = ALONE_IN_SET.iter().map(|name| with(&set, name));
    standalones.chain(sets).collect()
}

fn cold(label: &Label) -> Vec<Case> {
    let cold = |case| Case { cache: Cache::Cold, ..case };
    contrast(label).map(cold).to_vec()
}

fn at_once(label: &Label) -> Vec<Case> {
    let several = |case: Case| AT_ONCE.map(|at_once| Case { at_once, ..case.clone() });
    contrast(label).into_iter().flat_map(several).collect()
}

/// Of another server: what its users have, on the usual place.
fn for_comparison(label: &Label) -> Vec<Case> {
    let [plain, fast, ephemeral] = contrast(label);
    let set = Case { topology: Topology::ReplicaSet, ..plain.clone() };
    vec![plain, fast, ephemeral, set]
}

/// The standalones on disk that differ most: the default, the faster one, the other engine.
fn contrast(label: &Label) -> [Case; 3] {
    let plain = Case::plain(label.clone(), Engine::WiredTiger, DbPathKind::Disk);
    let ephemeral = Case::plain(label.clone(), Engine::EphemeralForTest, DbPathKind::Disk);
    [plain.clone(), with(&plain, FAST), ephemeral]
}

fn with(case: &Case, variant: &str) -> Case {
    Case { variant: Some(variant.parse().expect("a literal name")), ..case.clone() }
}

/// One server alone, with its binary in the page cache.
pub(crate) fn is_usual(case: &Case) -> bool {
    case.cache == Cache::Warm && case.at_once == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn every_case_is_there_once_and_its_variant_ships_and_goes_with_it() {
        let [first, second] = ["6.0", "7.0"].map(|label| label.parse::<Label>().unwrap());
        let cases = cases(std::slice::from_ref(&first), std::slice::from_ref(&second));
        let startup = Config::default().startup;
        for (index, case) in cases.iter().enumerate() {
            assert!(!cases[..index].contains(case), "{} twice", case.id());
            if let Some(name) = &case.variant {
                let variant = startup.variant(name).unwrap();
                assert!(variant.is_for(case), "{}", case.id());
            }
        }
        let launches = |label| {
            let of_label = cases.iter().filter(|case| case.label == label);
            of_label.map(|case| case.at_once).sum::<u32>()
        };
        // As the documentation of `cases` says.
        assert_eq!((launches(first.clone()), launches(second)), (65, 4));
        let of_flags = |case: &&Case| case.label == first && of_flags(case);
        assert_eq!(cases.iter().filter(of_flags).count(), 10);
        // None of them waits for a case that ends before it.
        for case in cases.iter().filter(of_flags) {
            assert!(super::of_flags(&case.reference()), "{}", case.id());
        }
    }
}
