//! Values that are written as text.

use std::fmt::{self, Display};

use serde::Deserializer;
use serde::de::{self, Visitor};

/// Reads a value from a text. An error of `parse` bears the place of that text; with serde's
/// `try_from` it would be that of the list around it.
pub(crate) fn of_text<'de, D, T, E>(
    deserializer: D,
    parse: fn(&str) -> std::result::Result<T, E>,
) -> std::result::Result<T, D::Error>
where
    D: Deserializer<'de>,
    E: Display,
{
    struct Text<T, E>(fn(&str) -> std::result::Result<T, E>);

    impl<T, E: Display> Visitor<'_> for Text<T, E> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<X: de::Error>(self, text: &str) -> std::result::Result<T, X> {
            (self.0)(text).map_err(X::custom)
        }
    }

    deserializer.deserialize_str(Text(parse))
}
