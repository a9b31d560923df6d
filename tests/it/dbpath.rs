//! Places, data folders and the sweep against the real system; the RAM disk scripts in a mount
//! namespace, or with stand-ins for macOS.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mongate::dbpath::{DataFolder, Env, Ram, choose, classify, sweep};
use mongate::model::DbPathKind as Kind;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

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

/// Output of a script, both streams, and `rc=<exit code>`.
fn run(command: &mut Command) -> String {
    let out = command.stdin(Stdio::null()).output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    format!("{}rc={}", String::from_utf8_lossy(&text), out.status.code().unwrap())
}

#[test]
fn linux_sh_mounts_and_unmounts() {
    // A mount namespace: nothing of it is left, whatever happens. As root it needs no user
    // namespace.
    let unshare = |script: &str| {
        let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-Urm" };
        let mut command = Command::new("unshare");
        command.args([flags, "sh", "-c", script, "sh"]);
        command.env_remove("SUDO_UID").env_remove("SUDO_GID");
        command
    };
    let possible = unshare("mount -t tmpfs none /mnt").stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets us mount nothing");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ram disk");
    let script = r#"
        linux=$1 path=$2
        for step in 'destroy' 'create 0' 'create 16' 'create 32' 'status'; do
            echo "== $step"; sh $linux $step "$path" 2>&1; echo rc=$?
        done
        echo == mode; stat -c %a "$path"; echo x >"$path/file"
        echo == busy; (cd "$path" && sh $linux destroy "$path" 2>&1; echo rc=$?)
        for step in destroy destroy status; do
            echo "== $step"; sh $linux $step "$path" 2>&1; echo rc=$?
        done
        mount -t tmpfs tmpfs "$path"
        echo == foreign; sh $linux destroy "$path" 2>&1; echo rc=$?
        echo == full; sh $linux create 16 "$(dirname "$path")" 2>&1; echo rc=$?
        echo == proc; sh $linux destroy /proc 2>&1; echo rc=$?
    "#;
    let out = run(unshare(script).arg(format!("{ROOT}/ramdisk/linux.sh")).arg(&path));
    let expected = [
        ("destroy", "nothing is mounted", 0),
        ("create 0", "whole number", 1),
        ("create 16", "is a RAM disk now: 16 MB", 0),
        ("create 32", "is a RAM disk already: 16 MB", 0),
        ("status", "is RAM (tmpfs): 16 MB", 0),
        ("busy", "end what uses it first", 1),
        ("destroy", "is gone", 0),
        ("destroy", "nothing is mounted", 0),
        ("status", "", -1),
        ("foreign", "was not mounted by this script", 1),
        ("full", "is not empty", 1),
        ("proc", "that is not RAM: it stays", 1),
    ];
    let mut steps: Vec<&str> = out.split("== ").skip(1).collect();
    assert_eq!(steps.remove(5), "mode\n700\n", "{out}");
    assert_eq!(steps.len(), expected.len(), "{out}");
    for (step, (name, text, code)) in steps.iter().zip(expected) {
        assert!(step.starts_with(&format!("{name}\n")), "{name}: {out}");
        assert!(step.contains(text), "{name}: {out}");
        // After it is gone, whether the folder is RAM is up to the system.
        assert!(code < 0 || step.contains(&format!("rc={code}")), "{name}: {out}");
    }
}

/// What macos.sh calls, in one script: the state is what is attached and mounted, the log is what
/// was called.
const STAND_IN: &str = r#"#!/bin/sh
dir=$(dirname "$0"); tool=$(basename "$0")
case $tool in hdiutil | diskutil) echo "$tool $*" >>"$dir/log" ;; esac
case "$tool $1" in
    'uname '*) echo Darwin ;;
    'mount '*) echo '/dev/disk3s1 on / (apfs, sealed, local)'
        [ ! -f "$dir/mounted" ] || echo "/dev/disk6 on $(cat "$dir/mounted") (hfs, local, nodev, nosuid, noowners)" ;;
    'hdiutil attach') printf '/dev/disk6          \t         \t\n'; touch "$dir/attached" ;;
    'hdiutil info') printf 'image-path      : %s\n/dev/disk61\t\n/dev/disk6\t\t%s\n' "$(cat "$dir/image")" ;;
    'hdiutil detach') rm -f "$dir/attached" "$dir/mounted" ;;
    'diskutil eraseVolume') [ ! -f "$dir/broken" ] ;;
    'diskutil mount') printf %s "$3" >"$dir/mounted" ;;
esac
"#;

#[test]
fn macos_sh_calls_the_tools_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for tool in ["uname", "mount", "hdiutil", "diskutil"] {
        fs::write(bin.join(tool), STAND_IN).unwrap();
        fs::set_permissions(bin.join(tool), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(bin.join("image"), "ram://4194304").unwrap();
    let path = folder.path().canonicalize().unwrap().join("ram disk");
    let search = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let macos = |arguments: &[&str]| {
        let _ = fs::remove_file(bin.join("log"));
        let mut command = Command::new("sh");
        command.arg(format!("{ROOT}/ramdisk/macos.sh")).args(arguments);
        let out = run(command.arg(&path).env("PATH", &search));
        (out, fs::read_to_string(bin.join("log")).unwrap_or_default())
    };
    let create = format!(
        "hdiutil attach -nomount ram://4194304\ndiskutil eraseVolume HFS+ mongate \
            /dev/disk6\ndiskutil unmount /dev/disk6\n\
         diskutil mount -mountPoint {} /dev/disk6\n",
        path.display()
    );
    let (out, log) = macos(&["create", "2048"]);
    assert!(out.contains("is a RAM disk now (/dev/disk6)") && out.ends_with("rc=0"), "{out}");
    assert_eq!(log, create);
    let (out, log) = macos(&["create", "4096"]);
    assert!(out.contains("already (/dev/disk6)") && out.ends_with("rc=0"), "{out}");
    assert_eq!(log, "hdiutil info\n");
    let (out, _) = macos(&["status"]);
    assert!(out.contains("is RAM (/dev/disk6)") && out.ends_with("rc=0"), "{out}");

    // The same device, were it an ordinary image: it stays.
    fs::write(bin.join("image"), "/Users/dev/ram.dmg").unwrap();
    for (command, text) in
        [("destroy", "it stays"), ("create", "choose another"), ("status", "is not RAM")]
    {
        let arguments: &[&str] = if command == "create" { &["create", "64"] } else { &[command] };
        let (out, log) = macos(arguments);
        assert!(out.contains(text) && out.ends_with("rc=1"), "{out}");
        assert_eq!(log, "hdiutil info\n");
    }
    fs::write(bin.join("image"), "ram://4194304").unwrap();

    let (out, log) = macos(&["destroy"]);
    assert!(out.contains("is gone") && out.ends_with("rc=0"), "{out}");
    assert_eq!(log, "hdiutil info\nhdiutil detach /dev/disk6\n");
    let (out, log) = macos(&["destroy"]);
    assert!(out.contains("nothing is mounted") && out.ends_with("rc=0"), "{out}");
    assert_eq!(log, "");

    // What fails half way is taken down again.
    fs::write(bin.join("broken"), "").unwrap();
    let (out, log) = macos(&["create", "64"]);
    assert!(out.contains("cannot mount /dev/disk6") && out.ends_with("rc=1"), "{out}");
    assert!(log.ends_with("hdiutil detach /dev/disk6\n") && !bin.join("attached").exists());
}
