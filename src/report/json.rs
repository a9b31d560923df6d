//! The results as JSON: the schema itself.

use crate::results::Results;

/// The whole of the results, indented, with a line end.
pub fn render(results: &Results) -> String {
    // Only maps with keys that are no strings can fail, and the schema has none.
    let mut text = serde_json::to_string_pretty(results).unwrap_or_default();
    text.push('\n');
    text
}
