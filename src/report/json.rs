//! What was found as JSON: the schema itself.

use serde::Serialize;

/// The whole of it, indented, with a line end.
pub(crate) fn render(value: &impl Serialize) -> String {
    // Only maps with keys that are no strings can fail, and the schema has none.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
