//! A member: its settings, its lines of play and the way to its thread.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Sender, unbounded};
use kiki_driver::CancellationSource;
use kiki_platform::prefer_short_time_slices;
use parking_lot::Mutex;

use crate::lines::SearchLines;
use crate::message::{MemberCommand, MemberReport};
use crate::settings::MemberSettings;
use crate::worker::Worker;

/// How long a member may take to end: what its program may, and a little more.
pub(crate) const LONGEST_QUIT: Duration = Duration::from_millis(850);

/// A member. Dropping it ends its process, which takes up to [`LONGEST_QUIT`].
pub(crate) struct Member {
    pub(crate) settings: MemberSettings,
    /// Its lines of play in the search in progress.
    pub(crate) lines: Arc<Mutex<SearchLines>>,
    /// Which of those that have had a seat it is.
    pub(crate) generation: u64,
    commands: Sender<MemberCommand>,
    cancel: CancellationSource,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    /// Begins the thread of a member. Its events come with the numbers of its seat and its generation. The one before it in the seat ends
    /// first, so that never two programs run for one seat.
    pub(crate) fn new(
        (seat, generation): (usize, u64),
        settings: MemberSettings,
        events: Sender<MemberReport>,
        predecessor: Option<Self>,
    ) -> Self {
        let (commands, received) = unbounded();
        let (lines, cancel) = (Arc::new(Mutex::new(SearchLines::default())), CancellationSource::new());
        let token = cancel.token().clone();
        let worker = Worker::new((seat, generation), settings.clone(), Arc::clone(&lines), (received, events), token);
        let thread = thread::spawn(move || {
            prefer_short_time_slices();
            drop(predecessor);
            worker.run();
        });
        Self { settings, lines, generation, commands, cancel, thread: Some(thread) }
    }

    /// Tells it what to do; it does one thing after the other.
    pub(crate) fn tell(&self, command: MemberCommand) {
        // Its thread ends by `Quit` alone.
        let _ = self.commands.send(command);
    }

    /// Ends its process; what it has not done by this moment it is not let do.
    pub(crate) fn end(&mut self, deadline: Instant) {
        self.tell(MemberCommand::Quit);
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        // It is starting, or getting ready.
        self.cancel.cancel();
        let _ = thread.join();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.end(Instant::now() + LONGEST_QUIT);
    }
}
