//! Keeps what a session measured, block by block, in `target/mongate/<run id>/`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::host::results_folder;
use crate::host::write::write;
use crate::model::Sample;
use crate::plan::PlannedCase;

/// The folder of one run.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    run_id: String,
    samples: File,
}

/// One line of `samples.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    /// Its place in the session: two arms may be the same case.
    arm: usize,
    case: &'a str,
    sentinel: bool,
    #[serde(flatten)]
    sample: &'a Sample,
}

impl Store {
    /// Makes the folder `<target>/mongate/<run id>/`. Where MONGATE_RESULTS names a folder, that is
    /// the run's, and takes the place of all of this; what stands behind a '/' in `run_id` is a
    /// folder below it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(target: &Path, run_id: &str) -> Result<Self> {
        let folder = match (results_folder(), run_id.split_once('/')) {
            (Some(folder), Some((_, part))) => folder.join(part),
            (Some(folder), None) => folder,
            (None, _) => target.join("mongate").join(run_id),
        };
        let failed = |e| {
            Error::io(format_args!("cannot keep results in {}", folder.display()), e)
                .help("set CARGO_TARGET_DIR or MONGATE_RESULTS to a folder that you can write to")
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let samples = OpenOptions::new()
            .create(true)
            .write(true)
            // A part that a runner starts once more in the same run begins anew.
            .truncate(true)
            .open(folder.join("samples.jsonl"))
            .map_err(failed)?;
        Ok(Self { run_id: run_id.to_owned(), folder, samples })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The run's name.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Appends a block: a line a launch, in the order of the slots, of which the last is the
    /// sentinel's.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(
        &mut self,
        cases: &[PlannedCase],
        slots: &[usize],
        block: &[Sample],
    ) -> Result<()> {
        let mut text = String::new();
        let last = slots.len() - 1;
        for (slot, sample) in block.iter().enumerate() {
            let line = Line {
                arm: slots[slot],
                case: &cases[slots[slot]].case.id(),
                sentinel: slot == last,
                sample,
            };
            text += &serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
        }
        self.write(text.as_bytes())
    }

    fn write(&mut self, lines: &[u8]) -> Result<()> {
        self.samples.write_all(lines).map_err(|e| {
            Error::io(format_args!("cannot append to {}/samples.jsonl", self.folder.display()), e)
        })
    }

    /// Appends a line that says all of one case.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append_case(&mut self, case: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(case).unwrap_or_default();
        line.push(b'\n');
        self.write(&line)
    }

    /// Writes `results.json`, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(&self, results: &impl Serialize) -> Result<PathBuf> {
        let file = self.folder.join("results.json");
        write_whole(&file, results)?;
        Ok(file)
    }
}

/// Writes a value as JSON, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_whole(file: &Path, value: &impl Serialize) -> Result<()> {
    let failed = |e| Error::io(format_args!("cannot write {}", file.display()), e);
    let text = serde_json::to_vec_pretty(value).map_err(|e| failed(e.into()))?;
    write(file, &text).map_err(failed)
}
