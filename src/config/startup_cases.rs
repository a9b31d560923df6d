//! The start-ups of a configuration.

use crate::config::Config;
use crate::model::{Case, Label};

/// The cases of a configuration in the order of its lists: labels, then those of [`of_label`].
pub fn all(config: &Config) -> Vec<Case> {
    let labels = config.mongod.versions.iter().chain(&config.mongod.optional);
    labels.flat_map(|label| of_label(config, label)).collect()
}

/// The cases of a configuration for one label, which need not be in it, in the order of its lists:
/// engines, dbPath kinds, topologies, caches, numbers at once, and last no variant and then each
/// one that goes with these.
pub fn of_label(config: &Config, label: &Label) -> Vec<Case> {
    let startup = &config.startup;
    let variants = startup.chosen();
    let mut plain = Vec::new();
    for &engine in &startup.engines {
        for &db_path in &startup.db_paths {
            plain.push(Case::plain(label.clone(), engine, db_path));
        }
    }
    let plain = vary(plain, &startup.topologies, |case, topology| case.topology = topology);
    let plain = vary(plain, &startup.caches, |case, cache| case.cache = cache);
    let plain = vary(plain, &startup.concurrent, |case, at_once| case.at_once = at_once);
    let with_variants = |case: Case| {
        let of_case = variants.iter().filter(|variant| variant.is_for(&case));
        let of_case: Vec<Case> = of_case
            .map(|variant| Case { variant: Some(variant.name.clone()), ..case.clone() })
            .collect();
        std::iter::once(case).chain(of_case)
    };
    plain.into_iter().flat_map(with_variants).collect()
}

/// Each case once for each value.
fn vary<T: Copy>(cases: Vec<Case>, values: &[T], set: fn(&mut Case, T)) -> Vec<Case> {
    let of_case = |case: Case| {
        values.iter().map(move |&value| {
            let mut case = case.clone();
            set(&mut case, value);
            case
        })
    };
    cases.into_iter().flat_map(of_case).collect()
}
