//! The harness on this repository itself: the cases of `.config/mongate.toml` as tests.

mongate::main!();
