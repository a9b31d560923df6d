//! One launch of a real mongod: ready, on the right port, with stamps that agree with mongod's own
//! clock.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use crate::dbpath::DataFolder;
use crate::launch::{Launcher, Running};
use crate::mongod::Executable;
use mongodb::bson::{Document, doc};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::testing::{folder, launch, mongod};

const VERSIONS: [&str; 4] = ["4.2", "4.4", "5.0", "6.0"];
const ENGINES: [&str; 2] = ["wiredTiger", "ephemeralForTest"];

fn start(
    launcher: &Launcher,
    executable: &Executable,
    engine: &str,
    folder: &DataFolder,
) -> Running {
    launcher.start(&launch(executable, engine, folder)).unwrap_or_else(|e| panic!("{e}"))
}

/// What the server on this port answers, through the official driver.
fn ask(port: u16, command: Document) -> Document {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("mongodb://127.0.0.1:{port}/?directConnection=true");
        let client = mongodb::Client::with_uri_str(url).await.unwrap();
        client.database("admin").run_command(command).await.unwrap()
    })
}

#[test]
fn every_version_and_engine_gets_ready_on_its_port() {
    let launcher = Launcher::new().unwrap();
    let base = folder();
    for version in VERSIONS {
        let executable = mongod(version);
        for engine in ENGINES {
            let folder = DataFolder::new(base.path()).unwrap();
            let before = Instant::now();
            let running = start(&launcher, &executable, engine, &folder);
            let name = format!("{version} {engine}");

            // Who answers on that port is this very process.
            let status = ask(running.port, doc! { "serverStatus": 1 });
            assert!(status.get_str("version").unwrap().starts_with(version), "{name}");
            assert_eq!(status.get_i64("pid").unwrap(), i64::from(running.id()), "{name}");
            let used = status.get_document("storageEngine").unwrap();
            assert_eq!(used.get_str("name").unwrap(), engine, "{name}");

            let stamps = running.stamps;
            let first = running.lines.first().expect("a line");
            assert!(before <= stamps.spawn && stamps.spawn < first.at, "{name}");
            assert!(first.at <= stamps.listening && stamps.listening <= stamps.ready, "{name}");
            let ordered = running.lines.is_sorted_by_key(|line| line.at);
            assert!(ordered, "{name}: lines are out of order");
            let says = |text: &str| running.lines.iter().any(|line| line.text.contains(text));
            assert!(says("MongoDB starting"), "{name}: the beginning of the log is missing");
            assert!(says("aiting for connections"), "{name}: the end of the log is missing");

            private(&running, &folder, &name);
            let pid = running.id();
            running.stop().unwrap();
            assert!(!fs::exists(format!("/proc/{pid}")).unwrap(), "{name}: stopped, not reaped");
        }
    }
}

/// Only processes of this machine can reach it, through TCP, and it reads nothing.
fn private(running: &Running, folder: &DataFolder, name: &str) {
    assert!(!fs::exists(format!("/tmp/mongodb-{}.sock", running.port)).unwrap(), "{name}");
    let entries = fs::read_dir(folder.db()).unwrap();
    let names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|n| n.ends_with(".sock")), "{name}: {names:?}");
    if !cfg!(target_os = "linux") {
        return;
    }
    let process = format!("/proc/{}", running.id());
    let read = |file: &str| fs::read_to_string(format!("{process}/{file}")).unwrap_or_default();
    let mine: Vec<String> = fs::read_dir(format!("{process}/fd"))
        .unwrap()
        .filter_map(|fd| fs::read_link(fd.ok()?.path()).ok()?.into_os_string().into_string().ok())
        .filter_map(|link| Some(link.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let own = |line: &&str, column: usize| {
        let inode = line.split_whitespace().nth(column);
        mine.iter().any(|own| inode == Some(own))
    };
    let tcp = read("net/tcp") + &read("net/tcp6");
    let listening: Vec<&str> = tcp
        .lines()
        .filter(|line| own(line, 9) && line.split_whitespace().nth(3) == Some("0A"))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    // 127.0.0.1 as a number of this machine's byte order.
    let loopback = u32::from_ne_bytes([127, 0, 0, 1]);
    assert_eq!(listening, [format!("{loopback:08X}:{:04X}", running.port)], "{name}");
    let unix = read("net/unix");
    let named: Vec<&str> =
        unix.lines().filter(|line| own(line, 6) && line.split_whitespace().count() > 7).collect();
    assert_eq!(named, [""; 0], "{name}");
    let input = fs::read_link(format!("{process}/fd/0")).unwrap();
    assert_eq!(input.to_str(), Some("/dev/null"), "{name}");
    let group = |file: &str| {
        let stat = fs::read_to_string(file).unwrap();
        let rest = stat.rsplit_once(") ").unwrap().1;
        rest.split(' ').nth(2).unwrap().to_owned()
    };
    assert_eq!(group(&format!("{process}/stat")), group("/proc/self/stat"), "{name}");
}

/// mongod stamps a line before it writes it: our stamp is later, by less than mongod's resolution
/// allows to hide.
#[test]
fn the_listening_stamp_agrees_with_mongods_clock() {
    let launcher = Launcher::new().unwrap();
    let base = folder();
    for version in VERSIONS {
        let executable = mongod(version);
        let mut smallest = f64::INFINITY;
        for _ in 0..5 {
            let folder = DataFolder::new(base.path()).unwrap();
            let (wall, clock) = (SystemTime::now(), Instant::now());
            let running = start(&launcher, &executable, "ephemeralForTest", &folder);
            let ours = OffsetDateTime::from(wall + (running.stamps.listening - clock));
            let line = running.lines.iter().find(|l| l.text.contains("aiting for connections"));
            let line = &line.unwrap().text;
            let theirs = time_of(line);
            let late_ms = (ours - theirs).as_seconds_f64() * 1e3;
            assert!(late_ms > -2.0, "{version}: {late_ms} ms before {line}");
            smallest = smallest.min(late_ms);
        }
        assert!(smallest < 50.0, "{version}: never less than {smallest} ms after mongod's stamp");
    }
}

/// The time of a log line: `t.$date` of a JSON object, the first word of a 4.2 line.
fn time_of(line: &str) -> OffsetDateTime {
    let entry: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let word = entry["t"]["$date"].as_str().or(line.split(' ').next());
    let word = word.unwrap().replace("+0000", "Z");
    OffsetDateTime::parse(&word, &Rfc3339).unwrap_or_else(|e| panic!("{e}: {line}"))
}

#[test]
fn arguments_and_libraries_reach_mongod() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    // Of those that bring their own libraries.
    let executable = mongod("6.0.27");
    let mut launch = launch(&executable, "ephemeralForTest", &folder);
    launch.arguments =
        ["--slowms", "4321", "--setParameter", "ttlMonitorEnabled=false"].map(str::to_owned).into();
    let running = Launcher::new().unwrap().start(&launch).unwrap_or_else(|e| panic!("{e}"));
    let options = ask(running.port, doc! { "getCmdLineOpts": 1 });
    let parsed = options.get_document("parsed").unwrap();
    let profiling = parsed.get_document("operationProfiling").unwrap();
    assert_eq!(profiling.get_i32("slowOpThresholdMs").unwrap(), 4321);
    assert!(parsed.to_string().contains("ttlMonitorEnabled"), "{parsed}");
    assert_eq!(parsed.get_document("net").unwrap().get_i32("port").unwrap(), 0);

    if cfg!(target_os = "linux") {
        let libraries = executable.libraries.expect("a lib folder");
        let environ = fs::read(format!("/proc/{}/environ", running.id())).unwrap();
        let wanted = format!("LD_LIBRARY_PATH={}", libraries.display());
        assert!(String::from_utf8_lossy(&environ).contains(&wanted));
    }
}

/// Several launchers in several threads, as tests of one process may have them.
#[test]
fn launches_at_the_same_time_do_not_disturb_each_other() {
    let base = folder();
    let executable = mongod("6.0");
    let ports: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let folder = DataFolder::new(base.path()).unwrap();
                    let launcher = Launcher::new().unwrap();
                    let running = start(&launcher, &executable, "ephemeralForTest", &folder);
                    let status = ask(running.port, doc! { "serverStatus": 1 });
                    assert_eq!(status.get_i64("pid").unwrap(), i64::from(running.id()));
                    // All four live at once.
                    std::thread::sleep(Duration::from_millis(300));
                    running.port
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ports.len(), 4);
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
}
