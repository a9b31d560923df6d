//! How results are printed.

use clap::ValueEnum;

use crate::cli::console;
use crate::config::variable_of;
use crate::error::Result;
use crate::model::results::Results;
use crate::report::{csv, json, markdown, table, transactions};

/// What results can be printed as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Tables for the terminal
    #[default]
    Table,
    /// Tables for a job's summary or a pull request
    Markdown,
    /// A line for each series of times
    Csv,
    /// results.json
    Json,
}

/// The format of the command line, else that of MONGATE_FORMAT, else the table.
///
/// # Errors
/// The variable names none.
pub fn chosen(format: Option<Output>) -> Result<Output> {
    let named = |text: &str| {
        Output::from_str(text, false).map_err(|_| {
            format!(
                "{text:?} is not a valid format: write \"table\", \"markdown\", \"csv\" or \"json\""
            )
        })
    };
    let variable = variable_of("MONGATE_FORMAT", named)?;
    Ok(format.or(variable).unwrap_or_default())
}

/// Everything that results hold, in this format.
pub fn render(results: &Results, format: Output) -> String {
    match format {
        Output::Table => tables(results),
        Output::Markdown => markdown::render(results),
        Output::Csv => csv::render(results),
        Output::Json => json::render(results),
    }
}

fn tables(results: &Results) -> String {
    let style = console::style();
    let mut tables = Vec::new();
    if !results.startup.is_empty() || results.transactions.is_empty() {
        tables.push(table::render(results, style));
    }
    if !results.transactions.is_empty() {
        tables.push(transactions::render(results, style));
    }
    tables.join("\n")
}
