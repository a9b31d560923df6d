//! The record as a file: round trip, and what is refused.

use crate::judge::calibrate::Block;

use super::{REAL, head, parse, real};

#[track_caller]
fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let record = real();
    assert_eq!((record.blocks, record.cut), (560, false));
    let block = |index: usize| Block {
        block: index as u32 + 1,
        cases: record
            .cases
            .iter()
            .map(|(id, arms)| (id.clone(), [arms.a[index], arms.b[index]]))
            .collect(),
    };
    let mut text = record.header.line();
    (0..record.blocks).for_each(|index| text += &block(index).line());
    assert_eq!(text, REAL);
}

#[test]
fn a_line_that_is_no_block_is_named() {
    let third = |line: &str| refused(&format!("{}{line}\n", head(1)));
    let wrong = [
        ("{", "EOF while parsing an object"),
        ("{\"block\":2}", "missing field `cases`"),
        ("{\"block\":2,\"cases\":{\"x\":[1.0]}}", "invalid length 1"),
        ("{\"block\":2,\"cases\":{\"x\":[1.0,2.0]}}", "has other cases than block 1"),
        ("{\"block\":3,\"cases\":{}}", "block 3 where 2 should stand"),
        ("{\"block\":1,\"cases\":{}}", "block 1 where 2 should stand"),
    ];
    for (line, why) in wrong {
        let message = third(line);
        assert!(message.starts_with("aa.jsonl:3: "), "{message}");
        assert!(message.contains(why), "{message}");
    }
    for time in ["0.0", "-1.5"] {
        let line = format!("{{\"block\":1,\"cases\":{{\"x\":[1.0,{time}]}}}}\n");
        let message = refused(&(head(0) + &line));
        assert!(message.starts_with("aa.jsonl:2: x took "), "{message}");
    }
    let message = refused(&(head(0) + "{\"block\":1,\"cases\":{}}\n"));
    assert!(message.contains("aa.jsonl:2: block 1 has no cases"), "{message}");
}

#[test]
fn a_newer_schema_is_told_from_no_record() {
    let newer = refused("{\"schema\":\"mongate-record/2\",\"anything\":{}}\n");
    assert!(newer.contains("aa.jsonl:1: the schema is \"mongate-record/2\""), "{newer}");
    assert!(newer.contains("help: read it with a newer mongate"), "{newer}");
    for text in ["", "\n", "[]\n", "{\"schema\":\"mongate/1\"}\n", &REAL[1..]] {
        let message = refused(text);
        assert!(message.starts_with("aa.jsonl:1: "), "{message}");
        assert!(message.contains("help: `mongate calibrate` makes"), "{message}");
    }
    let incomplete = refused("{\"schema\":\"mongate-record/1\"}\n");
    assert!(incomplete.contains("aa.jsonl:1: no header: missing field `run_id`"), "{incomplete}");
}

#[test]
fn a_block_that_a_crash_cut_off_does_not_count() {
    let text = head(3);
    let record = parse(&text[..text.len() - 10]).unwrap();
    assert_eq!((record.blocks, record.cut), (2, true));
    let record = parse(text.trim_end()).unwrap();
    assert_eq!((record.blocks, record.cut), (3, false), "only the line's end is missing");
}
