//! How advice writes a configuration and a comparison.

use crate::advise::{Compared, Effect, Figures};
use crate::config::shipped;
use crate::figures::{interval, milliseconds, percent, ratio, size, slower};
use crate::model::{Cache, Case, Engine, Topology};

/// A configuration as in tables, in one line: "wiredTiger ramdisk replica_set template". What no
/// release can read stays an id.
pub(super) fn name(id: &str) -> String {
    let Ok(case) = id.parse::<Case>() else {
        return id.to_owned();
    };
    let mut parts = vec![case.engine.to_string(), case.db_path.to_string()];
    if case.topology == Topology::ReplicaSet {
        parts.push(case.topology.to_string());
    }
    if case.cache == Cache::Cold {
        parts.push(case.cache.to_string());
    }
    if case.at_once > 1 {
        parts.push(format!("x{}", case.at_once));
    }
    parts.extend(case.variant.map(|variant| variant.to_string()));
    parts.join(" ")
}

/// What mongod needs to be told: its arguments as one would type them, and the rest in words.
pub(super) fn recipe(id: &str) -> String {
    let Ok(case) = id.parse::<Case>() else {
        return String::new();
    };
    let shipped = shipped();
    let variant = shipped.iter().find(|variant| Some(&variant.name) == case.variant.as_ref());
    let mut command = vec!["mongod".to_owned()];
    if case.engine != Engine::WiredTiger {
        command.push(format!("--storageEngine {}", case.engine));
    }
    if case.topology == Topology::ReplicaSet {
        command.push("--replSet rs".to_owned());
    }
    for argument in variant.iter().flat_map(|variant| &variant.arguments) {
        // What a shell would read as more than a word.
        let quoted = match argument.0.contains(['(', ' ', '=']) {
            true => format!("'{}'", argument.0),
            false => argument.0.clone(),
        };
        command.push(quoted);
    }
    if command.len() == 1 {
        command.push("(default arguments)".to_owned());
    }
    let command = command.join(" ");
    match variant.is_some_and(|variant| variant.template) {
        true => format!(
            "{command}, each on a fresh copy of a dbPath that such a mongod has filled and left in \
                order once"
        ),
        false => command,
    }
}

/// A median with its interval, and what one server takes.
pub(super) fn takes(figures: &Figures) -> String {
    format!(
        "{}; memory {}, dbPath {}",
        time(figures.median_ms, figures.ci95_ms),
        mib(figures.rss_mb),
        mib(figures.folder_mb)
    )
}

/// A time with its interval: "27.1 ms [26.2-28.0]".
pub(super) fn time(ms: f64, ci95: Option<[f64; 2]>) -> String {
    format!("{} ms {}", milliseconds(ms), ends(ci95, milliseconds))
}

/// A size with its unit.
pub(super) fn mib(mb: f64) -> String {
    format!("{} MiB", size(mb))
}

/// For a column: "5.82 times [5.46-6.10]", or "none shown: 0.99 [0.95-1.04]".
pub(super) fn cell(compared: &Compared) -> String {
    let (ratio, ends) = ratio_and_ends(compared);
    match compared.shown {
        true => format!("{ratio} times {ends}"),
        false => format!("none shown: {ratio} {ends}"),
    }
}

/// For a sentence: "takes 5.82 times as long [5.46-6.10]", "is 12 % faster: 0.88 [0.80-0.95]", or
/// "no difference shown: 0.99 [0.95-1.04]".
pub(super) fn clause(compared: &Compared) -> String {
    let (ratio, ends) = ratio_and_ends(compared);
    if !compared.shown {
        format!("no difference shown: {ratio} {ends}")
    } else if compared.ratio.estimate >= 1.995 {
        format!("{ratio} times as long {ends}")
    } else {
        format!("{}: {ratio} {ends}", slower(compared.ratio.estimate))
    }
}

/// What a set of arguments does; where nothing is shown, how large an effect may still be.
pub(super) fn effect(found: &Effect) -> String {
    let (ratio, ends) = ratio_and_ends(&found.against);
    match found.at_most().filter(|_| !found.against.shown) {
        Some(most) if found.is_none() => {
            format!("no effect larger than {}: {ratio} {ends}", percent(most))
        }
        Some(most) => format!("undecided, up to {}: {ratio} {ends}", percent(most)),
        None => clause(&found.against),
    }
}

/// With as many digits as it takes to show on which side of 1 a claim lies.
fn ratio_and_ends(compared: &Compared) -> (String, String) {
    let precise: fn(f64) -> String = |value| format!("{value:.3}");
    let is_close = compared.shown
        && compared.ratio.ci95.is_some_and(|ci| ci.iter().any(|end| ratio(*end) == "1.00"));
    let figure = if is_close { precise } else { ratio };
    (figure(compared.ratio.estimate), ends(compared.ratio.ci95, figure))
}

fn ends(ci95: Option<[f64; 2]>, figure: fn(f64) -> String) -> String {
    ci95.map_or("[too few blocks]".to_owned(), |ci| format!("[{}]", interval(ci, figure)))
}
