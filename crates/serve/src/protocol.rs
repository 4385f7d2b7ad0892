//! Messages between the page and the server: JSON objects over a WebSocket.
//!
//! A binary message is a game record to be read: the name of its file, a line break, and its bytes.

use kiki_reasons::ToldReason;
use kiki_usi::ScoreValue;
use serde::{Deserialize, Serialize};

use crate::facts::{NamedMove, PositionFacts};
use crate::record::Record;
use crate::refusal::Refusal;

/// A position, by the moves that lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveLine {
    /// The first position in SFEN.
    pub(crate) start: String,
    /// The moves in USI.
    pub(crate) moves: Vec<String>,
}

/// Requests of the page. Replies carry the number of the request that they answer.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// The facts about a position.
    Position { id: u64, line: MoveLine },
    /// A move of the engine, in a game.
    Play { id: u64, line: MoveLine, strength: Strength, time: Time },
    /// The best lines, until the limit or the next search.
    Analyze { id: u64, line: MoveLine, lines: usize, limit: Limit },
    /// Whether the side to move mates by checks.
    Mate { id: u64, line: MoveLine, seconds: f64 },
    /// The best defence of the side to move against mates by checks.
    Defend { id: u64, line: MoveLine },
    /// Why a move in USI is bad, or good.
    Why {
        id: u64,
        line: MoveLine,
        #[serde(rename = "move")]
        mv: String,
        good: bool,
    },
    /// The rule that a move in USI breaks.
    Rule {
        id: u64,
        line: MoveLine,
        #[serde(rename = "move")]
        mv: String,
    },
    /// All games of a file. `bytes` has a letter from U+0000 to U+00FF for each byte.
    Read { id: u64, name: String, bytes: String },
    /// The record as a file with this extension.
    Write { id: u64, extension: String, record: Box<Record> },
    /// The end of the search.
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strength {
    /// As the option `SkillLevel`.
    pub(crate) level: u32,
    /// One number for each game.
    pub(crate) seed: u64,
}

/// Milliseconds for a move of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Time {
    /// The clocks of both players.
    Clock { black: u64, white: u64, byoyomi: u64, increment: u64 },
    /// The same time for every move.
    Move(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Limit {
    /// Only by the next request for a search.
    None,
    Milliseconds(u64),
    Nodes(u64),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(crate) enum TabReply {
    /// The facts about a position.
    Position { id: u64, position: Box<PositionFacts> },
    /// One of the best lines of a search that goes on.
    Line { id: u64, line: EngineLine },
    /// The end of a search, or a move of the book.
    Answer {
        id: u64,
        action: EngineAction,
        mv: Option<NamedMove>,
        /// Of a book only if it has one.
        value: Option<ScoreValue>,
        nodes: u64,
        book: bool,
    },
    /// The verdict on a mating problem.
    Mate { id: u64, verdict: MateVerdict, moves: Vec<NamedMove>, nodes: u64 },
    /// The answer to the move of a mating problem.
    Defence { id: u64, defence: MateDefence },
    /// The game of a record; of several games the first. `rest`: why it could not be read to its end.
    Record { record: Box<Record>, games: usize, rest: Option<Refusal> },
    /// The games of a file, and why others cannot be read.
    Games { id: u64, records: Vec<Record>, refused: Vec<Refusal> },
    /// Why a move is bad, or good.
    Reason { id: u64, of: NamedMove, reason: ToldReason },
    /// The name of the broken rule; `None` for a legal move.
    Rule { id: u64, rule: Option<&'static str> },
    /// A record as the bytes of a file, each a letter from U+0000 to U+00FF; what the form cannot
    /// hold; and the letters that its encoding lacks.
    File { id: u64, bytes: String, lost: Vec<String>, letters: String },
    /// Why a request cannot be answered. Without a number for messages that have none, and for
    /// records.
    Error {
        id: Option<u64>,
        #[serde(flatten)]
        refusal: Refusal,
    },
}

/// One of the best lines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct EngineLine {
    /// From 1.
    pub(crate) rank: usize,
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// From Black's view.
    pub(crate) value: ScoreValue,
    /// `lower` or `upper` from Black's view if the value is a bound.
    pub(crate) bound: Option<&'static str>,
    pub(crate) moves: Vec<NamedMove>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EngineAction {
    Move,
    /// It declares the win of an entered king.
    Win,
    /// It has no move.
    Resign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MateVerdict {
    Mate,
    NoMate,
    Unknown,
}

/// What the defender of a mating problem does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum MateDefence {
    /// Nothing: it is mate.
    Mated,
    /// The longest defence: the mate takes `plies` more plies after it.
    Reply { mv: NamedMove, plies: usize },
    /// The move was no check, or this move refutes it.
    Refuted { mv: Option<NamedMove> },
    /// The time was too short to know.
    Unknown,
}
