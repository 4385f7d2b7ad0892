//! Questions of a tab, and the queue of replies to it.

use kiki_board::Position;
use tokio::sync::mpsc;

use crate::protocol::TabReply;

/// Maximum number of queued replies. A half-full queue takes no progress of searches.
const WAITING_REPLIES: usize = 256;

/// A position that a tab asks about, and where the answer goes.
pub(crate) struct TabQuestion {
    /// The number of the request.
    pub(crate) id: u64,
    pub(crate) position: Position,
    pub(crate) outgoing: Outgoing,
}

#[derive(Clone)]
pub(crate) struct Outgoing(mpsc::Sender<String>);

impl Outgoing {
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (sender, receiver) = mpsc::channel(WAITING_REPLIES);
        (Self(sender), receiver)
    }

    /// Sends a reply as soon as there is room. Does nothing if the tab is gone.
    pub(crate) fn send(&self, reply: &TabReply) {
        if let Ok(text) = serde_json::to_string(reply) {
            let _ = self.0.blocking_send(text);
        }
    }

    /// Sends a reply that may be dropped, if there is room.
    pub(crate) fn offer(&self, reply: &TabReply) {
        // Half of the room is for replies that must arrive, so that no search waits to answer.
        if self.0.capacity() > WAITING_REPLIES / 2 {
            self.send(reply);
        }
    }
}
