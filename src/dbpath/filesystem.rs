//! Whether a folder is RAM: told by its file system, never by its name.

use std::fmt;
use std::io;
use std::path::Path;

/// Whether what a file system holds is kept in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ram {
    /// It is.
    Yes,
    /// It is not, as far as this machine can see (a virtual machine's disk may be RAM of its host).
    No,
    /// It cannot be told; [`FileSystem::why`] says why.
    Unknown,
}

/// The file system that a folder lies on. `Display` prints its name and whether it is RAM: `tmpfs
/// (RAM)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// `tmpfs`, `ext4`, `overlay`, `btrfs`, `apfs`, ...; one without a known name is named by its
    /// magic number, `0x1badface`.
    pub name: String,
    /// Whether it is RAM.
    pub ram: Ram,
    /// Why `ram` is unknown; `None` where it is known.
    pub why: Option<&'static str>,
    /// The evidence: on Linux the line of `/proc/self/mountinfo`, on macOS the device. `None` where
    /// it was not found.
    pub mount: Option<String>,
}

impl fmt::Display for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ram, self.why) {
            (Ram::Yes, _) => write!(f, "{} (RAM)", self.name),
            (Ram::No, _) => write!(f, "{} (a disk)", self.name),
            (Ram::Unknown, Some(why)) => write!(f, "{} (RAM or disk: {why})", self.name),
            (Ram::Unknown, None) => write!(f, "{} (RAM or disk: unknown)", self.name),
        }
    }
}

/// Classifies the file system that `path` lies on.
///
/// `hdiutil` is what `hdiutil info -plist` printed; only macOS needs it, and without it RAM is
/// unknown there.
///
/// # Errors
/// The path does not exist, or the kernel refuses to say.
#[cfg(target_os = "linux")]
pub fn classify(path: &Path, hdiutil: Option<&[u8]>) -> io::Result<FileSystem> {
    let _ = hdiutil;
    let path = path.canonicalize()?;
    // Some architectures have it signed, and 32 bits wide: ramfs would be negative.
    #[allow(clippy::unnecessary_cast)]
    let magic = rustix::fs::statfs(&path)?.f_type as u32;
    // Without /proc the magic number alone decides.
    let text = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mounts = super::mountinfo::parse(&String::from_utf8_lossy(&text));
    let mount = super::mountinfo::find(&mounts, &path);
    Ok(super::linux::classify(magic, mount))
}

/// Classifies the file system that `path` lies on.
///
/// `hdiutil` is what `hdiutil info -plist` printed; without it RAM is unknown.
///
/// # Errors
/// The path does not exist, or the kernel refuses to say.
#[cfg(target_os = "macos")]
pub fn classify(path: &Path, hdiutil: Option<&[u8]>) -> io::Result<FileSystem> {
    let stat = rustix::fs::statfs(path)?;
    let text = |field: &[std::ffi::c_char]| -> String {
        let bytes = field.iter().take_while(|&&c| c != 0).map(|&c| c as u8);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    };
    Ok(super::hdiutil::classify(&text(&stat.f_fstypename), &text(&stat.f_mntfromname), hdiutil))
}

/// Classifies the file system that `path` lies on: unknown on this operating system.
///
/// # Errors
/// The path does not exist.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn classify(path: &Path, hdiutil: Option<&[u8]>) -> io::Result<FileSystem> {
    let _ = hdiutil;
    path.metadata()?;
    Ok(FileSystem {
        name: "unknown".into(),
        ram: Ram::Unknown,
        why: Some("file systems are not told apart on this operating system"),
        mount: None,
    })
}
