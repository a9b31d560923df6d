//! A web server with archives, as MongoDB's host has them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::mongod::install::archive::{Limits, Site};
use sha2::{Digest, Sha256};

/// The archive that every test server has.
pub const TARGET: &str = "linux/mongodb-linux-x86_64-debian12";

/// What a server has at a path.
#[derive(Clone)]
pub enum Reply {
    Body(Vec<u8>),
    Status(u16),
    /// Announces more bytes than it sends.
    Truncated(Vec<u8>),
    /// Sends the head and then nothing, for as long as the other side stays.
    Hang,
}

pub struct Server {
    base: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves `replies` by path; what is not among them is forbidden, as at MongoDB's own host.
    pub fn start(replies: HashMap<String, Reply>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (replies, log) = (replies.clone(), Arc::clone(&log));
                // The client may be gone at any time: that is its business.
                thread::spawn(move || answer(stream, &replies, &log));
            }
        });
        Self { base, asked }
    }

    pub fn site(&self, targets: &[&str]) -> Site {
        Site {
            archives: self.base.clone(),
            feed: self.base.clone(),
            targets: targets.iter().map(|&target| target.to_owned()).collect(),
            limits: Limits::default(),
        }
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(
    mut stream: TcpStream,
    replies: &HashMap<String, Reply>,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    // The head of the request ends with an empty line.
    while lines.next().is_some_and(|line| line.is_ok_and(|l| !l.is_empty())) {}
    log.lock().unwrap().push(path.clone());
    let head = |status, length: usize| {
        format!("HTTP/1.1 {status} status\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n")
    };
    match replies.get(&path).cloned().unwrap_or(Reply::Status(403)) {
        Reply::Body(body) => {
            stream.write_all(head(200, body.len()).as_bytes())?;
            stream.write_all(&body)
        }
        Reply::Truncated(body) => {
            stream.write_all(head(200, body.len() + 1000).as_bytes())?;
            stream.write_all(&body)
        }
        Reply::Status(status) => stream.write_all(head(status, 0).as_bytes()),
        Reply::Hang => {
            stream.write_all(head(200, 1000).as_bytes())?;
            let _ = lines.next();
            Ok(())
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An archive as MongoDB makes them, with files around the binary.
pub fn tgz(mongod: &[u8]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    let mut archive = tar::Builder::new(gzip);
    for (name, bytes) in [
        ("LICENSE-Community.txt", b"text".as_slice()),
        ("bin/install_compass", b"another program"),
        ("bin/mongod", mongod),
        ("bin/mongos", b"not a mongod"),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        // A mode that nobody could execute: ours is set by us.
        header.set_mode(0o600);
        let path = format!("mongodb-linux-x86_64-debian12-7.0.14/{name}");
        archive.append_data(&mut header, path, bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A server's files for one archive and its checksum.
pub fn with_archive(target: &str, version: &str, archive: Vec<u8>) -> HashMap<String, Reply> {
    let path = format!("/{target}-{version}.tgz");
    let name = path.rsplit('/').next().unwrap();
    let checksum = format!("{}  {name}\n", sha256(&archive));
    HashMap::from([
        (format!("{path}.sha256"), Reply::Body(checksum.into_bytes())),
        (path, Reply::Body(archive)),
    ])
}
