//! Lines of input.

use std::time::{Duration, Instant};

use kiki_usi::{Command, CommandError};

/// `quit` waits so long for what is going on, for the sake of scripts that send one right after the other: an idle machine gets the engine ready in
/// less. Twice as long, while loading and while the table is emptied, is still less than GUIs wait.
pub(super) const QUIT_AFTER: Duration = Duration::from_millis(300);

/// A command and the moment it was read: clocks run from there.
pub(super) struct InputLine {
    pub(super) command: Result<Command, CommandError>,
    pub(super) read: Instant,
}

impl InputLine {
    pub(super) fn now(bytes: &[u8]) -> Self {
        Self { read: Instant::now(), command: Command::parse(bytes) }
    }

    pub(super) fn is_quit(&self) -> bool {
        self.command == Ok(Command::Quit)
    }
}
