//! What the terminal can show.

use std::env;

/// Whether text may have more than ASCII. Only a locale that says so forbids it: many containers
/// set none, and their terminals show everything.
pub fn shows_unicode() -> bool {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| env::var(name).unwrap_or_default());
    is_unicode(&variables)
}

/// Of the three variables in the order in which they count.
fn is_unicode(variables: &[String]) -> bool {
    let Some(locale) = variables.iter().find(|value| !value.is_empty()) else {
        return true;
    };
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let of = |values: [&str; 3]| is_unicode(&values.map(str::to_owned));
        assert!(of(["", "", ""]) && of(["", "", "en_US.UTF-8"]) && of(["C.utf8", "", "C"]));
        assert!(!of(["C", "", "en_US.UTF-8"]) && !of(["", "POSIX", ""]) && !of(["", "", "de_DE"]));
    }
}
