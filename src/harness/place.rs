//! Where a test process keeps its results, so that those of all processes of a run meet.

use std::env;
use std::path::{Path, PathBuf};

use crate::config::AnyCase;
use crate::error::{Error, Result};
use crate::host::{results_folder, target_folder};
use crate::job;
use crate::job::runs;
use crate::model::Outcome;
use crate::model::results::Results;

/// The name of this process's session: `<run>/<test binary>/<case>` under nextest, whose run has
/// one id for all its processes.
///
/// Without nextest the process is the run, except where MONGATE_RESULTS gives several processes one
/// folder.
pub fn run_id(selected: &[AnyCase]) -> String {
    let process = || std::process::id().to_string();
    let Some(run) = variable("NEXTEST_RUN_ID") else {
        let run = job::new_run_id();
        return match results_folder() {
            Some(_) => {
                format!("{run}/{}-{}", variable("CARGO_PKG_NAME").unwrap_or_default(), process())
            }
            None => run,
        };
    };
    let case = match selected {
        [case] => file_name(&case.id()),
        _ => process(),
    };
    let binary = variable("NEXTEST_BINARY_ID").map_or(String::new(), |id| file_name(&id) + "/");
    let attempt = match attempt() {
        1 => String::new(),
        again => format!("@{again}"),
    };
    format!("{run}/{binary}{case}{attempt}")
}

/// An earlier attempt at this session that found a regression: nextest's retry must not measure
/// until that has gone.
///
/// # Errors
/// There is one; the message repeats what it found.
pub fn stands(run_id: &str, id: &str) -> Result<()> {
    let name = run_id.split('@').next().unwrap_or_default();
    for earlier in 1..attempt() {
        let part = match earlier {
            1 => name.to_owned(),
            again => format!("{name}@{again}"),
        };
        let results = runs::read(&folder(&part).join("results.json"));
        let mut verdicts = results.iter().flat_map(Results::verdicts);
        let Some((_, verdict)) = verdicts.find(|(of, _)| *of == id) else {
            continue;
        };
        if verdict.fails && verdict.outcome == Outcome::Regressed {
            return Err(Error::environment(verdict.to_string()).help(
                "attempt 1 decided this, and a retry does not measure it away: set `retries = 0` \
                    for these tests",
            ));
        }
    }
    Ok(())
}

/// The folder of the whole run, of which a process with this session's name is a part; nothing
/// where the process is the run.
pub fn run_folder(session: &Path, run_id: &str) -> Option<PathBuf> {
    let depth = run_id.matches('/').count();
    (depth > 0).then(|| session.ancestors().nth(depth).map(Path::to_owned))?
}

/// The folder of a session of this run.
fn folder(run_id: &str) -> PathBuf {
    match (results_folder(), run_id.split_once('/')) {
        (Some(folder), Some((_, part))) => folder.join(part),
        _ => target_folder().join("mongate").join(run_id),
    }
}

/// Which attempt of nextest this is, counted from 1.
fn attempt() -> u32 {
    let stated = variable("NEXTEST_ATTEMPT").and_then(|text| text.parse().ok());
    stated.unwrap_or(1)
}

fn file_name(id: &str) -> String {
    id.replace("::", "-").replace(['/', ':'], "-")
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
