//! Ctrl-C, and other reasons to end what is being played.

use std::sync::Arc;

use anyhow::Result;
use kiki_driver::{Cancel, Canceller};
use parking_lot::Mutex;

use crate::guard::Guard;

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

    /// The same without Ctrl-C.
    pub(crate) fn stop(&self) {
        drop(self.canceller.lock().take());
    }
}
