//! `mongate baseline`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;

use crate::cli::print;
use crate::config::Config;
use crate::error::Result;
use crate::figures::{interval, ratio};
use crate::job::baselines::Baselines;
use crate::judge::baseline::{Document, Entry};
use crate::stats::{MIN_SESSIONS, prediction_interval};

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Baseline {
    /// List the baselines of the file: name, machine, sessions
    List,
    /// Show what each baseline says about each case
    Show,
    /// Add the sessions that wait beside the file to it
    Accept,
}

pub fn run(config: &Config, command: Baseline) -> Result<ExitCode> {
    let baselines = Baselines::of(config);
    let file = baselines.file().display();
    match command {
        Baseline::List => {
            let document = baselines.read()?;
            let mut text = list(&document);
            if text.is_empty() {
                text = format!("no baseline in {file}\n");
            }
            let waiting = baselines.pending()?.sessions.len();
            if waiting > 0 {
                // Writing to a String cannot fail.
                let _ = writeln!(
                    text,
                    "{waiting} sessions wait in {}: `mongate baseline accept`",
                    baselines.pending_file().display()
                );
            }
            print(&text)?;
        }
        Baseline::Show => print(&show(&baselines.read()?))?,
        Baseline::Accept => {
            let sessions = baselines.accept()?;
            print(&format!("{sessions} sessions added to {file}\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(document: &Document) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for session in &document.sessions {
        let title = format!("{}: {}", session.name, session.machine);
        match counts.iter_mut().find(|(known, _)| *known == title) {
            Some((_, count)) => *count += 1,
            None => counts.push((title, 1)),
        }
    }
    let mut text = String::new();
    for (title, count) in counts {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{title}: {count} sessions");
    }
    text
}

fn show(document: &Document) -> String {
    let mut cases: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for session in &document.sessions {
        for entry in &session.cases {
            let reference = &entry.reference;
            let title = format!(
                "{}, {}: {} {} to {} {}",
                session.name,
                session.machine,
                entry.id,
                entry.version.as_deref().unwrap_or("?"),
                reference.id,
                reference.version.as_deref().unwrap_or("?")
            );
            cases.entry(title).or_default().push(entry);
        }
    }
    let mut text = String::new();
    for (title, entries) in cases {
        let log_ratios: Vec<f64> = entries.iter().map(|e| e.log_ratio).collect();
        let mean = log_ratios.iter().sum::<f64>() / log_ratios.len() as f64;
        let next = match prediction_interval(&log_ratios) {
            Some(prediction) if log_ratios.len() >= MIN_SESSIONS => {
                format!(
                    "the next session is expected in {}",
                    interval(prediction.interval95.map(f64::exp), ratio)
                )
            }
            _ => format!("advice only below {MIN_SESSIONS} sessions"),
        };
        let _ = writeln!(
            text,
            "{title}: ratio {} from {} sessions, {next}",
            ratio(mean.exp()),
            log_ratios.len()
        );
    }
    text
}
