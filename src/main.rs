//! The `mongate` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    mongate::cli()
}
