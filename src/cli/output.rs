//! What a command prints, and the page that it writes besides.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::cli::{console, print};
use crate::config::variable_of;
use crate::error::{Error, Result};
use crate::host::write::Pending;
use crate::model::results::Results;
use crate::report::doc::Doc;
use crate::report::{csv, html, json, markdown, terminal};

/// The flags that every command with a report takes.
#[derive(Debug, Default, Args)]
pub(crate) struct OutputArgs {
    /// What to print on standard output [default: table] [env: MONGATE_FORMAT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Also write the report as a page for a browser [env: MONGATE_HTML]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Tables for the terminal
    #[default]
    Table,
    /// Tables for a job's summary or a pull request
    Markdown,
    /// A line for each series of times; of advice, calibrations and claims one for each row
    Csv,
    /// results.json; of advice, calibrations and claims what these say
    Json,
}

/// Where a report goes, once there is one.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
    page: Option<(Pending, PathBuf)>,
}

impl OutputArgs {
    /// Reads the variables, and tries the place of the page: before minutes of measuring, and not
    /// after them.
    pub(crate) fn open(&self) -> Result<Output> {
        // Variables are not read by clap, whose message on a bad value would not name them.
        let named = |text: &str| {
            Format::from_str(text, false).map_err(|_| {
                format!(
                    "{text:?} is not a valid format: write \"table\", \"markdown\", \"csv\" or \
                    \"json\""
                )
            })
        };
        let variable = variable_of("MONGATE_FORMAT", named)?;
        let page = variable_of("MONGATE_HTML", |path| Ok::<_, Error>(PathBuf::from(path)))?;
        let page = self.html.clone().or(page).map(|path| {
            let page = Pending::at(&path).map_err(|e| failed(&path, e))?;
            Ok::<_, Error>((page, path))
        });
        let format = self.format.or(variable).unwrap_or_default();
        Ok(Output { format, page: page.transpose()? })
    }
}

impl Output {
    /// Writes a report on results, which is what JSON and CSV are made of.
    pub(crate) fn results(self, doc: &Doc, results: &Results) -> Result<()> {
        let text = match self.format {
            Format::Csv => Some(csv::results(results)),
            _ => None,
        };
        self.write(doc, results, text)
    }

    /// Writes any other report with the data behind it.
    pub(crate) fn document(self, doc: &Doc, data: &impl Serialize) -> Result<()> {
        self.write(doc, data, None)
    }

    fn write(self, doc: &Doc, data: &impl Serialize, csv: Option<String>) -> Result<()> {
        if let Some((page, path)) = self.page {
            page.finish(html::render(doc).as_bytes()).map_err(|e| failed(&path, e))?;
        }
        print(&match self.format {
            Format::Table => terminal::render(doc, console::style()),
            Format::Markdown => markdown::render(doc),
            Format::Csv => csv.unwrap_or_else(|| csv::tables(doc)),
            Format::Json => json::render(data),
        })
    }
}

fn failed(path: &std::path::Path, error: std::io::Error) -> Error {
    if path.is_dir() {
        return Error::usage(format!("{} is a folder", path.display()))
            .help("--html takes the name of a file");
    }
    Error::io(format_args!("cannot write {}", path.display()), error)
}
