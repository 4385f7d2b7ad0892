//! The position that a game of KIF starts from: a handicap by its name, or a board.

use kiki_board::{Color, Position, excerpt};

use super::board::{hand_of, read_hand, read_rank};
use crate::diagram::Diagram;
use crate::error::ReadProblem;
use crate::handicap;
use crate::header::{HANDICAP, OTHER_HANDICAP};

/// The name of the field for the side to move.
const TURN: &str = "手番";

/// Whether a field tells the start position.
pub(super) fn is_of_position(name: &str) -> bool {
    name == HANDICAP || name == TURN || hand_of(name).is_some()
}

/// Collects the lines about the start position.
pub(super) struct Setup {
    diagram: Diagram,
    /// How many ranks of the board were read.
    ranks: usize,
    handicap: Option<String>,
    has_side: bool,
}

impl Setup {
    pub(super) fn new() -> Self {
        Self { diagram: Diagram::empty(), ranks: 0, handicap: None, has_side: false }
    }

    pub(super) fn set_handicap(&mut self, name: &str) {
        self.handicap = Some(name.to_owned());
    }

    /// Whether there is a board, or a part of one.
    pub(super) fn has_board(&self) -> bool {
        self.ranks > 0
    }

    pub(super) fn set_side(&mut self, side: Color) {
        (self.diagram.side, self.has_side) = (side, true);
    }

    /// Sets how many moves were made before the board.
    pub(super) fn set_move_count(&mut self, count: u32) {
        self.diagram.ply = count.saturating_add(1);
    }

    pub(super) fn add_rank(&mut self, line: &str) -> Result<(), ReadProblem> {
        let read = (self.ranks < 9).then(|| read_rank(&mut self.diagram, self.ranks, line)).flatten();
        self.ranks += 1;
        read.ok_or_else(|| ReadProblem::malformed(line, "one of nine ranks of nine squares, like |v香 ・ 歩 ..|"))
    }

    /// Reads a field about a hand or the side to move; returns whether it is one.
    pub(super) fn read_field(&mut self, name: &str, value: &str) -> Result<bool, ReadProblem> {
        if name == TURN {
            self.set_side(if value.starts_with(['後', '上']) { Color::White } else { Color::Black });
            return Ok(true);
        }
        let Some(side) = hand_of(name) else { return Ok(false) };
        let read = read_hand(&mut self.diagram, side, value);
        read.map(|()| true).ok_or_else(|| ReadProblem::malformed(value, "a hand like 飛　金二　歩十八 or なし"))
    }

    /// The position, and its SFEN unless it is the start of a game. `next` is what follows it in the record.
    pub(super) fn position(&self, next: &str) -> Result<(Position, Option<String>), ReadProblem> {
        let problem = |reason| ReadProblem::Position { token: excerpt(next), reason };
        let root = if self.ranks > 0 {
            if self.ranks != 9 {
                return Err(ReadProblem::malformed(next, "the rest of a board of nine ranks"));
            }
            handicap::root_of(self.diagram.sfen())
        } else {
            self.handicap_root()?
        };
        let position =
            root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_diagram).map_err(problem)?;
        Ok((position, root))
    }

    fn handicap_root(&self) -> Result<Option<String>, ReadProblem> {
        let Some(name) = &self.handicap else { return Ok(None) };
        if name == OTHER_HANDICAP {
            return Err(ReadProblem::malformed(name, "a handicap that needs no board; there is none"));
        }
        let known = handicap::root_of_name(name);
        let root =
            known.ok_or_else(|| ReadProblem::malformed(name, "a handicap that is known, and there is no board"))?;
        // A handicap game that the weaker side begins.
        let black_begins = self.has_side && self.diagram.side == Color::Black;
        Ok(root.map(|sfen| if black_begins { sfen.replace(" w ", " b ") } else { sfen }))
    }
}
