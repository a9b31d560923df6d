//! RAM disks on macOS: a disk image whose path is `ram://<sectors>`. Pure, so it is tested
//! everywhere.

use serde::Deserialize;

use super::{FileSystem, Ram};

/// The part of the output of `hdiutil info -plist` that matters here.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Info {
    #[serde(default)]
    images: Vec<Image>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Image {
    #[serde(default)]
    image_path: String,
    #[serde(default)]
    system_entities: Vec<Entity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Entity {
    #[serde(default)]
    dev_entry: String,
}

/// The devices of the images in RAM: `/dev/disk4`, `/dev/disk4s1`. `None` if `plist` is no property
/// list of that kind.
fn ram_devices(plist: &[u8]) -> Option<Vec<String>> {
    let info: Info = plist::from_bytes(plist).ok()?;
    let in_ram = |image: &Image| image.image_path.starts_with("ram://");
    Some(
        info.images
            .into_iter()
            .filter(in_ram)
            .flat_map(|image| image.system_entities)
            .map(|entity| entity.dev_entry)
            .collect(),
    )
}

/// The rule for macOS, from statfs's f_fstypename and f_mntfromname and the output of `hdiutil info
/// -plist`.
pub(super) fn classify(name: &str, device: &str, plist: Option<&[u8]>) -> FileSystem {
    let (ram, why) = match (name, plist.map(ram_devices)) {
        ("tmpfs", _) => (Ram::Yes, None),
        // Only a device can be an image: a network share or another file system is none.
        _ if !device.starts_with("/dev/") => (Ram::No, None),
        (_, None) => (Ram::Unknown, Some("hdiutil was not asked about its device")),
        (_, Some(None)) => (Ram::Unknown, Some("hdiutil info gave no property list")),
        (_, Some(Some(devices))) if devices.iter().any(|entry| is_on(device, entry)) => {
            (Ram::Yes, None)
        }
        _ => (Ram::No, None),
    };
    FileSystem { name: name.to_owned(), ram, why, mount: Some(device.to_owned()) }
}

/// Whether `device` is `entry` or a slice of it: `/dev/disk4s1` lies on `/dev/disk4`, `/dev/disk41`
/// does not.
fn is_on(device: &str, entry: &str) -> bool {
    !entry.is_empty()
        && device.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('s'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> Vec<u8> {
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/plist/hdiutil-info.plist"))
            .unwrap()
    }

    #[test]
    fn images_in_ram_are_told_from_files() {
        assert_eq!(
            ram_devices(&fixture()).unwrap(),
            ["/dev/disk6", "/dev/disk7", "/dev/disk8", "/dev/disk8s1"]
        );
    }

    #[test]
    fn classified_by_device() {
        let info = fixture();
        for (name, device, expected) in [
            ("hfs", "/dev/disk6", Ram::Yes),
            ("hfs", "/dev/disk6s1", Ram::Yes),
            ("apfs", "/dev/disk8s1", Ram::Yes),
            ("hfs", "/dev/disk61", Ram::No),
            ("hfs", "/dev/disk4s1", Ram::No),
            ("apfs", "/dev/disk3s1s1", Ram::No),
            ("tmpfs", "tmpfs", Ram::Yes),
            ("smbfs", "//user@server/share", Ram::No),
        ] {
            let found = classify(name, device, Some(&info));
            assert_eq!(found.ram, expected, "{name} on {device}");
            assert_eq!(found.mount.as_deref(), Some(device));
        }
    }

    #[test]
    fn without_an_answer_of_hdiutil_ram_is_unknown() {
        for plist in [None, Some(&b"hdiutil: info failed"[..])] {
            let found = classify("apfs", "/dev/disk3s5", plist);
            assert_eq!(found.ram, Ram::Unknown);
            assert!(found.why.unwrap().contains("hdiutil"));
        }
        // A list without images is an answer.
        let empty =
            b"<plist version=\"1.0\"><dict><key>framework</key><string>1</string></dict></plist>";
        assert_eq!(classify("apfs", "/dev/disk3s5", Some(empty)).ram, Ram::No);
    }
}
