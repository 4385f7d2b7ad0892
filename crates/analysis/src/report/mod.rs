//! What was found about one game. As JSON its keys are documented in docs/analyze.md.

mod build;
mod notation;

use std::collections::BTreeMap;

use kiki_play::clock::TimeControl;
use kiki_record::GameOutcome;
use serde::Serialize;

use crate::answer::LineBound;
use crate::judgement::{Mark, SideSummary, Thresholds, Unjudged};

pub use build::{ReportSettings, build};

/// The kind of file, in its first key.
pub const FORMAT: &str = "kiki-analysis";
/// The version of the keys; a key that changes its meaning or goes raises it.
pub const VERSION: u32 = 1;

/// A game with what engines say about its positions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameReport {
    /// [`FORMAT`].
    pub format: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// Whether all positions were searched by all engines.
    pub complete: bool,
    /// The game.
    pub game: GameFacts,
    /// How many lines each engine was asked for.
    pub lines: usize,
    /// Scale and thresholds of the judgement.
    pub thresholds: Thresholds,
    /// The engines.
    pub engines: Vec<EngineFacts>,
    /// The position before each move, and the last one.
    pub positions: Vec<PositionReport>,
    /// For each engine.
    pub summary: Vec<EngineSummary>,
}

/// What is known about the game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it; docs/analyze.md tells more")]
pub struct GameFacts {
    pub name: String,
    pub black: String,
    pub white: String,
    pub event: String,
    pub start_time: String,
    pub outcome: Option<GameOutcome>,
    /// In the words of [`kiki_record::EndReason`].
    pub reason: Option<&'static str>,
    pub remark: String,
    /// The SFEN of the first position.
    pub start: String,
    pub moves: Vec<String>,
    pub moves_japanese: Vec<String>,
    pub moves_western: Vec<String>,
}

/// An engine that was asked.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineFacts {
    /// Its name in this analysis.
    pub name: String,
    /// `id name`.
    pub id: String,
    /// `id author`.
    pub author: String,
    /// What limited each search.
    pub limit: TimeControl,
    /// The same for people.
    pub limit_text: String,
    /// Options that were set.
    pub options: BTreeMap<String, String>,
}

/// One position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PositionReport {
    /// So many moves were played before.
    pub ply: usize,
    /// With the number of its move as the game counts it.
    pub sfen: String,
    /// `black` or `white`.
    pub turn: &'static str,
    /// Whether the side to move is in check.
    pub in_check: bool,
    /// How many there are.
    pub legal_moves: usize,
    /// The move that was played; `None` in the last position.
    pub played: Option<PlayedReport>,
    /// What each engine says, in their order; `None` for what was not searched.
    pub searches: Vec<Option<SearchReport>>,
}

/// A played move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayedReport {
    /// In USI.
    #[serde(rename = "move")]
    pub mv: String,
    /// In Japanese notation.
    pub japanese: String,
    /// In western notation.
    pub western: String,
    /// The time that it took, if the record tells.
    pub milliseconds: Option<u64>,
}

/// What an engine says about a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchReport {
    /// Its move, or `resign` or `win`.
    pub best: String,
    /// The value of the position; `None` if it told none.
    pub value: Option<ValueReport>,
    /// How far the value may be off, in centipawns.
    pub sigma: Option<f64>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// The time of the search.
    pub milliseconds: u64,
    /// The best lines.
    pub lines: Vec<LineReport>,
    /// What became of the played move; `None` in the last position.
    pub played: Option<JudgedReport>,
}

/// A value from both views.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ValueReport {
    /// Centipawns from Black's view; `None` for a mate.
    pub cp_black: Option<i32>,
    /// Centipawns for the side to move; `None` for a mate.
    pub cp_mover: Option<i32>,
    /// Plies to mate for the side to move: positive for a win, negative for a loss.
    pub mate: Option<i32>,
    /// Black's winning probability.
    pub win_black: f64,
}

/// A line of play.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineReport {
    /// The best line is 1.
    pub rank: usize,
    /// The first move in USI.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value.
    #[serde(flatten)]
    pub value: ValueReport,
    /// Whether the value, from Black's view, is a bound.
    pub bound_black: Option<LineBound>,
    /// Plies.
    pub depth: Option<u32>,
    /// Plies of the deepest line.
    pub seldepth: Option<u32>,
    /// Positions searched when the line was told.
    pub nodes: Option<u64>,
    /// The line in USI.
    pub pv: Vec<String>,
    /// The line in Japanese notation.
    pub pv_japanese: Vec<String>,
    /// The line in western notation.
    pub pv_western: Vec<String>,
}

/// Where the value of a played move comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueSource {
    /// It is the first move of one of the lines.
    Line,
    /// It was searched alone.
    Searchmoves,
    /// The value of the next position.
    Next,
    /// It leaves the other side no legal move.
    Checkmate,
}

/// What an engine's values say of a played move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedReport {
    /// Its value; `None` if the engine told none.
    #[serde(flatten)]
    pub value: Option<ValueReport>,
    /// Where the value comes from.
    pub source: Option<ValueSource>,
    /// The rank of its line, if it has one.
    pub rank: Option<usize>,
    /// The winning probability that it has lost; `None` if a value is missing.
    pub loss: Option<f64>,
    /// How bad it was.
    pub mark: Option<Mark>,
    /// Why it is not judged.
    pub unjudged: Option<Unjudged>,
}

/// How both sides played, by the values of one engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineSummary {
    /// The engine's name.
    pub engine: String,
    /// Positions that it searched without telling a value.
    pub without_value: usize,
    /// Black's play.
    pub black: SideSummary,
    /// White's play.
    pub white: SideSummary,
}
