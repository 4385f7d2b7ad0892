//! Ctrl-C, and other reasons to end what is being played.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use kiki_driver::{Cancel, Canceller};
use parking_lot::Mutex;

use crate::guard::Guard;

/// How a process ends that was interrupted before its work was complete: the status that shells give to a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// The exit code of long work by whether it came to its end.
pub(crate) fn exit_code(interrupted: bool) -> ExitCode {
    if interrupted { INTERRUPTED.into() } else { ExitCode::SUCCESS }
}

/// What everything that plays listens to. There is one for each process.
pub(crate) struct Interrupt {
    canceller: Arc<Mutex<Option<Canceller>>>,
    pub(crate) cancel: Cancel,
    /// A kill cannot be listened to.
    _guard: Guard,
}

impl Interrupt {
    /// From now on Ctrl-C ends games instead of the process.
    pub(crate) fn listen() -> Result<Self> {
        let (canceller, cancel) = Cancel::new();
        let canceller = Arc::new(Mutex::new(Some(canceller)));
        let pulled = Arc::clone(&canceller);
        ctrlc::set_handler(move || drop(pulled.lock().take()))?;
        Ok(Self { canceller, cancel, _guard: Guard::start() })
    }

    /// What was done before the playing: whether to go on. What failed because of an interruption has not failed.
    pub(crate) fn unless(&self, done: Result<()>) -> Result<bool> {
        if self.cancel.is_cancelled() { Ok(false) } else { done.map(|()| true) }
    }

    /// The same without Ctrl-C.
    pub(crate) fn stop(&self) {
        drop(self.canceller.lock().take());
    }
}
