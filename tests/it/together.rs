//! Several servers at once: all of them at the same time, each on its own, and nothing of them
//! afterwards.

use std::fs;
use std::thread;

use serde_json::Value;

use crate::support::{Sandbox, run};

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn a_session_tells_each_server_and_all_of_them() {
    let config = "[session]\nblocks = 6\n[mongod]\noptional = []\nversions = ['6.0']\n\
                  [startup]\nengines = ['ephemeralForTest']\ndb_paths = ['ramdisk']\nconcurrent = \
                  [1, 2]\n";
    let Some(sandbox) = Sandbox::in_ram(config) else {
        return;
    };
    let mut command = sandbox.private(&["run"]);
    command.env("XDG_CACHE_HOME", sandbox.cache(&["6.0.27"]));
    let outcome = run(command.env("COLUMNS", "160"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    sandbox.assert_clean();
    let table = &outcome.stdout;
    let header = table.lines().nth(1).unwrap();
    let columns: Vec<&str> = header.split_whitespace().collect();
    assert!(columns.ends_with(&["last", "RSS", "data"]), "{table}");
    let scale = "on N cores, the last of several against one alone, \
        startup::6.0::ephemeralForTest::ramdisk: x2 ";
    let cores = thread::available_parallelism().unwrap().to_string();
    let unwrapped = table.replace("\n    ", " ");
    assert!(unwrapped.contains(&scale.replace('N', &cores)), "{table}");

    let file = sandbox.results().join("results.json");
    let results: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let [one, two, _] = list(&results["startup"]) else {
        panic!("{results}");
    };
    assert_eq!(two["id"], "startup::6.0::ephemeralForTest::ramdisk::x2");
    assert_eq!((&one["at_once"], &two["at_once"]), (&1.into(), &2.into()));
    for sample in list(&one["samples"]) {
        assert_eq!((sample.get("servers"), sample.get("last_ready_ms")), (None, None));
    }
    assert_eq!(list(&two["samples"]).len(), 6);
    for sample in list(&two["samples"]) {
        let servers = list(&sample["servers"]);
        assert_eq!(servers.len(), 2);
        let number =
            |of: &Value, key: &str| of[key].as_f64().unwrap_or_else(|| panic!("{key}: {of}"));
        let sum = |key: &str| number(&servers[0], key) + number(&servers[1], key);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}: {sample}");
        // Of two the median is the mean.
        for key in ["first_line_ms", "listening_ms", "ready_ms", "rss_mb", "folder_mb"] {
            near(number(sample, key), sum(key) / 2.0);
        }
        near(number(sample, "total_rss_mb"), sum("rss_mb"));
        near(number(sample, "total_folder_mb"), sum("folder_mb"));
        let last = number(sample, "last_ready_ms");
        for server in servers {
            assert!(number(server, "listening_ms") <= number(server, "ready_ms"));
            assert!(number(server, "ready_ms") <= last + 0.01, "{sample}");
            assert!(number(server, "rss_mb") > 10.0 && number(server, "folder_mb") > 0.0);
        }
    }
}
