//! Places, data folders and the sweep against the real system; the RAM disk scripts in a mount
//! namespace, or with stand-ins for macOS.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::dbpath::{DataFolder, Env, Ram, choose, classify, sweep};
use crate::model::DbPathKind as Kind;

/// A folder on whatever the system temporary folder lies on, and an environment in which nothing
/// else is usable.
fn bench() -> (tempfile::TempDir, Env) {
    let folder = tempfile::tempdir().unwrap();
    let env = Env {
        ramdisk: None,
        ci: false,
        os: std::env::consts::OS,
        runtime: None,
        temporary: folder.path().join("tmp"),
        fallback: folder.path().join("target"),
        hdiutil: None,
    };
    (folder, env)
}

/// A folder that is RAM and writable; `None`, with a word on stderr, where the system has none.
fn ram() -> Option<PathBuf> {
    let shm = Path::new("/dev/shm");
    let usable = classify(shm, None).is_ok_and(|found| found.ram == Ram::Yes)
        && tempfile::tempfile_in(shm).is_ok();
    if !usable {
        eprintln!("skipped: /dev/shm is not writable RAM here");
    }
    usable.then(|| shm.to_owned())
}

/// A pid that no process has: no system counts so far. One that was really in use could be used
/// again while a test runs.
const DEAD: u32 = 999_999_999;

/// A folder as [`DataFolder`] makes it, with `owner` as the content of its owner file.
fn leftover(base: &Path, pid: u32, owner: Option<String>) -> PathBuf {
    let folder = base.join(format!("mongate-{pid}-Ab12cd"));
    fs::create_dir_all(folder.join("db/journal")).unwrap();
    fs::write(folder.join("db/journal/WiredTigerLog.0000000001"), "x").unwrap();
    if let Some(owner) = owner {
        fs::write(folder.join("owner"), owner).unwrap();
    }
    folder
}

#[test]
fn dev_shm_is_ram_and_is_chosen() {
    let Some(shm) = ram() else { return };
    let env = Env { ramdisk: Some(shm), ..Env::current(Path::new("target")) };
    let place = choose(Kind::Ramdisk, &env).unwrap();
    assert_eq!((place.kind, place.file_system.ram), (Kind::Ramdisk, Ram::Yes));
    assert_eq!(place.file_system.name, "tmpfs");
    assert!(place.file_system.mount.unwrap().contains(" - tmpfs "));
    assert!(place.fsync_us.unwrap() > 0.0);
}

#[test]
fn a_disk_is_the_temporary_folder_or_else_the_fallback() {
    let (_folder, env) = bench();
    if classify(&std::env::temp_dir(), None).unwrap().ram == Ram::Yes {
        eprintln!("skipped: the system temporary folder is RAM here");
        return;
    }
    let place = choose(Kind::Disk, &env).unwrap();
    assert_eq!(place.base, env.fallback.canonicalize().unwrap());

    fs::create_dir(&env.temporary).unwrap();
    let place = choose(Kind::Disk, &env).unwrap();
    assert_eq!(place.base, env.temporary.canonicalize().unwrap());
    assert_ne!(place.file_system.ram, Ram::Yes);

    if let Some(shm) = ram() {
        let env = Env { temporary: shm.clone(), ..env };
        assert_eq!(choose(Kind::Disk, &env).unwrap().base, env.fallback.canonicalize().unwrap());
        let env = Env { fallback: shm, ..env };
        let error = choose(Kind::Disk, &env).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "no folder on a disk: /dev/shm is tmpfs (RAM); /dev/shm is tmpfs \
                (RAM)\n  help: set TMPDIR"
            ),
            "{error}"
        );
    }
}

#[test]
fn a_named_ram_disk_is_checked() {
    let (folder, env) = bench();
    let refused = |path: &Path| {
        let env = Env { ramdisk: Some(path.to_owned()), ..env.clone() };
        choose(Kind::Ramdisk, &env).unwrap_err().to_string()
    };
    let missing = folder.path().join("ramdisk");
    assert!(refused(&missing).contains("ramdisk does not exist\n  help: "));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(refused(&file).contains("file is not a folder"));
    if classify(folder.path(), None).unwrap().ram != Ram::Yes {
        fs::create_dir(&missing).unwrap();
        let error = refused(&missing);
        assert!(error.contains("RAM is not used as RAM"), "{error}");
    }
}

#[test]
fn the_sweep_removes_what_the_dead_left_and_nothing_else() {
    let (base, _) = bench();
    let base = base.path();
    let me = std::process::id();

    let mut stale = vec![leftover(base, DEAD, Some(format!("{{\"pid\":{DEAD}}}")))];
    if cfg!(target_os = "linux") {
        // Of another boot, whoever has that pid now; and of a container that is gone.
        let boot = format!("{{\"pid\":{me},\"boot_id\":\"another\"}}");
        stale.push(leftover(base, 1_000_000_001, Some(boot)));
        let container =
            format!("{{\"pid\":{me},\"boot_id\":\"another\",\"pid_namespace\":\"pid:[1]\"}}");
        stale.push(leftover(base, 1_000_000_002, Some(container)));
    }
    if cfg!(target_os = "linux") {
        // Our own pid with another start time: the pid was used again.
        stale.push(leftover(base, me, Some(format!("{{\"pid\":{me},\"start_time\":1}}"))));
    }

    let live = DataFolder::new(base).unwrap();
    let mut kept = vec![live.path().to_owned()];
    // Nothing says that these are ours.
    kept.push(leftover(base, 1_000_000_008, None));
    kept.push(leftover(base, 1_000_000_009, Some("half a fi".into())));
    let linked = leftover(base, 1_000_000_010, None);
    fs::write(base.join("marker"), format!("{{\"pid\":{DEAD}}}")).unwrap();
    symlink(base.join("marker"), linked.join("owner")).unwrap();
    kept.push(linked);
    // Somebody holds its marker, whatever the pid says.
    let held = leftover(base, 1_000_000_011, Some(format!("{{\"pid\":{DEAD}}}")));
    let marker = fs::File::open(held.join("owner")).unwrap();
    marker.lock().unwrap();
    kept.push(held);
    // A mongod of another container still runs in it.
    let lived_in = leftover(base, 1_000_000_012, Some(format!("{{\"pid\":{DEAD}}}")));
    fs::write(lived_in.join("db/mongod.lock"), "").unwrap();
    let mongod = fs::File::open(lived_in.join("db/mongod.lock")).unwrap();
    mongod.lock().unwrap();
    kept.push(lived_in);
    kept.push(leftover(base, 1_000_000_003, Some(format!("{{\"pid\":{me}}}"))));
    if cfg!(target_os = "linux") {
        let other = format!("{{\"pid\":{DEAD},\"pid_namespace\":\"pid:[1]\"}}");
        kept.push(leftover(base, 1_000_000_004, Some(other)));
    }
    for name in ["mongate-123abc", "mongate-foo", "mongate-1000000005", "other"] {
        kept.push(base.join(name));
        fs::create_dir(base.join(name)).unwrap();
    }
    kept.push(base.join("mongate-1000000006-file"));
    fs::write(base.join("mongate-1000000006-file"), "").unwrap();
    kept.push(base.join("mongate-1000000007-link"));
    symlink(base.join("other"), base.join("mongate-1000000007-link")).unwrap();

    // Two at once: each folder is gone, whoever removed it.
    let swept: Vec<PathBuf> = std::thread::scope(|scope| {
        let sweeps = [(); 2].map(|()| scope.spawn(|| sweep(base)));
        let swept = sweeps.map(|s| s.join().unwrap());
        swept.into_iter().flatten().map(|s| s.path).collect()
    });
    for path in &stale {
        assert!(swept.contains(path), "{} is not reported", path.display());
        assert!(!path.exists(), "{} is left", path.display());
    }
    for path in &kept {
        assert!(!swept.contains(path), "{} is reported", path.display());
        assert!(path.symlink_metadata().is_ok(), "{} is gone", path.display());
    }
    assert_eq!(sweep(base), []);
    assert_eq!(sweep(&base.join("gone")), []);
}

/// Not a test: the process that [`a_killed_owner_is_swept`] kills.
#[test]
#[ignore = "a helper process of a_killed_owner_is_swept"]
fn owner_to_be_killed() {
    let Some(base) = std::env::var_os("MONGATE_TEST_OWNER_BASE") else {
        return;
    };
    let folder = DataFolder::new(Path::new(&base)).unwrap();
    println!("\nfolder {}", folder.path().display());
    // Until it is killed, or the test that started it is gone.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

#[test]
fn a_killed_owner_is_swept() {
    let (base, _) = bench();
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--nocapture", "--exact"])
        .arg(format!("{module}::owner_to_be_killed"))
        .env("MONGATE_TEST_OWNER_BASE", base.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = BufReader::new(owner.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("folder ").map(PathBuf::from))
        .expect("the helper says its folder");
    assert_eq!(sweep(base.path()), [], "its owner is alive");
    assert!(folder.exists());
    owner.kill().unwrap();
    // The kernel gives the lock back when the last of its threads is gone.
    let swept = loop {
        match sweep(base.path()) {
            swept if swept.is_empty() => std::thread::yield_now(),
            swept => break swept,
        }
    };
    owner.wait().unwrap();
    assert_eq!(swept.len(), 1);
    assert_eq!((&swept[0].path, swept[0].killed), (&folder, None));
    assert!(!folder.exists());
}
