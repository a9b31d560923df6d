//! `mongate compare`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::console::Console;
use crate::cli::exit_code;
use crate::cli::output::OutputArgs;
use crate::config::{Blocks, Config, Share, variable_of};
use crate::error::Result;
use crate::job;
use crate::judge::Rules;
use crate::model;
use crate::model::Case;
use crate::model::Observer;
use crate::plan::compare;
use crate::plan::compare::Side;
use crate::report::comparison;

#[derive(Debug, Args)]
pub struct Compare {
    /// The reference: a version, the path of a mongod, or a case
    a: Side,
    /// The server or case to judge; give A again to compare it with itself
    b: Side,
    /// Only pairs whose first case matches: an id, a pattern with '*', or a part of an id
    filter: Option<String>,
    /// Delay B's launches by this share of A's time, to see the gate fire
    #[arg(long, value_name = "SHARE")]
    inject: Option<Share>,
    /// How much slower B may be [default: the configuration's, 5%] [env: MONGATE_TOLERANCE]
    #[arg(long, value_name = "SHARE")]
    tolerance: Option<Share>,
    /// Blocks to measure: N, or MIN..MAX to stop as soon as every pair is decided [default: 10..50]
    /// [env: MONGATE_BLOCKS]
    #[arg(long, value_name = "N|MIN..MAX")]
    blocks: Option<Blocks>,
    #[command(flatten)]
    output: OutputArgs,
    /// Seed of the random order [default: a new one] [env: MONGATE_SEED]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub fn run(mut config: Config, compare: &Compare) -> Result<ExitCode> {
    let output = compare.output.open()?;
    // Not those of [session]: a gate may be content with few blocks, and a comparison needs a
    // decision.
    let blocks = variable_of("MONGATE_BLOCKS", str::parse)?;
    config.session.blocks = compare.blocks.or(blocks).unwrap_or(Blocks { min: 10, max: 50 });
    config.session.seed = compare.seed.or(config.session.seed);
    let tolerance = variable_of("MONGATE_TOLERANCE", str::parse)?;
    config.gate.tolerance = compare.tolerance.or(tolerance).unwrap_or(config.gate.tolerance);
    let pairs = compare::pairs(&mut config, &compare.a, &compare.b)?;
    let pairs = select(pairs, compare.filter.as_deref())?;
    let console = Console::new();
    let _session = job::begin(&console)?;
    let mut arms = compare::arms(&config, &pairs, &console)?;
    let mut notices = Vec::new();
    if let Some(Share(share)) = compare.inject {
        notices = job::inject::inject(&mut arms, share, config.session.timeout.0)?;
    }
    let rules = Rules { pairs: true, ..job::rules(&config) };
    let run_id = job::new_run_id();
    let (results, _) = job::session(&config, arms, &rules, &run_id, &console)?;
    console.clear();
    for notice in &notices {
        console.note(notice);
    }
    output.results(&comparison::document(&results), &results)?;
    Ok(exit_code(&results))
}

fn select(pairs: Vec<(Case, Case)>, filter: Option<&str>) -> Result<Vec<(Case, Case)>> {
    let firsts = pairs.iter().map(|(a, _)| a.clone()).collect();
    let chosen = model::select(firsts, filter)?;
    let of_chosen = pairs.into_iter().filter(|(a, _)| chosen.contains(a));
    Ok(of_chosen.collect())
}
