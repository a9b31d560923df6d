//! Launches of real mongods, and of stand-ins where no real one shows what is meant.

#[cfg(target_os = "linux")]
mod cold;
// These find processes in /proc.
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod guard;
mod overhead;
mod phases;
mod probe;
mod ready;
mod template;
#[cfg(target_os = "linux")]
mod together;
