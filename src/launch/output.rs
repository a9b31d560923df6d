//! Reads what a child prints, and stamps each line on arrival.

use std::io::{PipeReader, Read};
use std::thread;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{Error, Result};

/// One line of a child's output.
#[derive(Clone, Debug)]
pub struct Line {
    /// When the read that completed the line returned.
    pub at: Instant,
    /// The line without its end; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// What the reader thread reports; the channel closes at the end of the output.
#[derive(Debug)]
pub enum Event {
    /// The first byte arrived.
    FirstByte(Instant),
    /// A line is complete.
    Line(Line),
}

/// A line that grows beyond this is cut here: no mongod line needs more, and a runaway child must not take the memory.
const LONGEST_LINE: usize = 1 << 20;

/// Reads `pipe` to its end on a thread of its own, so that a full pipe never stops the child.
///
/// # Errors
/// The thread cannot be started.
pub fn read(pipe: PipeReader) -> Result<UnboundedReceiver<Event>> {
    let (sender, receiver) = unbounded_channel();
    thread::Builder::new()
        .name("mongate-output".into())
        .spawn(move || forward(pipe, &sender))
        .map_err(|e| Error::io("cannot start the thread that reads mongod's output", e))?;
    Ok(receiver)
}

fn forward(mut pipe: PipeReader, sender: &UnboundedSender<Event>) {
    // A receiver that is gone is no reason to stop reading: the child would block on a full pipe.
    let send = |event| drop(sender.send(event));
    let emit = |at, bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes)
            .trim_end_matches('\r')
            .to_owned();
        send(Event::Line(Line { at, text }));
    };
    let mut chunk = vec![0; 1 << 16];
    let mut partial = Vec::new();
    let mut last = None;
    loop {
        let length = match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let at = Instant::now();
        if last.replace(at).is_none() {
            send(Event::FirstByte(at));
        }
        let mut pieces = chunk[..length].split(|&byte| byte == b'\n');
        // split yields one piece more than there are line ends; the last piece is the beginning of the next line.
        partial.extend_from_slice(pieces.next().unwrap_or_default());
        for piece in pieces {
            emit(at, &partial);
            partial.clear();
            partial.extend_from_slice(piece);
        }
        if partial.len() > LONGEST_LINE {
            emit(at, &partial);
            partial.clear();
        }
    }
    if let (Some(at), false) = (last, partial.is_empty()) {
        emit(at, &partial);
    }
}
