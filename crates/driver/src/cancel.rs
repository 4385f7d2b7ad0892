//! A way to end every wait at once.

use crossbeam::channel::{Receiver, Sender, bounded, never};

/// Tells whoever waits for an engine that there is nothing to wait for any more. Clones tell the same.
#[derive(Clone, Debug)]
pub struct Cancel(Receiver<()>);

/// Cancels when it is dropped.
#[derive(Debug)]
pub struct Canceller(#[expect(dead_code, reason = "its end is the message")] Sender<()>);

impl Cancel {
    /// A pair: dropping the [`Canceller`] cancels.
    #[must_use]
    pub fn new() -> (Canceller, Self) {
        let (sender, receiver) = bounded(0);
        (Canceller(sender), Self(receiver))
    }

    /// Nothing will cancel.
    #[must_use]
    pub fn never() -> Self {
        Self(never())
    }

    /// Whether it has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0.try_recv(), Err(crossbeam::channel::TryRecvError::Disconnected))
    }

    /// Becomes ready when it has been cancelled.
    pub(crate) fn receiver(&self) -> &Receiver<()> {
        &self.0
    }
}
