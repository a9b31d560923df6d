//! What mongod's log says about its start: text lines up to 4.2, one JSON object a line from 4.4
//! on.

use std::collections::BTreeMap;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// The ids of the lines that matter here, as 4.4 to 8.x number them. An id keeps its meaning
/// between versions; the component of a line does not.
pub mod id {
    /// `MongoDB starting`: the options are read.
    pub const STARTING: u32 = 4_615_611;
    /// The journal of a dbPath is to be left behind (`--nojournal` on a journaled dbPath), before
    /// the engine opens.
    pub const JOURNAL_TRANSITION: u32 = 22_313;
    /// `Opening WiredTiger`.
    pub const OPENING: u32 = 22_315;
    /// A message of WiredTiger itself; while it opens, of its recovery.
    pub const WIRED_TIGER: u32 = 22_430;
    /// `WiredTiger opened`.
    pub const OPENED: u32 = 4_795_906;
    /// `WiredTiger recoveryTimestamp`, right after the opening. Up to 4.2 nothing else says that
    /// the engine is open.
    pub const RECOVERY_TIMESTAMP: u32 = 23_987;
    /// `Flow Control is enabled`: the catalogue is there, the services come.
    pub const FLOW_CONTROL: u32 = 20_536;
    /// `Waiting for connections`.
    pub const LISTENING: u32 = 23_016;
    /// `mongod startup complete`: mongod's own account of its start.
    pub const SUMMARY: u32 = 8_423_403;
    /// replSetInitiate was received.
    pub const INITIATE: u32 = 21_356;
    /// `New replica set config in use`.
    pub const NEW_CONFIG: u32 = 21_392;
    /// `Election succeeded, assuming primary role`.
    pub const ELECTED: u32 = 21_450;
    /// `Transition to primary complete; database writes are now permitted`.
    pub const PRIMARY: u32 = 21_331;
}

/// How a message of 4.2 begins, and the id that the same message has had since.
const TEXT: [(&str, u32); 10] = [
    ("MongoDB starting : pid=", id::STARTING),
    ("wiredtiger_open config: ", id::OPENING),
    ("WiredTiger message [", id::WIRED_TIGER),
    ("WiredTiger recoveryTimestamp. Ts: ", id::RECOVERY_TIMESTAMP),
    ("Flow Control is enabled", id::FLOW_CONTROL),
    (LISTENING_TEXT, id::LISTENING),
    ("replSetInitiate admin command received", id::INITIATE),
    ("New replica set config in use", id::NEW_CONFIG),
    ("election succeeded, assuming primary role", id::ELECTED),
    ("transition to primary complete", id::PRIMARY),
];

const LISTENING_TEXT: &str = "waiting for connections on port ";

/// One line of a log, as far as a start-up is concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// The id; of a line of 4.2, the one that the same message has had since, where the message
    /// matters here.
    pub id: Option<u32>,
    /// When mongod wrote it, by the machine's wall clock, in whole milliseconds.
    pub time: Option<OffsetDateTime>,
    /// The thread, such as `initandlisten`.
    pub context: String,
    /// What it says: of a line of 4.2 with its details, since then without.
    pub message: String,
    /// The port that it listens on ([`id::LISTENING`]).
    pub port: Option<u16>,
    /// How long the engine took to open, in ms, as mongod says ([`id::OPENED`]).
    pub duration_ms: Option<f64>,
    /// What each step of the start took, in ms, as mongod says ([`id::SUMMARY`]); steps of 0 ms are
    /// left out.
    pub steps_ms: BTreeMap<String, f64>,
}

/// The time of a text line; its offset has no colon, unlike RFC 3339.
const TEXT_TIME: &[BorrowedFormatItem<'_>] = format_description!(
    "[year range:standard]-[month]-[day]T[hour]:[minute]:[second].[subsecond][offset_hour sign:mandatory][offset_minute]"
);

/// Reads one line, without its end. `None` for what is no line of a log: a torn one, or what the
/// loader and the options' parser print.
pub fn parse(line: &str) -> Option<Event> {
    if line.starts_with('{') { from_json(line) } else { from_text(line) }
}

/// `2026-11-30T21:34:26.776+0000 I  CONTROL  [initandlisten] message`.
fn from_text(line: &str) -> Option<Event> {
    let (time, rest) = line.split_once(' ')?;
    let time = OffsetDateTime::parse(time, TEXT_TIME).ok()?;
    let (_, rest) = rest.split_once('[')?;
    let (context, message) = rest.split_once("] ")?;
    let known = TEXT.iter().find(|(begins, _)| message.starts_with(begins));
    Some(Event {
        id: known.map(|(_, id)| *id),
        time: Some(time),
        context: context.to_owned(),
        message: message.to_owned(),
        port: port_in_text(message),
        ..Event::default()
    })
}

/// Of a key that comes twice in one object the last one counts: 6.0 prints such, first with "0 ms"
/// and then with the value.
fn from_json(line: &str) -> Option<Event> {
    let entry: Value = serde_json::from_str(line).ok()?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let attributes = &entry["attr"];
    let id = entry["id"].as_u64()?.try_into().ok()?;
    let of = |wanted: u32, value: &Value| (id == wanted).then(|| value.clone());
    Some(Event {
        id: Some(id),
        time: entry["t"]["$date"].as_str().and_then(|t| OffsetDateTime::parse(t, &Rfc3339).ok()),
        context: text(&entry["ctx"]),
        message: text(&entry["msg"]),
        port: of(id::LISTENING, &attributes["port"])
            .and_then(|port| port.as_u64()?.try_into().ok()),
        duration_ms: of(id::OPENED, &attributes["durationMillis"]).and_then(|ms| ms.as_f64()),
        steps_ms: of(id::SUMMARY, &attributes["Summary of time elapsed"]["Statistics"])
            .map(|steps| steps_ms(&steps))
            .unwrap_or_default(),
    })
}

/// Values such as "711 ms".
fn steps_ms(statistics: &Value) -> BTreeMap<String, f64> {
    let steps = statistics.as_object().into_iter().flatten();
    steps
        .filter_map(|(name, value)| {
            let ms: u64 = value.as_str()?.strip_suffix(" ms")?.parse().ok()?;
            (ms > 0).then(|| (name.clone(), ms as f64))
        })
        .collect()
}

/// The port in the line that says mongod listens: id 23016 from 4.4 on (whatever its component), a
/// text line in 4.2.
///
/// `None` for every other line, torn or foreign ones included. Quick on these: it is asked while
/// the start is measured.
pub fn listening_port(line: &str) -> Option<u16> {
    if !line.starts_with('{') {
        return port_in_text(line);
    }
    if !line.contains("23016") {
        return None;
    }
    from_json(line)?.port
}

fn port_in_text(text: &str) -> Option<u16> {
    let rest = &text[text.find(LISTENING_TEXT)? + LISTENING_TEXT.len()..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_name_the_port() {
        let json = r#"{"t":{"$date":"2026-11-30T23:34:36.959+00:00"},"s":"I",  "c":"NETWORK",  "id":23016,   "ctx":"listener","msg":"Waiting for connections","attr":{"port":38123,"ssl":"off"}}"#;
        assert_eq!(listening_port(json), Some(38123));
        let text = "2026-11-30T23:34:37.871+0000 I  NETWORK  [listener] waiting for connections on \
            port 41985";
        assert_eq!(listening_port(text), Some(41985));
        for line in [json, text] {
            let event = parse(line).unwrap();
            assert_eq!(event.id, Some(id::LISTENING));
            assert_eq!(event.port, listening_port(line));
            assert_eq!(event.context, "listener");
        }
    }

    #[test]
    fn other_lines_do_not() {
        for line in [
            "",
            "{",
            r#"{"id":23016"#,
            r#"{"id":23016,"attr":{"port":70000}}"#,
            r#"{"id":23015,"msg":"Listening on","attr":{"address":"127.0.0.1:23016"}}"#,
            "waiting for connections on port ",
            "waiting for connections on port 99999",
        ] {
            assert_eq!(listening_port(line), None, "{line}");
        }
    }

    #[test]
    fn times_are_read_with_either_zone() {
        let time = |line: &str| parse(line).unwrap().time.unwrap();
        let expected = time::macros::datetime!(2026-11-30 21:34:26.776 UTC);
        assert_eq!(time("2026-11-30T21:34:26.776+0000 I  CONTROL  [main] x"), expected);
        for zone in ["Z", "+00:00"] {
            let line = format!(r#"{{"t":{{"$date":"2026-11-30T21:34:26.776{zone}"}},"id":1}}"#);
            assert_eq!(time(&line), expected);
        }
        assert_eq!(parse(r#"{"t":{"$date":"yesterday"},"id":1}"#).unwrap().time, None);
    }

    #[test]
    fn of_a_repeated_key_the_last_counts() {
        let line = r#"{"t":{"$date":"2026-11-30T21:34:26.776Z"},"id":8423403,"msg":"mongod startup complete","attr":{"Summary of time elapsed":{
            "Startup from clean shutdown?":true,"Statistics":{"Create storage engine":"0 ms","Rest":"0 ms","Odd":7,"Create storage engine":"711 ms"}}}}"#;
        let steps = parse(&line.replace('\n', "")).unwrap().steps_ms;
        assert_eq!(steps, BTreeMap::from([("Create storage engine".to_owned(), 711.0)]));
    }

    #[test]
    fn what_is_no_log_line_is_nothing() {
        for line in [
            "",
            "{}",
            "[1,2]",
            r#"{"id":"23016"}"#,
            r#"{"id":-1}"#,
            r#"{"t":{"$date":"2026-11-30T21:34:26.776Z"},"id":4615611,"msg":"Mongo"#,
            "Error parsing command line: unrecognised option '--x'",
            "2026-11-30T21:34:26.776+0000 I  CONTROL  without a thread",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
