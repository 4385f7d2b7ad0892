//! The way of replies to a tab.

use tokio::sync::mpsc;

use crate::protocol::Reply;

/// Replies that wait until the tab reads them; progress of searches is dropped then.
const WAITING_REPLIES: usize = 256;

/// The way to the tab.
#[derive(Clone)]
pub(crate) struct Outgoing(mpsc::Sender<String>);

impl Outgoing {
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (sender, receiver) = mpsc::channel(WAITING_REPLIES);
        (Self(sender), receiver)
    }

    /// Sends a reply, as soon as there is room. A tab that is gone gets none.
    pub(crate) fn send(&self, reply: &Reply) {
        if let Ok(text) = serde_json::to_string(reply) {
            let _ = self.0.blocking_send(text);
        }
    }

    /// Sends a reply that can be missed, if there is room.
    pub(crate) fn offer(&self, reply: &Reply) {
        // Half of the room is left for replies that cannot be missed, so that no search waits to answer.
        if self.0.capacity() > WAITING_REPLIES / 2 {
            self.send(reply);
        }
    }
}
