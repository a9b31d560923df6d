//! Why a mongod did not start: from how it ended and what it printed to a cause and a remedy.

use std::process::ExitStatus;
use std::time::Duration;

use crate::error::Error;
use crate::host::guard;
use crate::launch::command::Launch;
use crate::launch::output::Line;

/// How a launch ended that did not get ready.
#[derive(Clone, Debug)]
pub enum End {
    /// The process ended by itself or by a signal.
    Exited(ExitStatus),
    /// It was alive and not ready after this long.
    TimedOut(Duration),
    /// It listened, and the driver got no answer: in the driver's words.
    NoAnswer(String),
    /// It was ended, since another one that was started with it had failed.
    Halted,
}

/// One way to fail. The first whose code and text both match is taken; `None` and an empty list
/// match everything.
struct Rule {
    code: Option<i32>,
    any_of: &'static [&'static str],
    cause: &'static str,
    remedy: &'static str,
}

const fn rule(
    code: Option<i32>,
    any_of: &'static [&'static str],
    cause: &'static str,
    remedy: &'static str,
) -> Rule {
    Rule { code, any_of, cause, remedy }
}

/// Codes and texts as real mongods 4.2 to 6.0 show them. A text comes before a bare code, because
/// most codes have several causes; but whoever was killed did not fail of what it printed before.
/// Signals are given as the codes 128 + n that a shell shows.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Some(128 + 9), &[], "something killed it",
        "the usual killer is the kernel when memory runs out: `dmesg` says so; give the machine or \
            container more memory"),
    rule(Some(128 + 4), &[], "the processor lacks an instruction that this build uses",
        "MongoDB 5.0 and later need AVX; take 4.4, or a machine or virtual machine that passes AVX \
            through"),
    rule(None, &["unknown storage engine"], "this mongod has no such storage engine",
        "ephemeralForTest ended with 6.0 and inMemory is in Enterprise and Percona builds only; \
            take another engine or version"),
    rule(None, &["error while loading shared libraries", "Library not loaded"], "a shared library \
        is missing",
        "install the package that has the library named above, or let `mongate install` fetch a \
            mongod that brings its own"),
    rule(None, &["' not found (required by"], "a shared library is there in another version than \
        this build needs",
        "take a mongod that was built for this distribution; `mongate install` picks one that runs \
            here"),
    rule(Some(127), &[": not found", "command not found"], "the file is not a program for this \
        system, and a shell tried to run it",
        "name a mongod that was built for this system and processor"),
    rule(Some(126), &["cannot execute"], "the file is not a program for this system, and a shell \
        tried to run it",
        "name a mongod that was built for this system and processor"),
    rule(Some(2), &["yntax error"], "the file is not a program for this system, and a shell tried to \
        run it",
        "name a mongod that was built for this system and processor"),
    rule(None, &["No space left on device", "Disk quota exceeded", "error\":28,", "error\":122,"], "there is no space left in the dbPath",
        "free space there, or name a larger RAM disk with MONGATE_RAMDISK; an empty wiredTiger \
            dbPath takes 310 MB"),
    rule(None, &["Address already in use"], "the port is taken",
        "leave the port to mongate: remove --port from the arguments"),
    rule(None, &["Unable to lock the lock file", "Another mongod instance"], "another mongod uses \
        the dbPath",
        "end the other mongod, or remove --dbpath from the arguments"),
    rule(None, &["NonExistentPath"], "the dbPath does not exist",
        "something removed the folder while mongod started; is a cleaner at work in the temporary \
            folder?"),
    rule(None, &["created by the '"], "the dbPath holds data of another storage engine",
        "start with an empty dbPath"),
    rule(Some(62), &[], "the dbPath holds data of another version",
        "start with an empty dbPath"),
    rule(None, &["unrecognised option", "unrecognized option"], "mongod does not know one of its \
        options",
        "remove the option named above from the arguments; options come and go between versions"),
    rule(None, &["Multiple occurrences of option"], "mongod was given an option twice",
        "remove the option named above from the arguments: it is there twice, or mongate sets it \
            itself"),
    rule(None, &["Unknown --setParameter", "Bad value for parameter", "Error during global \
        initialization", "Failed global initialization"],
        "mongod refused a parameter",
        "correct the parameter named above; `mongod --help` and the manual of that version list \
            what it takes"),
    rule(None, &["unknown configuration key", "config_check"], "WiredTiger refused its \
        configuration",
        "correct --wiredTigerEngineConfigString: the lines above name the key"),
    rule(None, &["\"id\":12257600"], "this mongod refuses to run on this kernel",
        "8.x builds before the fix need a kernel older than 6.19"),
    rule(None, &["read-only directory", "Unable to create/open the lock file", "Permission denied", "Read-only file system"],
        "the dbPath is not writable",
        "check the owner and the mount options of the folder named above, or set another TMPDIR or \
            MONGATE_RAMDISK"),
    rule(Some(0), &[], "mongod ended as if all were well, before it listened: it refused an option",
        "remove the option that the lines above name"),
    rule(Some(2), &[], "mongod refused its options",
        "correct the arguments that the lines above name"),
    rule(Some(14), &[], "mongod gave up on a failed check (fassert)",
        "the lines above say which; start with an empty dbPath and without extra arguments"),
    rule(Some(127), &[], "the program loader could not start it",
        "`ldd` on the binary lists what is missing"),
    rule(Some(128 + 6), &[], "mongod aborted on a broken invariant",
        "the lines above say which"),
    rule(Some(128 + 11), &[], "mongod crashed",
        "8.x builds do so on kernels from 6.19 on; otherwise report it with the lines above"),
    rule(None, &[], "mongod ended",
        "the lines above are all that it said"),
];

/// The error for a launch that failed.
pub fn explain(launch: &Launch, end: &End, lines: &[Line]) -> Error {
    let name = format!("{} with {}", launch.executable.path.display(), launch.engine);
    match end {
        End::Exited(status) => {
            let (rule, evidence) = judge(*status, lines);
            Error::environment(format!(
                "{name} did not start: {} ({}){}",
                rule.cause,
                guard::describe(*status),
                excerpt(lines, evidence)
            ))
            .help(rule.remedy)
        }
        End::TimedOut(limit) => Error::environment(format!(
            "{name} was alive and not listening after {limit:?}{}",
            excerpt(lines, None)
        ))
        .help(
            "the last line above is how far it came; if the machine is only slow, give it longer \
            with `timeout` under [session]",
        ),
        End::NoAnswer(driver) => Error::environment(format!(
            "{name} listened, but the driver got no answer to a ping: {driver}{}",
            excerpt(lines, None)
        ))
        .help(
            "a driver speaks to a range of server versions; mongate's Cargo.lock holds the last \
            one that speaks to 4.2",
        ),
        End::Halted => Error::environment(format!(
            "{name} was ended, since another that was started with it had failed"
        )),
    }
}

/// The error for a mongod that was ready and then ended by itself.
pub fn lost(status: ExitStatus, lines: &[Line]) -> Error {
    let (rule, evidence) = judge(status, lines);
    Error::environment(format!(
        "mongod ended while it was measured: {} ({}){}",
        rule.cause,
        guard::describe(status),
        excerpt(lines, evidence)
    ))
    .help(rule.remedy)
}

/// The line that decided, and where in it.
type Evidence = (usize, usize);

/// The first rule that fits, and the first line that has its text.
fn judge(status: ExitStatus, lines: &[Line]) -> (&'static Rule, Option<Evidence>) {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or(status.signal().map(|s| 128 + s));
    let find = |rule: &Rule| {
        lines.iter().enumerate().find_map(|(index, line)| {
            let at = rule.any_of.iter().find_map(|text| line.text.find(text))?;
            Some((index, at))
        })
    };
    RULES
        .iter()
        .filter(|rule| rule.code.is_none() || rule.code == code)
        .find_map(|rule| match find(rule) {
            None if !rule.any_of.is_empty() => None,
            evidence => Some((rule, evidence)),
        })
        .expect("the last rule fits everything")
}

/// The lines that a reader needs: the one that decided, and the last errors, since mongod prints
/// much after the one that matters.
fn excerpt(lines: &[Line], evidence: Option<Evidence>) -> String {
    const SHOWN: usize = 6;
    let filled: Vec<usize> =
        (0..lines.len()).filter(|&index| !lines[index].text.trim().is_empty()).collect();
    let errors: Vec<usize> =
        filled.iter().copied().filter(|&index| is_error(&lines[index].text)).collect();
    let chosen = if errors.is_empty() { &filled } else { &errors };
    let mut shown = chosen[chosen.len().saturating_sub(SHOWN)..].to_vec();
    if let Some((decided, _)) = evidence.filter(|(index, _)| !shown.contains(index)) {
        shown.insert(0, decided);
        shown.sort_unstable();
    }
    if shown.is_empty() {
        return "; it printed nothing".to_owned();
    }
    shown
        .iter()
        .map(|&index| {
            let at = evidence.filter(|(decided, _)| *decided == index);
            format!("\n    {}", shorten(&lines[index].text, at.map_or(0, |(_, at)| at)))
        })
        .collect()
}

/// What mongod itself calls an error; in what is no JSON (4.2, the program loader), what reads like
/// one.
fn is_error(text: &str) -> bool {
    let marks: &[&str] = if text.starts_with('{') {
        &["\"s\":\"E\"", "\"s\":\"F\""]
    } else {
        &[" E  ", " F  ", "rror", "xception"]
    };
    marks.iter().any(|mark| text.contains(mark))
}

/// The beginning of a line, and what stands around byte `at` where that lies beyond.
fn shorten(text: &str, at: usize) -> String {
    const WIDTH: usize = 400;
    const AROUND: usize = 100;
    let part = |from: usize, characters: usize| text[from..].chars().take(characters);
    if at + AROUND <= WIDTH {
        return part(0, WIDTH).collect();
    }
    // Where a line was found in, `at` is the beginning of a character.
    let before = text[..at].char_indices().rev().nth(AROUND).map_or(0, |(i, _)| i);
    part(0, WIDTH / 2).chain(" ... ".chars()).chain(part(before, 2 * AROUND)).collect()
}
