//! What the mock keeps in mind.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{BestMove, GoSpec, PositionSpec};

/// What a late answer takes beyond the time of its search: more than the tolerance of the tests.
pub(super) const LATE: Duration = Duration::from_millis(1400);

/// What is late where the best or the median of several counts, and nowhere else.
pub(super) const TOLERATED: Duration = Duration::from_millis(900);

/// What the mock is doing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Task {
    Idle,
    /// It owes an answer to `stop`.
    Infinite(Instant),
    /// It owes an answer to `stop` or `ponderhit`.
    Ponder(GoSpec),
    /// It owes `checkmate` to `stop`.
    Mate,
}

/// Whether another line is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    ReadOn,
    /// Leave with this status.
    Exit(u8),
    /// Read nothing more, and stay.
    Hang,
}

/// The mock in the middle of a conversation.
pub(super) struct Mock<W> {
    pub(super) output: W,
    pub(super) fault: String,
    pub(super) position: Position,
    pub(super) spec: PositionSpec,
    /// The last `position` was refused.
    pub(super) lost: bool,
    pub(super) task: Task,
    /// Values by name in lower case.
    pub(super) options: BTreeMap<String, String>,
    /// The first word of the last command.
    pub(super) last: String,
    /// The last answer to `go`.
    pub(super) answered: Option<BestMove>,
    /// How often `isready` came in a row.
    pub(super) readies: usize,
    /// It has heard `isready`.
    pub(super) was_ready: bool,
    /// The last `stop` ended a search.
    pub(super) stopped: bool,
    /// More input has arrived with the last line.
    pub(super) burst: bool,
    /// The first `isready` came in one burst with what follows.
    pub(super) loading: bool,
    /// `isready` is passed over once.
    pub(super) deaf: bool,
    /// An answer that comes when nobody expects it.
    pub(super) leftover: bool,
}

impl<W: Write> Mock<W> {
    /// Before the first line.
    pub(super) fn new(fault: &str, output: W) -> Self {
        Self {
            output,
            fault: fault.to_owned(),
            position: Position::startpos(),
            spec: PositionSpec::startpos(),
            lost: false,
            task: Task::Idle,
            options: BTreeMap::new(),
            last: String::new(),
            answered: None,
            readies: 0,
            was_ready: false,
            stopped: false,
            burst: false,
            loading: false,
            deaf: false,
            leftover: false,
        }
    }

    /// Whether it breaks this rule.
    pub(super) fn breaks(&self, word: &str) -> bool {
        self.fault == word
    }

    /// Says a line.
    pub(super) fn print(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
    }
}
