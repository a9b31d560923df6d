//! What is wrong in a configuration, and where.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::DeTable;

use crate::error::Error;

/// The parser's message, with file, line and the word that was probably meant.
pub(super) fn explain(error: &toml::de::Error, text: &str, file: &Path) -> Error {
    let line = error.span().map(|span| line_at(text, span.start));
    // "unknown field `engins`, expected one of `engines`, `db_paths`": every second piece between
    // backticks is a word.
    let message = error.message();
    let mut words = message.split('`').skip(1).step_by(2);
    let wrong = words.next().unwrap_or_default();
    let meant = words
        .filter(|word| message.starts_with("unknown") && strsim::jaro_winkler(wrong, word) > 0.7)
        .max_by(|a, b| {
            let near = |word| strsim::jaro_winkler(wrong, word);
            near(a).total_cmp(&near(b))
        });
    let error = Error::usage(format!("{}: {message}", place(file, line)));
    match meant {
        Some(word) => error.help(format!("did you mean `{word}`?")),
        None => error,
    }
}

pub(super) fn place(file: &Path, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", file.display()),
        None => file.display().to_string(),
    }
}

pub(super) fn line_at(text: &str, byte: usize) -> usize {
    1 + text.as_bytes()[..byte.min(text.len())].iter().filter(|&&b| b == b'\n').count()
}

/// The line of the first key of this name in any table, through the parser, so that comments and
/// strings cannot mislead.
pub(super) fn line_of_key(text: &str, key: &str) -> Option<usize> {
    line_of(text, |_| true, key)
}

/// The line of a key in a table of its own.
pub(super) fn line_in(text: &str, table: &str, key: &str) -> Option<usize> {
    line_of(text, |name| name == table, key)
}

/// The line of a key of one table, counted from 0, in an array such as `[[gate.limit]]`; that of
/// the table where it lacks the key.
pub(super) fn line_in_array(
    text: &str,
    array: [&str; 2],
    index: usize,
    key: &str,
) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let [table, array] = array;
    let array = document.get_ref().get(table)?.get_ref().get(array)?;
    let entry = array.get_ref().get(index)?;
    let value = entry.get_ref().get(key).unwrap_or(entry);
    Some(line_at(text, value.span().start))
}

fn line_of(text: &str, in_table: impl Fn(&str) -> bool, key: &str) -> Option<usize> {
    type Table = BTreeMap<Spanned<String>, Spanned<toml::Value>>;
    let tables: BTreeMap<String, Table> = toml::from_str(text).ok()?;
    tables
        .iter()
        .filter(|(name, _)| in_table(name))
        .flat_map(|(_, table)| table.keys())
        .find(|name| name.get_ref() == key)
        .map(|name| line_at(text, name.span().start))
}
