//! The scripts that make a RAM disk: in a mount namespace, or with stand-ins for the tools of macOS.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

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
