//! What the user asks for by Ctrl-C or SIGTERM. It goes its own way, so that it never waits behind the lines of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crossbeam::channel::Sender;

use crate::connection::Event;

/// What the user is told who asks to stop during a game.
pub(crate) const LAST_GAME: &str = "this is the last game; once more, and the game is given up";

/// How often the user has asked to stop. The first time the current game is still played to its end; the second time it is given up. Clones
/// share the count.
#[derive(Clone, Debug)]
pub struct Interrupts {
    count: Arc<AtomicU32>,
    heard: Arc<AtomicU32>,
    events: Sender<Event>,
}

impl Interrupts {
    /// None yet. Whoever waits for the channel's events is woken by the next one.
    #[must_use]
    pub fn new(events: Sender<Event>) -> Self {
        Self { count: Arc::default(), heard: Arc::default(), events }
    }

    /// The user asks to stop. Returns how often that was done with this one.
    pub fn add(&self) -> u32 {
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        // If there is no place nobody sleeps.
        let _ = self.events.try_send(Event::Wake);
        count
    }

    /// How often the user has asked to stop, if that was not heard before.
    #[must_use]
    pub fn news(&self) -> Option<u32> {
        let count = self.count();
        (self.heard.swap(count, Ordering::SeqCst) != count).then_some(count)
    }

    /// How often the user has asked to stop.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::event_channel;

    #[test]
    fn an_interrupt_wakes_a_sleeper_and_waits_for_no_place() {
        let (sender, events) = event_channel();
        let interrupts = Interrupts::new(sender.clone());
        assert_eq!((interrupts.add(), events.try_recv()), (1, Ok(Event::Wake)));
        assert_eq!((interrupts.news(), interrupts.news()), (Some(1), None));
        while sender.try_send(Event::Wake).is_ok() {}
        assert_eq!((interrupts.add(), interrupts.clone().count()), (2, 2));
    }
}
