//! What mongod's log says about its start: text lines up to 4.2, one JSON object a line from 4.4 on.

use serde_json::Value;

/// The port in the line that says mongod listens: id 23016 from 4.4 on (whatever its component), a text line in 4.2.
///
/// `None` for every other line, torn or foreign ones included.
pub fn listening_port(line: &str) -> Option<u16> {
    const TEXT: &str = "waiting for connections on port ";
    if line.starts_with('{') {
        if !line.contains("23016") {
            return None;
        }
        let entry: Value = serde_json::from_str(line).ok()?;
        if entry["id"] != 23016 {
            return None;
        }
        return entry["attr"]["port"].as_u64()?.try_into().ok();
    }
    let rest = &line[line.find(TEXT)? + TEXT.len()..];
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_name_the_port() {
        let json = r#"{"t":{"$date":"2026-11-30T23:34:36.959+00:00"},"s":"I",  "c":"NETWORK",  "id":23016,   "ctx":"listener","msg":"Waiting for connections","attr":{"port":38123,"ssl":"off"}}"#;
        assert_eq!(listening_port(json), Some(38123));
        let text = "2026-11-30T23:34:37.871+0000 I  NETWORK  [listener] waiting for connections on port 41985";
        assert_eq!(listening_port(text), Some(41985));
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
}
