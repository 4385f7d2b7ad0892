//! What the council tells a member, and what it hears from it.

use kiki_driver::EngineIdentity;
use kiki_usi::{BestMove, Clocks, GameResult, GoSpec, PositionSpec};

use crate::program_options::ProgramOption;

/// What a member is to do. What is meant for one search carries its number, since a member may still be busy with the one before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberCommand {
    /// Start, if it does not run, and report.
    Start {
        request: u64,
    },
    /// Set an option of its program.
    SetOption(ProgramOption),
    /// Start, if it does not run, and get ready; report if a request has a number.
    Ready {
        request: Option<u64>,
    },
    NewGame,
    GameOver(GameResult),
    /// Search; the number comes back with the answer.
    Search {
        search: u64,
        position: PositionSpec,
        go: Box<GoSpec>,
    },
    PonderHit {
        search: u64,
        /// If they were told with it.
        clocks: Option<Clocks>,
    },
    Stop {
        search: u64,
    },
    /// Nobody waits for the answer of this search any more: do not begin it, or end it.
    Forget {
        search: u64,
    },
    /// End the process that this search was given to, whatever it does, and start a new one.
    Restart {
        search: u64,
    },
    Quit,
}

/// What a member has done. Each search that it was given is answered or has failed, unless it was forgotten or ended by a restart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberEvent {
    /// A new process runs.
    Started(EngineIdentity),
    /// It is ready to search.
    Ready,
    /// A request to start or to get ready is done, well or not.
    Reported {
        request: u64,
    },
    Answered {
        search: u64,
        best: BestMove,
    },
    /// Its process is of no further use. If it starts again, `Ready` or `Unavailable` follows.
    Failed {
        search: Option<u64>,
        reason: String,
        starts_again: bool,
    },
    /// A new process cannot be started, or does not get ready. The next `Ready` or `Search` tries again.
    Unavailable {
        reason: String,
    },
    /// Something that its user should know, such as an option that was refused.
    Problem {
        reason: String,
    },
}

/// An event with its sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MemberReport {
    /// The number of the seat; the first is 0.
    pub(crate) member: usize,
    /// Which of those that have had a seat: no two have the same number.
    pub(crate) generation: u64,
    pub(crate) event: MemberEvent,
}
