//! RAM on Linux: told by the magic number of the file system and the device that is mounted. Pure.

use super::mountinfo::Mount;
use super::{FileSystem, Ram};

const TMPFS: u32 = 0x0102_1994;
const RAMFS: u32 = 0x8584_58f6;
const OVERLAY: u32 = 0x794c_7630;
const FUSE: u32 = 0x6573_5546;

/// Magic numbers (statfs(2)) of what can hold a dbPath. ext2 and ext3 share the one of ext4.
const MAGIC: [(u32, &str); 12] = [
    (TMPFS, "tmpfs"),
    (RAMFS, "ramfs"),
    (OVERLAY, "overlay"),
    (FUSE, "fuse"),
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0xf2f5_2010, "f2fs"),
    (0x2fc1_2fc1, "zfs"),
    (0x6969, "nfs"),
    (0x0102_1997, "9p"),
    (0xca45_1a4e, "bcachefs"),
];

/// The rule for Linux: the magic number decides, since it is the kernel's word on this very path;
/// the mount adds name and device.
pub(super) fn classify(magic: u32, mount: Option<&Mount>) -> FileSystem {
    let known = MAGIC.iter().find(|(number, _)| *number == magic);
    let source = mount.map_or("", |m| m.source.as_str());
    let on = |device: &str| {
        let number = source.strip_prefix(device);
        number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    };
    let (ram, why) = match magic {
        TMPFS | RAMFS => (Ram::Yes, None),
        OVERLAY => (Ram::Unknown, Some("overlayfs hides its upper layer")),
        FUSE => (Ram::Unknown, Some("FUSE hides where the data is")),
        _ if on("/dev/ram") => (Ram::Unknown, Some("its device is a RAM block device, brd")),
        _ if on("/dev/zram") => (Ram::Unknown, Some("its device is compressed RAM, zram")),
        _ if on("/dev/loop") => (Ram::Unknown, Some("a loop device hides where its file is")),
        _ if known.is_none() => (Ram::Unknown, Some("not a file system that mongate knows")),
        _ => (Ram::No, None),
    };
    FileSystem {
        name: match (mount, known) {
            (Some(mount), _) => mount.file_system.clone(),
            (None, Some((_, name))) => (*name).to_owned(),
            (None, None) => format!("{magic:#x}"),
        },
        ram,
        why,
        mount: mount.map(|m| m.line.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::mountinfo;
    use super::*;

    fn with_mount(magic: u32, file_system: &str, source: &str) -> FileSystem {
        let line = format!("27 1 254:0 / / rw,relatime shared:1 - {file_system} {source} rw");
        classify(magic, mountinfo::find(&mountinfo::parse(&line), Path::new("/x")))
    }

    #[test]
    fn ram_by_magic_number() {
        for (magic, file_system, expected) in [
            (TMPFS, "tmpfs", Ram::Yes),
            (TMPFS, "devtmpfs", Ram::Yes),
            (RAMFS, "ramfs", Ram::Yes),
            (OVERLAY, "overlay", Ram::Unknown),
            (FUSE, "fuse.fuse-overlayfs", Ram::Unknown),
            (0xef53, "ext3", Ram::No),
            (0x9123_683e, "btrfs", Ram::No),
            (0x1bad_face, "newfs", Ram::Unknown),
        ] {
            let found = with_mount(magic, file_system, "source");
            assert_eq!((found.name.as_str(), found.ram), (file_system, expected));
            assert_eq!(found.why.is_some(), expected == Ram::Unknown);
            assert!(found.mount.unwrap().contains("shared:1 - "));
        }
    }

    #[test]
    fn a_block_device_in_ram_looks_like_a_disk_and_is_called_unknown() {
        for device in ["/dev/ram0", "/dev/zram1", "/dev/loop12"] {
            assert_eq!(with_mount(0xef53, "ext4", device).ram, Ram::Unknown);
        }
        for device in ["/dev/ramdisk", "/dev/vda1", "/dev/root", "ram0"] {
            assert_eq!(with_mount(0xef53, "ext4", device).ram, Ram::No);
        }
        assert_eq!(
            with_mount(0xef53, "ext4", "/dev/zram1").to_string(),
            "ext4 (RAM or disk: its device is compressed RAM, zram)"
        );
    }

    #[test]
    fn without_a_mount_the_magic_number_names_it() {
        assert_eq!(classify(TMPFS, None).to_string(), "tmpfs (RAM)");
        assert_eq!(classify(0x5846_5342, None).to_string(), "xfs (a disk)");
        assert_eq!(classify(0x1bad_face, None).name, "0x1badface");
    }
}
