//! What an engine answers.

use std::time::{Duration, Instant};

use kiki_usi::{BestMove, Info};

/// The answer to a `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineAnswer {
    /// The move, resignation or declaration.
    pub best: BestMove,
    /// From the moment `go` was sent to the moment the answer was read. While this program itself stood still no time is counted, and what
    /// had arrived when a deadline passed took no longer than up to that.
    pub elapsed: Duration,
    /// Its last `info` about the best line; empty if there was none.
    pub info: Info,
    /// The last `info` with score and line of play of each rank, in the order of ranks: exact where one was, else a bound. Ranks of different
    /// iterations may begin with the same move.
    pub lines: Vec<Info>,
    /// The last texts that it printed as `info string`, oldest first.
    pub texts: Vec<String>,
}

/// What comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnswerOr<T> {
    /// The engine's answer.
    Answer(Box<EngineAnswer>),
    /// A message for whoever waits.
    Message(T),
}

/// What came of a wait: something that was accepted and when it arrived, or a message.
pub(crate) enum AcceptedOr<T, M> {
    Accepted(T, Instant),
    Message(M),
}
