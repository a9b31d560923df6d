//! Owns every child process: whatever ends mongate, its children end first.
//!
//! Three nets, one below the other: [`Owned`] kills and waits when it is dropped (return, error,
//! panic); the signal thread kills what is registered on SIGINT, SIGTERM and SIGHUP; and on Linux
//! the kernel kills the child when the thread that spawned it is gone (SIGKILL).

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{self, Pid, Signal, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{Error, Result};

/// The signal that asked for the end; 0 while none did.
static INTERRUPT: AtomicI32 = AtomicI32::new(0);

/// The children that are alive, or dead and not yet reaped, so that no pid in here can belong to
/// somebody else.
static CHILDREN: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn children() -> MutexGuard<'static, Vec<Pid>> {
    // A panic while the list was held cannot have left it half changed: every change is one push or
    // one retain.
    CHILDREN.lock().unwrap_or_else(|e| e.into_inner())
}

/// Starts the thread that ends the children on SIGINT, SIGTERM and SIGHUP; later calls do nothing.
///
/// The first signal kills the children and lets the callers unwind, with their results kept. A
/// second one exits at once with 130.
///
/// # Errors
/// The handlers could not be installed.
pub fn watch_signals() -> Result<()> {
    static WATCHING: OnceLock<()> = OnceLock::new();
    if WATCHING.get().is_some() {
        return Ok(());
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|e| Error::io("cannot watch for SIGINT and SIGTERM", e))?;
    thread::Builder::new()
        .name("mongate-signals".into())
        .spawn(move || {
            for signal in signals.forever() {
                let children = children();
                if INTERRUPT.swap(signal, Ordering::SeqCst) != 0 {
                    std::process::exit(130);
                }
                for &pid in children.iter() {
                    // The only failure is ESRCH, and then there is nothing left to end.
                    let _ = process::kill_process(pid, Signal::KILL);
                }
            }
        })
        .map_err(|e| Error::io("cannot start the signal thread", e))?;
    let _ = WATCHING.set(());
    Ok(())
}

/// Whether a signal asked for the end: no new child starts from then on.
pub fn interrupted() -> bool {
    INTERRUPT.load(Ordering::SeqCst) != 0
}

/// As [`interrupted`], for a signal that may be on its way.
pub fn interrupted_within(limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while !interrupted() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    interrupted()
}

/// A child process that does not outlive this value.
#[derive(Debug)]
pub struct Owned {
    child: Child,
    reaped: AtomicBool,
}

impl Owned {
    /// Starts `command` as a child in our process group that dies with us.
    ///
    /// # Errors
    /// A signal asked for the end, or the program cannot be started.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        end_with_parent(command, Signal::KILL);
        let mut children = children();
        if interrupted() {
            return Err(Error::interrupted());
        }
        // Held over the spawn: a signal comes either before (nothing starts) or after (the child is
        // in the list).
        let child = command.spawn().map_err(|e| unstartable(command, e))?;
        children.push(pid_of(&child));
        Ok(Self { child, reaped: AtomicBool::new(false) })
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child's end of its pipes.
    pub fn child_mut(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the child has ended, without reaping it.
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        self.reaped.load(Ordering::Relaxed)
            || !matches!(
                process::waitid(process::WaitId::Pid(pid_of(&self.child)), options),
                Ok(None)
            )
    }

    /// Waits for the child to end by itself.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        // Wait without reaping first: until then the signal thread must be able to kill by pid.
        let _ = process::waitid(
            process::WaitId::Pid(pid_of(&self.child)),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        );
        self.reap()
    }

    /// Waits for the child to end by itself, but not beyond `deadline`: nothing where it is alive
    /// then.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.reap().map(Some)
    }

    /// Asks the child to end by itself.
    pub fn terminate(&self) {
        // The only failure is ESRCH, and then it has ended.
        if !self.reaped.load(Ordering::Relaxed) {
            let _ = process::kill_process(pid_of(&self.child), Signal::TERM);
        }
    }

    /// Kills the child and waits for its end.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        if self.reaped.load(Ordering::Relaxed) {
            return self.child.wait();
        }
        let _ = self.child.kill();
        self.wait()
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        let pid = pid_of(&self.child);
        children().retain(|&other| other != pid);
        self.reaped.store(true, Ordering::Relaxed);
        self.child.wait()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Starts a program that ends by itself on SIGTERM, its own children first. Whatever ends us asks
/// it to.
///
/// # Errors
/// As for [`Owned::spawn`].
pub(super) fn spawn_attended(command: &mut Command) -> Result<Child> {
    end_with_parent(command, Signal::TERM);
    if interrupted() {
        return Err(Error::interrupted());
    }
    command.spawn().map_err(|e| unstartable(command, e))
}

/// The kernel refused to execute the program.
fn unstartable(command: &Command, e: io::Error) -> Error {
    let help = match e.kind() {
        io::ErrorKind::NotFound => {
            "the file is not there, or the loader that it names is not (a build for another C \
                library)"
        }
        io::ErrorKind::PermissionDenied => {
            "it must be a file that you may execute (`chmod +x`), on a file system without `noexec`"
        }
        _ => "name a program that was built for this system and processor",
    };
    let program = command.get_program().to_string_lossy();
    Error::io(format_args!("cannot start {program}"), e).help(help)
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Asks Linux to send the child this signal when the thread that spawns it ends, which covers a
/// SIGKILL of this process.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn end_with_parent(command: &mut Command, signal: Signal) {
    let parent = process::getpid();
    // SAFETY: the closure runs between fork and exec and makes two system calls; it neither
    // allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            process::set_parent_process_death_signal(Some(signal))?;
            // The parent may have died before the request: then nobody would send the signal.
            if process::getppid() != Some(parent) {
                return Err(io::Error::from_raw_os_error(
                    rustix::io::Errno::CANCELED.raw_os_error(),
                ));
            }
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent(_command: &mut Command, _signal: Signal) {}

/// How a child ended, in words: "exit code 100" or "signal 11 (SIGSEGV)".
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => {
            let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
            format!("signal {signal} ({name})")
        }
        (None, None) => status.to_string(),
    }
}
