//! Logs divided into phases: real ones of each version that runs here, built ones of those that do
//! not, broken ones, and live starts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::dbpath::DataFolder;
use crate::launch::Launcher;
use crate::launch::log;
use crate::launch::log::id;
use crate::launch::phases::{Client, Profile, profile};
use crate::model::{Part, Phase};
use proptest::prelude::*;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::testing::{folder, launch, mongod};

const VERSIONS: [&str; 4] = ["4.2", "4.4", "5.0", "6.0"];

fn fixture(name: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/logs/{name}.log"));
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines().map(str::to_owned).collect()
}

/// A log as if its first line had been written 20 ms after the spawn, and each line had arrived
/// `late` after its time.
fn arriving(lines: &[String], late: Duration) -> Vec<(Duration, &str)> {
    let time = |line: &str| log::parse(line).and_then(|event| event.time);
    let first = lines.iter().find_map(|line| time(line)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let mut at = Duration::from_millis(20) + late;
    lines
        .iter()
        .map(|line| {
            if let Some(time) = time(line) {
                let since = Duration::try_from(time - first).unwrap_or_default();
                at = at.max(Duration::from_millis(20) + late + since);
            }
            (at, line.as_str())
        })
        .collect()
}

/// A standalone server whose client was answered 3 ms after the line that says it listens.
fn standalone(name: &str) -> (Profile, Duration) {
    let lines = fixture(name);
    let arriving = arriving(&lines, Duration::from_micros(300));
    let listening = arriving.iter().find(|(_, line)| log::listening_port(line).is_some());
    let ready = listening.expect("a line that says it listens").0 + Duration::from_millis(3);
    let client = Client { ready, majority_write: None };
    (profile(arriving, &client), ready)
}

fn sum(phases: &BTreeMap<Phase, f64>) -> f64 {
    phases.values().sum()
}

#[track_caller]
fn assert_whole(profile: &Profile, end: Duration) {
    let end = end.as_secs_f64() * 1e3;
    assert!((sum(&profile.phases_ms) - end).abs() < 1e-3, "{end}: {profile:?}");
    assert!(profile.phases_ms.values().all(|ms| *ms >= 0.0), "{profile:?}");
    let parts: f64 = profile.parts_ms.values().sum();
    if !profile.parts_ms.is_empty() {
        assert!((parts - profile.phases_ms[&Phase::EngineOpen]).abs() < 1e-3, "{profile:?}");
    }
}

const PHASES: [Phase; 7] = [
    Phase::ExecInit,
    Phase::ProcessInit,
    Phase::EngineSelect,
    Phase::EngineOpen,
    Phase::CatalogFcv,
    Phase::Services,
    Phase::ClientReady,
];

#[test]
fn every_version_has_every_phase() {
    for version in ["4.2", "4.4", "5.0", "6.0", "7.0", "8.0"] {
        let (profile, end) = standalone(&format!("{version}-wiredTiger"));
        assert_whole(&profile, end);
        assert!(profile.phases_ms.keys().eq(&PHASES), "{version}: {profile:?}");
        let open = profile.phases_ms[&Phase::EngineOpen];
        // mongod's own figure, where it says one.
        match profile.opened_ms {
            Some(own) => assert!((open - own).abs() <= 2.0, "{version}: {open} {own}"),
            None => assert_eq!(version, "4.2"),
        }
        // The first line is put 20 ms after the spawn; nothing arrives earlier than 0.3 ms after
        // its time.
        assert!((profile.phases_ms[&Phase::ExecInit] - 20.3).abs() < 1e-3, "{profile:?}");
        // Its keys come twice, and the second time with the value.
        let step = profile.steps_ms.get("Create storage engine");
        assert_eq!(
            step.is_some(),
            ["6.0", "7.0", "8.0"].contains(&version),
            "{version}: {profile:?}"
        );
        assert!(step.is_none_or(|step| *step >= open), "{version}: {profile:?}");
    }
}

#[test]
fn an_engine_that_announces_nothing_has_no_such_phase() {
    for version in VERSIONS {
        let (profile, end) = standalone(&format!("{version}-ephemeralForTest"));
        assert_whole(&profile, end);
        let without = PHASES
            .into_iter()
            .filter(|phase| !matches!(phase, Phase::EngineSelect | Phase::EngineOpen));
        assert!(profile.phases_ms.keys().copied().eq(without), "{version}: {profile:?}");
        assert_eq!(profile.parts_ms, BTreeMap::new());
    }
}

#[test]
fn a_replica_set_goes_on_to_its_first_write() {
    for version in VERSIONS {
        let lines = fixture(&format!("{version}-wiredTiger-replica-set"));
        let arriving = arriving(&lines, Duration::ZERO);
        let at = |id: u32| {
            let found = arriving
                .iter()
                .find(|(_, line)| log::parse(line).is_some_and(|event| event.id == Some(id)));
            found.unwrap_or_else(|| panic!("{version}: no line {id}")).0
        };
        let ready = (at(id::LISTENING) + at(id::INITIATE)) / 2;
        let end = at(id::PRIMARY) + Duration::from_millis(7);
        let client = Client { ready, majority_write: Some(end) };
        let profile = profile(arriving.iter().copied(), &client);
        assert_whole(&profile, end);
        let all = PHASES.into_iter().chain([
            Phase::RsWait,
            Phase::RsInitiate,
            Phase::RsElection,
            Phase::RsStepup,
            Phase::RsWritable,
        ]);
        assert!(profile.phases_ms.keys().copied().eq(all), "{version}: {profile:?}");
        assert!((profile.phases_ms[&Phase::RsWritable] - 7.0).abs() < 1e-3, "{profile:?}");
        // The same log of a server that is not taken for a set: its later lines end nothing.
        let client = Client { ready, majority_write: None };
        let profile = crate::launch::phases::profile(arriving, &client);
        assert_whole(&profile, ready);
        assert!(profile.phases_ms.keys().eq(&PHASES), "{version}: {profile:?}");
    }
}

/// The events of a start as lines of a log, at so many ms.
fn lines(events: &[(u32, i64)]) -> Vec<String> {
    let line = |(id, ms): &(u32, i64)| {
        let time =
            OffsetDateTime::UNIX_EPOCH + time::Duration::milliseconds(1_780_000_000_000 + ms);
        let time = time.format(&Rfc3339).unwrap();
        format!(
            r#"{{"t":{{"$date":"{time}"}},"s":"I","c":"X","id":{id},"ctx":"main","msg":"m","attr":{{"port":7,"durationMillis":9}}}}"#
        )
    };
    events.iter().map(line).collect()
}

/// What these events give, with arrivals as in [`arriving`] and a client that was answered at
/// `ready` ms.
fn of(events: &[(u32, i64)], ready: u64) -> BTreeMap<Phase, f64> {
    let lines = lines(events);
    let client = Client { ready: Duration::from_millis(ready), majority_write: None };
    let profile = profile(arriving(&lines, Duration::ZERO), &client);
    assert_whole(&profile, client.ready);
    profile.phases_ms
}

#[test]
fn what_is_missing_repeated_or_late_moves_time_and_loses_none() {
    use Phase::{
        CatalogFcv, ClientReady, EngineOpen, EngineSelect, ExecInit, JournalTransition,
        ProcessInit, Services,
    };
    let all = [
        (1, 0),
        (id::STARTING, 2),
        (id::OPENING, 5),
        (id::OPENED, 105),
        (id::FLOW_CONTROL, 110),
        (id::LISTENING, 120),
    ];
    let usual = [
        (ExecInit, 20.0),
        (ProcessInit, 2.0),
        (EngineSelect, 3.0),
        (EngineOpen, 100.0),
        (CatalogFcv, 5.0),
        (Services, 10.0),
        (ClientReady, 4.0),
    ];
    assert_eq!(of(&all, 144), BTreeMap::from(usual));

    let without = |gone: u32| all.into_iter().filter(|(id, _)| *id != gone).collect::<Vec<_>>();
    assert_eq!(of(&without(id::OPENING), 144)[&EngineOpen], 103.0);
    assert_eq!(of(&without(id::OPENED), 144)[&CatalogFcv], 105.0);
    assert_eq!(of(&without(id::LISTENING), 144)[&ClientReady], 14.0);
    assert_eq!(of(&[], 144).len(), 1);

    // Once more, later: the first counts.
    let repeated = [&all[..], &[(id::OPENED, 121), (id::STARTING, 122)]].concat();
    assert_eq!(of(&repeated, 144), BTreeMap::from(usual));
    // In another order of arrival: the times count.
    let mut swapped = all;
    swapped.swap(4, 5);
    let swapped = of(&swapped, 144);
    assert_eq!(swapped, BTreeMap::from(usual));
    // A journal that is left behind.
    let journal = [&all[..2], &[(id::JOURNAL_TRANSITION, 3), (id::OPENING, 5)], &all[3..]].concat();
    let journal = of(&journal, 144);
    assert_eq!((journal[&EngineSelect], journal[&JournalTransition]), (1.0, 2.0));
    // The clock is set back by a second in the middle.
    let jumped = all.map(|(id, ms)| (id, if ms > 50 { ms - 1000 } else { ms }));
    of(&jumped, 144);
}

#[test]
fn wired_tiger_divides_the_opening() {
    let events = [
        (id::STARTING, 0),
        (id::WIRED_TIGER, 1),
        (id::OPENING, 5),
        (id::WIRED_TIGER, 85),
        (id::WIRED_TIGER, 90),
        (id::OPENED, 105),
        (id::WIRED_TIGER, 106),
    ];
    let lines = lines(&events);
    let client = Client { ready: Duration::from_millis(200), majority_write: None };
    let profile = profile(arriving(&lines, Duration::ZERO), &client);
    assert_eq!(profile.parts_ms, BTreeMap::from([(Part::WtBase, 80.0), (Part::WtRecovery, 20.0)]));
    assert_eq!(profile.opened_ms, Some(9.0));
    assert_whole(&profile, client.ready);
}

/// A line as a broken log may have it, and its arrival in microseconds.
fn any_line() -> impl Strategy<Value = (u64, Vec<u8>)> {
    let real: Vec<String> =
        ["4.2-wiredTiger-replica-set", "6.0-wiredTiger-replica-set", "5.0-ephemeralForTest"]
            .into_iter()
            .flat_map(fixture)
            .collect();
    let real = prop::sample::select(real);
    let torn = (real.clone(), any::<prop::sample::Index>(), any::<Vec<u8>>()).prop_map(
        |(line, at, tail)| {
            let mut bytes = line.into_bytes();
            bytes.truncate(at.index(bytes.len().max(1)));
            bytes.extend(tail);
            bytes
        },
    );
    let ids = [
        id::STARTING,
        id::OPENING,
        id::OPENED,
        id::WIRED_TIGER,
        id::LISTENING,
        id::PRIMARY,
        id::SUMMARY,
    ];
    // Any year that a line can have.
    let odd = (prop::sample::select(ids.to_vec()), any::<i64>()).prop_map(|(id, seconds)| {
        let time = OffsetDateTime::from_unix_timestamp(seconds % 250_000_000_000);
        let time = time.ok().and_then(|time| time.format(&Rfc3339).ok()).unwrap_or_default();
        format!(
            r#"{{"t":{{"$date":"{time}"}},"id":{id},"attr":{{"port":-1,"durationMillis":1e300}}}}"#
        )
        .into_bytes()
    });
    let line = prop_oneof![4 => real.prop_map(String::into_bytes), 2 => torn, 2 => odd, 1 => any::<Vec<u8>>()];
    (prop_oneof![0..1_000_000_u64, any::<u64>()], line)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_log_panics_and_phases_sum_to_the_start(
        lines in prop::collection::vec(any_line(), 0..40),
        ready in 0..2_000_000_u64,
        more in prop::option::of(0..1_000_000_u64),
    ) {
        let lines: Vec<_> = lines
            .into_iter()
            .map(|(at, bytes)| (Duration::from_micros(at), String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        let ready = Duration::from_micros(ready);
        let majority_write = more.map(|more| ready + Duration::from_micros(more));
        let client = Client { ready, majority_write };
        let profile = profile(lines.iter().map(|(at, line)| (*at, line.as_str())), &client);
        assert_whole(&profile, majority_write.unwrap_or(ready));
    }
}

#[test]
fn a_live_opening_takes_what_mongod_says() {
    let base = folder();
    let launcher = Launcher::new().unwrap();
    for version in VERSIONS {
        let folder = DataFolder::new(base.path()).unwrap();
        let running = launcher
            .start(&launch(&mongod(version), "wiredTiger", &folder))
            .unwrap_or_else(|e| panic!("{e}"));
        let stamps = running.stamps;
        let lines = running.log();
        let client = Client { ready: stamps.ready - stamps.spawn, majority_write: None };
        let profile =
            profile(lines.iter().map(|line| (line.at - stamps.spawn, &*line.text)), &client);
        assert_whole(&profile, client.ready);
        assert!(profile.phases_ms.keys().eq(&PHASES), "{version}: {profile:?}");
        match profile.opened_ms {
            // mongod takes its time between the two lines. How close they are is for the logs of an
            // idle machine to show.
            Some(own) => assert!(
                profile.phases_ms[&Phase::EngineOpen] >= own - 2.0,
                "{version}: {profile:?}"
            ),
            None => assert_eq!(version, "4.2"),
        }
        running.stop().unwrap();
    }
}
