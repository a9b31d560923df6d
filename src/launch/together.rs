//! Several servers started at the same moment.

use std::sync::{Mutex, PoisonError, RwLock, mpsc};
use std::thread;

use tokio::sync::watch;

use crate::error::{Error, Result};
use crate::launch::Launcher;

/// Starts a server for each of `items` at the same moment, looks at each when all are ready, and
/// ends them.
///
/// Each has a thread of its own, with a launcher of its own, which lives as long as its server: the
/// kernel ends a child together with the thread that spawned it. What `start` returns never leaves
/// that thread; dropping it must end the server. What `look` returns comes in the order of `items`.
///
/// # Errors
/// The first failure of any of them; the others are ended then, and not looked at.
pub fn together<I: Send, S, T: Send>(
    items: Vec<I>,
    start: impl Fn(&Launcher, I) -> Result<S> + Sync,
    look: impl Fn(S) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let launchers: Vec<Launcher> = items.iter().map(|_| Launcher::new()).collect::<Result<_>>()?;
    let halt = watch::Sender::new(false);
    let failure = Mutex::new(None);
    let fail = |error: Error| {
        let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        halt.send_replace(true);
    };
    // Two gates that this thread holds shut: until every thread is there, and until every server is
    // ready.
    let (begin, ready) = (RwLock::new(()), RwLock::new(()));
    let pass = |gate: &RwLock<()>| drop(gate.read().unwrap_or_else(PoisonError::into_inner));
    let (arrived, arrivals) = mpsc::channel::<()>();
    let one = |launcher: &Launcher, item: I, arrived: mpsc::Sender<()>| {
        pass(&begin);
        let server = start(launcher, item).map_err(&fail).ok();
        drop(arrived);
        pass(&ready);
        let looked = server.filter(|_| !*halt.borrow()).map(&look)?;
        looked.map_err(&fail).ok()
    };
    let looked = thread::scope(|scope| {
        let shut = (begin.write(), ready.write());
        let mut threads = Vec::new();
        for (mut launcher, item) in launchers.into_iter().zip(items) {
            launcher.halt = Some(halt.subscribe());
            let (one, arrived) = (&one, arrived.clone());
            let thread = thread::Builder::new().name("mongate-server".into());
            match thread.spawn_scoped(scope, move || one(&launcher, item, arrived)) {
                Ok(thread) => threads.push(thread),
                Err(e) => fail(Error::io("cannot start a thread for a server", e)),
            }
        }
        drop(arrived);
        drop(shut.0);
        // It ends when every thread has dropped its sender.
        for () in arrivals {}
        drop(shut.1);
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .filter_map(|looked| looked.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(looked),
    }
}
