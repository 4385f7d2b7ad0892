//! Cancellation of every wait for an engine at once.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, TryRecvError, bounded, never};
use parking_lot::Mutex;

/// Ends waiting for an engine whose answer is no longer wanted. All clones are cancelled together.
#[derive(Clone, Debug)]
pub struct CancellationToken(Receiver<()>);

/// Cancels its token by [`CancellationSource::cancel`], or when its last clone is dropped.
#[derive(Clone, Debug)]
pub struct CancellationSource {
    /// Dropping the sender closes the channel of the token.
    sender: Arc<Mutex<Option<Sender<()>>>>,
    token: CancellationToken,
}

impl CancellationSource {
    /// A source whose token is not cancelled.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a source that nobody keeps would cancel at once")]
    pub fn new() -> Self {
        let (sender, receiver) = bounded(0);
        Self { sender: Arc::new(Mutex::new(Some(sender))), token: CancellationToken(receiver) }
    }

    /// The token that this source cancels.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Cancels the token. A second call does nothing.
    pub fn cancel(&self) {
        self.sender.lock().take();
    }
}

impl CancellationToken {
    /// A token that is never cancelled.
    #[must_use]
    pub fn never() -> Self {
        Self(never())
    }

    /// Whether it has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0.try_recv(), Err(TryRecvError::Disconnected))
    }

    /// A channel that is closed when the token is cancelled.
    pub(crate) fn receiver(&self) -> &Receiver<()> {
        &self.0
    }
}
