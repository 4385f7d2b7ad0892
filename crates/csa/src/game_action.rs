//! What a game is played by, and what it asks for.

use std::time::{Duration, Instant};

use kiki_record::GameEnd;
use kiki_usi::{Clocks, PositionSpec};
use serde::Deserialize;

use crate::protocol::ClientLine;

/// Whether the engine thinks on the other side's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PonderMode {
    /// It does not.
    #[default]
    Off,
    /// From the moment at which the server has confirmed its move and told the time of it.
    On,
    /// From the moment at which its move is sent. It is told the times by `ponderhit`.
    Early,
}

/// How a game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRules {
    /// What the engine is not told of its time for each move: it is for the network.
    pub margin: Duration,
    /// Whether the engine thinks on the other side's time.
    pub ponder: PonderMode,
    /// Whether to declare as soon as that wins, without asking the engine.
    pub declares: bool,
    /// Whether moves are sent with scores and lines of play.
    pub comments: bool,
}

/// A search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The position.
    pub position: PositionSpec,
    /// The times; empty if they are not known yet.
    pub clocks: Clocks,
}

/// What is to be done, in the order in which it comes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameAction {
    /// Send a line to the server.
    Send(ClientLine),
    /// Let the engine search for the own move.
    Think(Task),
    /// Let the engine search on the other side's time.
    Ponder(Task),
    /// The move that the engine ponders on was played. The times are empty if it knows them.
    PonderHit(Clocks),
    /// Stop the engine and drop its answer.
    Stop,
    /// Save the record, which has changed.
    Save,
    /// Tell people that something is wrong.
    Warn(String),
    /// The game is over.
    Over(GameEnd),
}

/// When something has to happen on the own turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// The engine is told to stop.
    pub stop: Instant,
    /// A move is sent without it.
    pub give_up: Instant,
}

/// An answer of the engine that is not sent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadAnswer {
    /// No legal move. It is cut if it is long.
    #[error("the engine's move `{0}` is illegal")]
    Illegal(String),
    /// A declaration that would lose.
    #[error("the engine declares, but the position does not allow it")]
    FalseDeclaration,
}
