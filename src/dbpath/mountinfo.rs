//! `/proc/self/mountinfo`: which mount a path lies on. Pure; see proc_pid_mountinfo(5) for the
//! format.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    id: u64,
    parent: u64,
    point: PathBuf,
    /// The file system type: `tmpfs`, `ext4`, `fuse.sshfs`.
    pub file_system: String,
    /// What is mounted: a device, or a name without meaning.
    pub source: String,
    /// The whole line.
    pub line: String,
}

/// The mounts in `text`; a line that cannot be read is left out.
pub(super) fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    // Any number of optional fields stands before the separator; a space within a field is escaped.
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let id = left.next()?.parse().ok()?;
    let parent = left.next()?.parse().ok()?;
    let point = unescape(left.nth(2)?);
    let mut right = right.split(' ');
    Some(Mount {
        id,
        parent,
        point: OsString::from_vec(point).into(),
        file_system: right.next()?.to_owned(),
        source: String::from_utf8_lossy(&unescape(right.next()?)).into_owned(),
        line: line.to_owned(),
    })
}

/// Undoes `\040` and its like.
fn unescape(field: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        match (byte, tail) {
            (b'\\', &[a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..]) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = &tail[3..];
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    bytes
}

/// The mount that `path` (absolute, without symbolic links) lies on.
///
/// The longest mount point that is a prefix is not enough, and neither is the last line: a later
/// mount hides what is mounted below it, and the order of the lines says little (`/` may come after
/// `/proc`). So this walks down the tree of mounts, as a path lookup does.
pub(super) fn find<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let is_root = |m: &&Mount| {
        m.point == Path::new("/")
            && (m.parent == m.id || mounts.iter().all(|other| other.id != m.parent))
    };
    let mut at = mounts.iter().rfind(is_root)?;
    // A bound, in case the lines were read while they changed and form a circle.
    for _ in 0..mounts.len() {
        let below = mounts
            .iter()
            .filter(|m| m.parent == at.id && m.id != at.id && path.starts_with(&m.point))
            // The lookup meets the shortest first; two at one point are parent and child of each
            // other.
            .min_by_key(|m| m.point.components().count());
        match below {
            Some(mount) => at = mount,
            None => break,
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<Mount> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mountinfo").join(name);
        let text = std::fs::read_to_string(path).unwrap();
        let mounts = parse(&text);
        assert_eq!(mounts.len(), text.lines().count(), "a line was not read");
        mounts
    }

    /// The file system and the source of the mount that `path` lies on.
    fn on<'a>(mounts: &'a [Mount], path: &str) -> (&'a str, &'a str) {
        let mount = find(mounts, Path::new(path)).unwrap();
        (&mount.file_system, &mount.source)
    }

    #[test]
    fn debian_vm() {
        let mounts = fixture("debian-vm");
        assert_eq!(on(&mounts, "/dev/shm/mongate-1-a"), ("tmpfs", "tmpfs"));
        assert_eq!(on(&mounts, "/run/user/1000"), ("tmpfs", "tmpfs"));
        assert_eq!(on(&mounts, "/run/users"), ("tmpfs", "tmpfs"));
        assert_eq!(on(&mounts, "/tmp"), ("ext4", "/dev/vda1"));
        // Not below /dev: the comparison is by component.
        assert_eq!(on(&mounts, "/devices"), ("ext4", "/dev/vda1"));
    }

    #[test]
    fn docker() {
        let mounts = fixture("docker-overlay");
        assert_eq!(on(&mounts, "/tmp"), ("overlay", "overlay"));
        assert_eq!(on(&mounts, "/dev/shm"), ("tmpfs", "shm"));
        assert_eq!(on(&mounts, "/builds/app/target"), ("ext4", "/dev/sda1"));
        assert_eq!(on(&mounts, "/mnt/ramdisk/x"), ("tmpfs", "tmpfs"));
    }

    #[test]
    fn ubuntu_with_tmpfs_on_tmp_and_zram() {
        let mounts = fixture("ubuntu-tmpfs-zram");
        assert_eq!(on(&mounts, "/tmp"), ("tmpfs", "tmpfs"));
        assert_eq!(on(&mounts, "/mnt/ramdisk"), ("ext4", "/dev/zram1"));
        assert_eq!(on(&mounts, "/var/tmp"), ("btrfs", "/dev/nvme0n1p3"));
        assert!(find(&mounts, Path::new("/tmp")).unwrap().line.contains("usrquota"));
    }

    #[test]
    fn escaped_spaces() {
        let mounts = fixture("escaped");
        assert_eq!(on(&mounts, "/mnt/my ram disk/db"), ("tmpfs", "name with space"));
        assert_eq!(on(&mounts, "/mnt/my"), ("xfs", "/dev/mapper/vg-root"));
        assert_eq!(on(&mounts, "/mnt/back\\slash"), ("tmpfs", "tmpfs"));
        assert_eq!(on(&mounts, "/mnt/tab\there"), ("ramfs", "ramfs"));
    }

    #[test]
    fn a_later_mount_hides_an_earlier_one() {
        let mounts = fixture("shadowed");
        // Two on one mount point: the upper one.
        assert_eq!(on(&mounts, "/dev/shm"), ("tmpfs", "upper"));
        // /mnt/a/b was mounted, then /mnt/a over it: the longest prefix is out of sight.
        assert_eq!(on(&mounts, "/mnt/a/b/x"), ("ext4", "/dev/vdb"));
        // The other way round it is not, although its line comes first.
        assert_eq!(on(&mounts, "/mnt/c/d/x"), ("tmpfs", "visible"));
        // The initial rootfs lies below the root.
        assert_eq!(on(&mounts, "/home"), ("ext4", "/dev/vda"));
    }

    #[test]
    fn what_is_no_mountinfo_gives_no_mount() {
        assert_eq!(find(&parse(""), Path::new("/")), None);
        let without_root = "40 27 0:30 / /dev/shm rw - tmpfs tmpfs rw\nnonsense\n\n";
        assert_eq!(parse(without_root).len(), 1);
        assert_eq!(find(&parse(without_root), Path::new("/dev/shm")), None);
    }
}
