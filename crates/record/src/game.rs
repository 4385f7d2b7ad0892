//! A game as stored in a record, and the positions and times along its moves.

use std::collections::BTreeMap;

use kiki_board::{Move, Position, SfenError};

use crate::ScoreValue;
use crate::ending::{EndReason, Ending, GameOutcome};
use crate::error::WriteError;

/// A game and its result. Unknown texts are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// The name of Black, who moves first except in handicap games.
    pub black: String,
    /// The name of White.
    pub white: String,
    /// The tournament or match.
    pub event: String,
    /// Where it was played.
    pub site: String,
    /// When it began, as CSA writes it: `2026/01/31 09:30:00`, or the date alone.
    pub start_time: String,
    /// The time control, in the words of the match's rules. CSA's form is `00:15+10`: hours,
    /// minutes, and seconds of byoyomi.
    pub time_control: String,
    /// Other fields before the moves, by CSA's keyword if there is one (`END_TIME`, `OPENING`,
    /// `NOTE`, `MAX_MOVES`), else by the word of the record. A value may have several lines.
    pub fields: BTreeMap<String, String>,
    /// A comment before the first move. It may have several lines. A line that begins with `&` is a
    /// bookmark. Any other line whose text begins with `&` has a blank before it.
    pub comment: String,
    /// The start position, as SFEN without the word `sfen`. `None` for the initial position of
    /// shogi. Problems may have pieces that can never move: see [`Position::from_diagram`].
    pub root: Option<String>,
    /// The moves, all legal. The remark names an illegal move that ended the game.
    pub moves: Vec<PlayedMove>,
    /// Variations of the game, in the order in which they branch off.
    pub variations: Vec<Variation>,
    /// Who won.
    pub outcome: GameOutcome,
    /// Why the game ended. `None` if unknown.
    pub reason: Option<EndReason>,
    /// More about the end, for people.
    pub remark: String,
    /// The time spent before the end, in milliseconds, as for a move: before a resignation, for
    /// instance.
    pub ending_time_ms: Option<u64>,
    /// Whether the record stops without an end in a position without legal moves. Then the board
    /// determines outcome and reason, and writers write no end either.
    pub stops_without_end: bool,
}

impl Game {
    /// The end as a record of the game states it.
    #[must_use]
    pub fn stated_ending(&self) -> Ending {
        if self.stops_without_end {
            return Ending::default();
        }
        let remark = self.remark.clone();
        Ending { outcome: self.outcome, reason: self.reason, remark, time_ms: self.ending_time_ms }
    }

    /// Sets the end that a record states. A game without a stated end is lost if no move is legal
    /// in its last position.
    pub(crate) fn end(&mut self, told: Ending, position: &Position) {
        self.stops_without_end = !told.is_known() && position.count_legal_moves() == 0;
        Ending { outcome: self.outcome, reason: self.reason, remark: self.remark, time_ms: self.ending_time_ms } = told;
        if self.stops_without_end {
            (self.outcome, self.reason) = (EndReason::Checkmate.outcome(position), Some(EndReason::Checkmate));
        }
    }
}

/// A move and its player's data on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The time spent on it, in milliseconds.
    pub time_ms: Option<u64>,
    /// The score, from the view of the player who made the move. (Files hold it from Black's view.)
    pub score: Option<ScoreValue>,
    /// The depth of the search in plies.
    pub depth: Option<u32>,
    /// The number of positions searched.
    pub nodes: Option<u64>,
    /// The principal variation: the moves expected after this one. Empty if unknown.
    pub pv: Vec<Move>,
    /// A comment on the move or on the position after it, like [`Game::comment`].
    pub comment: String,
}

/// Deepest nesting of variations. Deeper ones come from broken files and could exhaust the stack.
pub(crate) const DEEPEST_VARIATION: usize = 100;
/// What errors expect instead of a deeper variation.
pub(crate) const NESTED: &str = "a variation that is nested less than 100 deep";

/// Moves that might have been played instead of those of the line that they branch off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// Number of moves of the line before the variation.
    pub after: usize,
    /// Its moves. There is at least one, unless the variation ends at once.
    pub moves: Vec<PlayedMove>,
    /// Variations of these moves, in the order in which they branch off.
    pub variations: Vec<Variation>,
    /// How it ends.
    pub ending: Ending,
}

/// A move without any data.
impl From<Move> for PlayedMove {
    fn from(mv: Move) -> Self {
        Self { mv, time_ms: None, score: None, depth: None, nodes: None, pv: Vec::new(), comment: String::new() }
    }
}

/// The position of a root, as in [`Game::root`].
pub(crate) fn position_of(root: Option<&str>) -> Result<Position, SfenError> {
    root.map_or_else(|| Ok(Position::startpos()), Position::from_diagram)
}

/// Calls `each` with the moves of a line up to the first illegal one, each with the position before
/// it.
pub(crate) fn for_each_legal(start: &Position, moves: &[Move], mut each: impl FnMut(&Position, Move)) {
    // Copying a position with its history takes longer than most moves.
    if moves.is_empty() {
        return;
    }
    let mut position = start.clone();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        each(&position, mv);
        position.make(mv);
    }
}

/// A point in a game that is written.
#[derive(Clone)]
pub(crate) struct Cursor {
    pub(crate) position: Position,
    /// The number of moves of the game before it.
    pub(crate) plies: usize,
    /// The time in milliseconds used so far by each player: the first mover, then the other.
    used: [u64; 2],
}

impl Cursor {
    /// The point before the first move.
    pub(crate) fn start(game: &Game) -> Result<Self, WriteError> {
        Ok(Self { position: position_of(game.root.as_deref())?, plies: 0, used: [0; 2] })
    }

    /// Checks the next move of the game.
    pub(crate) fn check(&self, mv: Move) -> Result<(), WriteError> {
        if self.position.is_legal(mv) {
            return Ok(());
        }
        Err(WriteError::IllegalMove { ply: self.plies + 1, mv: mv.to_string(), sfen: self.position.to_sfen() })
    }

    /// Makes a move that was checked. Returns the total time of its player; `None` without a time.
    pub(crate) fn make(&mut self, played: &PlayedMove) -> Option<u64> {
        let used = self.spend(played.time_ms);
        self.position.make(played.mv);
        self.plies += 1;
        used
    }

    /// Adds the time of the next move or of the end. Returns the total time of its player; `None`
    /// without a time.
    pub(crate) fn spend(&mut self, time_ms: Option<u64>) -> Option<u64> {
        let total = self.used.get_mut(self.plies % 2)?;
        *total = total.saturating_add(time_ms?);
        Some(*total)
    }
}
