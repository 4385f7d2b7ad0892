//! Lines of input.

use std::time::{Duration, Instant};

use kiki_usi::{Command, CommandError};

/// How long `quit` waits for the engine to get ready, for the sake of scripts that send it right after `isready`: an idle machine needs less. It may
/// wait twice, for loading and for the table that is emptied; that is still less than GUIs wait.
pub(super) const QUIT_AFTER: Duration = Duration::from_millis(300);

/// A line as a command, and when it was read: clocks run from there.
pub(super) struct InputLine {
    pub(super) command: Result<Command, CommandError>,
    pub(super) read: Instant,
}

impl InputLine {
    /// A line that was read just now.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        Self { read: Instant::now(), command: Command::parse(bytes) }
    }

    pub(super) fn is_quit(&self) -> bool {
        self.command == Ok(Command::Quit)
    }
}
