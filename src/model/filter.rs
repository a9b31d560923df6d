//! Which cases a filter or a pattern means.

use crate::error::{Error, Result};
use crate::model::Case;

/// The cases that a filter means: an id, a pattern in which `*` stands for anything, or a part of
/// an id.
///
/// # Errors
/// It matches none: the message names the nearest id.
pub fn select(cases: Vec<Case>, filter: Option<&str>) -> Result<Vec<Case>> {
    pick(cases, Case::id, filter, "`mongate list` shows")
}

/// As [`select`], for cases of any kind that have ids; `shows` is who has all of them.
///
/// # Errors
/// As for [`select`].
pub fn pick<T>(
    cases: Vec<T>,
    id: fn(&T) -> String,
    filter: Option<&str>,
    shows: &str,
) -> Result<Vec<T>> {
    let Some(filter) = filter else {
        return Ok(cases);
    };
    let ids: Vec<String> = cases.iter().map(id).collect();
    let exact = ids.iter().any(|id| id == filter);
    let chosen = |id: &str| match (exact, filter.contains('*')) {
        (true, _) => id == filter,
        (false, true) => matches(filter, id),
        (false, false) => id.contains(filter),
    };
    let selected: Vec<T> = cases.into_iter().filter(|case| chosen(&id(case))).collect();
    if !selected.is_empty() {
        return Ok(selected);
    }
    let nearest =
        ids.iter().max_by(|a, b| strsim::jaro(a, filter).total_cmp(&strsim::jaro(b, filter)));
    let help = match nearest {
        Some(id) => format!("the nearest is {id}; {shows} all {}", ids.len()),
        None => "the configuration has no cases: name at least one of `versions` under [mongod]"
            .to_owned(),
    };
    Err(Error::usage(format!("no case matches {filter:?}")).help(help))
}

/// Whether `text` as a whole fits `pattern`, in which `*` stands for any text, the empty one
/// included.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    // split yields at least one piece.
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    let mut rest = rest;
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_stands_for_anything() {
        let id = "startup::6.0::wiredTiger::ramdisk";
        for pattern in [
            "*",
            id,
            "startup::*",
            "*::ramdisk",
            "startup::*::wiredTiger::*",
            "st*rt*p*disk",
            "startup::6.0::wiredTiger::ramdisk*",
        ] {
            assert!(matches(pattern, id), "{pattern}");
        }
        for pattern in ["", "startup", "startup::*::disk", "*::4.2::*", "*ramdisk*ramdisk", "x*"] {
            assert!(!matches(pattern, id), "{pattern}");
        }
    }
}
