//! Reads what a mongod prints, and stamps each line on arrival.

use std::io::{ErrorKind, PipeReader, Read};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{Error, Result};
use crate::launch::log;

/// One line of output.
#[derive(Clone, Debug)]
pub struct Line {
    /// When the read that completed the line returned.
    pub at: Instant,
    /// The line without its end; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// A line that grows beyond this is cut here: no mongod line needs more, and a runaway child must
/// not take the memory.
const LONGEST_LINE: usize = 1 << 20;

/// A mongod's output so far, and word of the moment that is waited for.
///
/// Only that moment and the end wake the one who waits: a wake-up for each line would take time
/// from the start that is measured.
#[derive(Debug)]
pub struct Output {
    lines: Arc<Mutex<Vec<Line>>>,
    listening: UnboundedReceiver<(u16, Instant)>,
}

impl Output {
    /// Reads `pipe` to its end on a thread of its own, so that a full pipe never stops the child.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn read(pipe: PipeReader) -> Result<Self> {
        let lines = Arc::default();
        let (sender, listening) = unbounded_channel();
        let reader = Reader { lines: Arc::clone(&lines), sender };
        thread::Builder::new()
            .name("mongate-output".into())
            .spawn(move || reader.run(pipe))
            .map_err(|e| Error::io("cannot start the thread that reads mongod's output", e))?;
        Ok(Self { lines, listening })
    }

    /// Waits for the line that says mongod listens: the port in it, and when it arrived. Nothing
    /// when the output ends without one.
    pub async fn listening(&mut self) -> Option<(u16, Instant)> {
        self.listening.recv().await
    }

    /// Waits for the end of the output, which is when the last process that could write to it is
    /// gone.
    pub async fn end(&mut self) {
        while self.listening.recv().await.is_some() {}
    }

    /// The lines so far.
    pub fn lines(&self) -> Vec<Line> {
        self.lines.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

struct Reader {
    lines: Arc<Mutex<Vec<Line>>>,
    sender: UnboundedSender<(u16, Instant)>,
}

impl Reader {
    fn run(self, mut pipe: PipeReader) {
        let mut chunk = vec![0; 1 << 16];
        let mut partial = Vec::new();
        let mut at = Instant::now();
        loop {
            let length = match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            at = Instant::now();
            let mut pieces = chunk[..length].split(|&byte| byte == b'\n');
            // split yields one piece more than there are line ends; the last piece is the beginning
            // of the next line.
            partial.extend_from_slice(pieces.next().unwrap_or_default());
            for piece in pieces {
                self.emit(at, &partial);
                partial.clear();
                partial.extend_from_slice(piece);
            }
            if partial.len() > LONGEST_LINE {
                self.emit(at, &partial);
                partial.clear();
            }
        }
        if !partial.is_empty() {
            self.emit(at, &partial);
        }
    }

    fn emit(&self, at: Instant, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).trim_end_matches('\r').to_owned();
        let port = log::listening_port(&text);
        self.lines.lock().unwrap_or_else(|e| e.into_inner()).push(Line { at, text });
        if let Some(port) = port {
            // Nobody waits any longer: reading goes on all the same, or the child would block on a
            // full pipe.
            let _ = self.sender.send((port, at));
        }
    }
}
