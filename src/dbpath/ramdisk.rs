//! The place of the dbPath kind `ramdisk`.

use std::path::{Path, PathBuf};

use super::{Env, FileSystem, Ram, inspect};
use crate::error::{Error, Result};

/// MONGATE_RAMDISK if it is set, else the first candidate that is RAM and writable.
pub(super) fn find(env: &Env) -> Result<(PathBuf, FileSystem)> {
    let look = |folder: &Path| inspect(folder, env.hdiutil.as_deref());
    if let Some(folder) = &env.ramdisk {
        return named(folder, look).map_err(|why| {
            let help = format!(
                "unset MONGATE_RAMDISK to have the usual places tried, or {}",
                how_to_make_one(env)
            );
            Error::environment(why).help(help)
        });
    }
    first(candidates(env), look).map_err(|tried| {
        Error::environment(format!("no RAM disk: {tried}")).help(how_to_make_one(env))
    })
}

/// Where a RAM disk usually is, best first: made on purpose, before what the system happens to
/// have.
fn candidates(env: &Env) -> Vec<PathBuf> {
    match env.os {
        "macos" => vec!["/tmp/rdisk".into()],
        "linux" => ["/mnt/ramdisk", "/dev/shm"]
            .into_iter()
            .map(PathBuf::from)
            .chain(env.runtime.clone())
            .collect(),
        _ => Vec::new(),
    }
}

type Looked = std::result::Result<(PathBuf, FileSystem), String>;

/// The folder that the user named: what is not RAM is refused, because its figures would be wrong
/// in every table.
fn named(folder: &Path, look: impl Fn(&Path) -> Looked) -> Looked {
    let name = folder.display();
    let (base, file_system) =
        look(folder).map_err(|why| format!("MONGATE_RAMDISK={name} {why}"))?;
    match file_system.ram {
        Ram::Yes => Ok((base, file_system)),
        Ram::No => Err(format!(
            "MONGATE_RAMDISK={name} is {file_system}: a folder that is not RAM is not used as RAM"
        )),
        Ram::Unknown => Err(format!(
            "MONGATE_RAMDISK={name} is {file_system}: a folder that is not known to be RAM is not \
                used as RAM"
        )),
    }
}

fn first(candidates: Vec<PathBuf>, look: impl Fn(&Path) -> Looked) -> Looked {
    let mut tried = Vec::new();
    for folder in candidates {
        match look(&folder) {
            Ok((base, file_system)) if file_system.ram == Ram::Yes => {
                return Ok((base, file_system));
            }
            Ok((_, file_system)) => tried.push(format!("{} is {file_system}", folder.display())),
            Err(why) => tried.push(format!("{} {why}", folder.display())),
        }
    }
    if tried.is_empty() {
        tried.push("no usual place for one is known on this system".to_owned());
    }
    Err(tried.join("; "))
}

fn how_to_make_one(env: &Env) -> &'static str {
    match (env.os, env.ci) {
        ("macos", _) => {
            "make one of 2048 MB with `ramdisk/macos.sh create 2048` of mongate's repository; it \
                needs no sudo"
        }
        ("linux", true) => {
            "let the job mount one: with `ramdisk/linux.sh create 2048` of mongate's repository where \
                it has sudo; in Docker with --tmpfs /mnt/ramdisk:size=2g; on a GitLab runner with \
                [runners.docker.tmpfs]"
        }
        ("linux", false) => {
            "make one of 2048 MB with `ramdisk/linux.sh create 2048` of mongate's repository, which \
                asks for sudo; in Docker start the container with --tmpfs /mnt/ramdisk:size=2g"
        }
        _ => "run it on Linux or macOS: elsewhere mongate cannot tell RAM from a disk",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(os: &'static str, ci: bool) -> Env {
        Env {
            ramdisk: None,
            ci,
            os,
            runtime: Some("/run/user/1000".into()),
            temporary: "/tmp".into(),
            fallback: "/target".into(),
            hdiutil: None,
        }
    }

    fn file_system(name: &str, ram: Ram) -> FileSystem {
        FileSystem {
            name: name.into(),
            ram,
            why: (ram == Ram::Unknown).then_some("it hides its upper layer"),
            mount: None,
        }
    }

    /// A machine with an ordinary folder at /mnt/ramdisk, an overlay on /dev/shm and a tmpfs at
    /// /run/user/1000.
    fn look(folder: &Path) -> Looked {
        let found = match folder.to_str() {
            Some("/mnt/ramdisk") => file_system("ext4", Ram::No),
            Some("/dev/shm") => file_system("overlay", Ram::Unknown),
            Some("/run/user/1000") => file_system("tmpfs", Ram::Yes),
            _ => return Err("does not exist".to_owned()),
        };
        Ok((folder.to_owned(), found))
    }

    #[test]
    fn what_was_made_on_purpose_comes_first() {
        let linux: Vec<PathBuf> =
            ["/mnt/ramdisk", "/dev/shm", "/run/user/1000"].map(PathBuf::from).into();
        assert_eq!(candidates(&env("linux", true)), linux);
        assert_eq!(candidates(&env("linux", false)), linux);
        assert_eq!(candidates(&env("macos", true)), [PathBuf::from("/tmp/rdisk")]);
    }

    #[test]
    fn a_folder_that_is_called_ramdisk_is_not_thereby_one() {
        let (base, _) = first(candidates(&env("linux", false)), look).unwrap();
        assert_eq!(base, Path::new("/run/user/1000"));
    }

    #[test]
    fn the_error_names_every_candidate_and_why_not() {
        let candidates = ["/mnt/ramdisk", "/dev/shm", "/tmp/rdisk"].map(PathBuf::from);
        assert_eq!(
            first(candidates.into(), look).unwrap_err(),
            "/mnt/ramdisk is ext4 (a disk); /dev/shm is overlay (RAM or disk: it hides its upper \
                layer); /tmp/rdisk does not exist"
        );
        assert_eq!(
            first(Vec::new(), look).unwrap_err(),
            "no usual place for one is known on this system"
        );
    }

    #[test]
    fn a_named_folder_must_be_ram() {
        let refused = |folder: &str| named(Path::new(folder), look).unwrap_err();
        assert_eq!(
            refused("/mnt/ramdisk"),
            "MONGATE_RAMDISK=/mnt/ramdisk is ext4 (a disk): a folder that is not RAM is not used \
                as RAM"
        );
        assert!(refused("/dev/shm").contains("is not known to be RAM"));
        assert_eq!(refused("/gone"), "MONGATE_RAMDISK=/gone does not exist");
        assert!(named(Path::new("/run/user/1000"), look).is_ok());
    }
}
