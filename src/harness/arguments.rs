//! The command line of libtest, which reaches this harness too when `cargo test --workspace -- ...`
//! runs.

use std::io::{self, Write};

use libtest_mimic::Arguments;

/// Flags of libtest that libtest-mimic knows.
const FLAGS: [&str; 10] = [
    "include-ignored",
    "ignored",
    "test",
    "bench",
    "list",
    "nocapture",
    "show-output",
    "exact",
    "quiet",
    "help",
];

/// Options of libtest with a value that libtest-mimic knows.
const OPTIONS: [&str; 5] = ["test-threads", "logfile", "skip", "color", "format"];

/// What libtest takes with `-Z unstable-options` only. It then has no effect here: measurements
/// have an order and times of their own.
const UNSTABLE: [&str; 6] = [
    "report-time",
    "ensure-time",
    "shuffle",
    "fail-fast",
    "force-run-in-process",
    "exclude-should-panic",
];

/// A command line that libtest would accept.
#[derive(Debug)]
pub struct CommandLine {
    /// As libtest-mimic understands it, with no more than one filter.
    pub arguments: Arguments,
    /// The filters where there are several: what one of them names runs.
    several: Vec<String>,
}

impl CommandLine {
    /// Reads the arguments behind the program's name.
    ///
    /// # Errors
    /// What libtest says of a command line that it does not understand.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut known = vec![String::new()];
        let mut filters = Vec::new();
        let mut unstable = false;
        let mut needs_unstable = None;
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                filters.extend(arguments.by_ref());
                break;
            }
            let Some(name) = long_name(&argument) else {
                if argument.starts_with('-') && argument.len() > 1 {
                    let letters: String = argument.chars().skip(1).collect();
                    return Err(format!("Unrecognized option: '{letters}'"));
                }
                filters.push(argument);
                continue;
            };
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (name, None),
            };
            let takes_value =
                OPTIONS.contains(&name.as_str()) || ["Z", "shuffle-seed"].contains(&name.as_str());
            let value = match (takes_value, value) {
                (false, Some(_)) => {
                    return Err(format!("Option '{name}' does not take an argument"));
                }
                (true, None) => Some(
                    arguments
                        .next()
                        .ok_or_else(|| format!("Argument to option '{name}' missing"))?,
                ),
                (_, value) => value,
            };
            match (name.as_str(), value) {
                ("Z", Some(value)) if value == "unstable-options" => unstable = true,
                ("Z", Some(_)) => return Err("Unrecognized option to `Z`".to_owned()),
                (name, Some(value)) if OPTIONS.contains(&name) => {
                    check(name, &value)?;
                    known.push(format!("--{name}={value}"));
                }
                (name, None) if FLAGS.contains(&name) => {
                    let flag = format!("--{name}");
                    if !known.contains(&flag) {
                        known.push(flag);
                    }
                }
                (name, _) if UNSTABLE.contains(&name) || name == "shuffle-seed" => {
                    needs_unstable.get_or_insert(name.to_owned());
                }
                (name, _) => return Err(format!("Unrecognized option: '{name}'")),
            }
        }
        if let Some(name) = needs_unstable.filter(|_| !unstable) {
            return Err(format!(
                "The \"{name}\" flag is only accepted on the nightly compiler with -Z \
                    unstable-options"
            ));
        }
        exclude(&known)?;
        if let [filter] = filters.as_slice() {
            known.extend(["--".to_owned(), filter.clone()]);
            filters.clear();
        }
        Ok(Self { arguments: Arguments::from_iter(known), several: filters })
    }

    /// Whether a test of this name may run, as far as several filters say.
    pub fn names(&self, test: &str) -> bool {
        let is_meant = |filter: &String| match self.arguments.exact {
            true => filter == test,
            false => test.contains(filter),
        };
        self.several.is_empty() || self.several.iter().any(is_meant)
    }

    /// All its filters.
    pub fn filters(&self) -> impl Iterator<Item = &str> {
        self.several.iter().chain(&self.arguments.filter).map(String::as_str)
    }

    /// The same without filters.
    pub fn without_filters(self) -> Self {
        Self { arguments: Arguments { filter: None, ..self.arguments }, several: Vec::new() }
    }
}

/// The long name of an option, with its value behind a '=' where there is one.
fn long_name(argument: &str) -> Option<String> {
    Some(match argument {
        "-h" => "help".to_owned(),
        "-q" => "quiet".to_owned(),
        "--no-capture" => "nocapture".to_owned(),
        _ => match argument.strip_prefix("-Z") {
            Some("") => "Z".to_owned(),
            Some(value) => format!("Z={}", value.trim_start_matches('=')),
            None => argument.strip_prefix("--")?.to_owned(),
        },
    })
}

fn check(name: &str, value: &str) -> Result<(), String> {
    match name {
        "test-threads" => match value.parse::<usize>() {
            Ok(0) => Err("argument for --test-threads must not be 0".to_owned()),
            Ok(_) => Ok(()),
            Err(e) => Err(format!("argument for --test-threads must be a number > 0 (error: {e})")),
        },
        "color" if !["auto", "always", "never"].contains(&value) => {
            Err(format!("argument for --color must be auto, always, or never (was {value})"))
        }
        "format" if !["pretty", "terse", "json"].contains(&value) => {
            Err(format!("argument for --format must be pretty, terse or json (was {value})"))
        }
        _ => Ok(()),
    }
}

/// Options that libtest or libtest-mimic does not take together.
fn exclude(known: &[String]) -> Result<(), String> {
    let given = |name: &str| known.iter().any(|k| k.split('=').next() == Some(name));
    for (one, other) in
        [("--include-ignored", "--ignored"), ("--test", "--bench"), ("--quiet", "--format")]
    {
        if given(one) && given(other) {
            return Err(format!("the options {one} and {other} are mutually exclusive"));
        }
    }
    Ok(())
}

/// Says what is wrong, as libtest does; its exit code is 101.
pub fn refuse(message: &str) -> u8 {
    let _ = writeln!(io::stderr(), "error: {message}");
    101
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<CommandLine, String> {
        CommandLine::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_spellings_of_no_capture_are_one() {
        for line in ["--nocapture", "--no-capture", "--no-capture --nocapture --no-capture"] {
            assert!(parse(line).unwrap().arguments.nocapture, "{line}");
        }
    }

    #[test]
    fn several_filters_mean_any_of_them() {
        let line = parse("6.0 disk --skip 4.4").unwrap();
        assert_eq!(line.arguments.filter, None);
        assert_eq!(line.arguments.skip, ["4.4"]);
        assert!(line.names("startup::6.0::x") && line.names("a disk") && !line.names("5.0"));
        let line = parse("--exact 6.0 disk").unwrap();
        assert!(line.names("disk") && !line.names("ramdisk"));
        let line = parse("--skip=a -- --b").unwrap();
        assert_eq!(line.arguments.filter.as_deref(), Some("--b"));
        assert!(line.names("anything"), "libtest-mimic sees to a single filter");
    }

    /// The messages are those of the libtest of Rust 1.95, where it has one.
    #[test]
    fn what_libtest_refuses_is_refused_in_its_words() {
        for (line, message) in [
            ("--no-such-flag", "Unrecognized option: 'no-such-flag'"),
            ("-x", "Unrecognized option: 'x'"),
            (
                "--report-time",
                "The \"report-time\" flag is only accepted on the nightly compiler with -Z \
                    unstable-options",
            ),
            (
                "--ignored --include-ignored",
                "the options --include-ignored and --ignored are mutually exclusive",
            ),
            ("--logfile", "Argument to option 'logfile' missing"),
            ("--list=x", "Option 'list' does not take an argument"),
            ("--test-threads 0", "argument for --test-threads must not be 0"),
            ("--color blue", "argument for --color must be auto, always, or never (was blue)"),
        ] {
            assert_eq!(parse(line).unwrap_err(), message, "{line}");
        }
    }

    #[test]
    fn unstable_options_have_no_effect() {
        for line in ["-Z unstable-options --report-time", "--shuffle-seed 7 -Zunstable-options"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_libtest_takes_reaches_libtest_mimic() {
        let line = parse("-q --list --exact --test-threads=4 --color never --show-output").unwrap();
        let arguments = line.arguments;
        assert!(arguments.quiet && arguments.list && arguments.exact && arguments.show_output);
        assert_eq!(arguments.test_threads, Some(4));
    }
}
