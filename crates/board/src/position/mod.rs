//! A position, the moves that led to it, and everything that is kept up to date while moves are made and taken back.

pub(crate) mod attacks;
mod board;
mod declare;
mod effects;
mod make;
mod repetition;
mod sfen;
mod state;
mod validate;

pub use declare::{DeclarationRule, DeclarationVerdict};
pub use effects::Effects;
pub use make::{Delta, PieceOn};
pub use repetition::{GameRepetition, SearchRepetition};
pub use sfen::SfenError;

use shogi_core::{Color, Piece, PieceKind, Square};

use crate::{Bitboard, Cell, HandCounts, Move, Sq};
use board::Board;
use state::{StateFields, StateStack};

/// A shogi position with its history.
///
/// Kept up to date by [`Position::make`] and [`Position::unmake`]: the board as cells and as bitboards, the hands, Zobrist keys of
/// board and hands, for each square how many pieces of each side attack it ([`Effects`]), and what repetition needs.
/// A side may lack its king (as the attacker does in mating problems).
#[derive(Clone)]
pub struct Position {
    board: Board,
    side: Color,
    /// The move number of the SFEN.
    first_ply: u32,
    /// Effects, hands, kings and keys of this position and of those before it.
    states: StateStack,
}

impl Position {
    /// The side to move.
    #[must_use]
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// The number of the move to be played, as an SFEN counts it (the first move of a game is 1).
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.first_ply + self.moves_made() as u32
    }

    /// What stands on a square.
    #[must_use]
    #[inline(always)]
    pub fn cell(&self, sq: Sq) -> Cell {
        self.board.cells[sq.index()]
    }

    /// What stands on all squares, by [`Sq::index`].
    #[must_use]
    #[inline(always)]
    pub fn cells(&self) -> &[Cell; Sq::COUNT] {
        &self.board.cells
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.cell(square.into()).piece()
    }

    /// The hand of a colour.
    #[must_use]
    #[inline(always)]
    pub fn hand(&self, color: Color) -> HandCounts {
        self.state().hands[color]
    }

    /// The square of a king, [`Sq::NONE`] for a side without one.
    #[must_use]
    #[inline(always)]
    pub fn king(&self, color: Color) -> Sq {
        self.state().kings[color]
    }

    /// All pieces.
    #[must_use]
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// The pieces of a colour.
    #[must_use]
    #[inline(always)]
    pub fn pieces_of(&self, color: Color) -> Bitboard {
        self.board.by_color[color]
    }

    /// The pieces of a kind, both colours.
    #[must_use]
    #[inline(always)]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.board.by_kind[kind]
    }

    /// How many pieces of each side attack each square.
    #[must_use]
    #[inline(always)]
    pub fn effects(&self) -> &Effects {
        &self.states.current().effects
    }

    /// The Zobrist key of board, hands and side to move.
    #[must_use]
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.state().board_key ^ self.state().hand_key
    }

    /// The Zobrist key of the board and the side to move, without the hands.
    #[must_use]
    #[inline(always)]
    pub fn board_key(&self) -> u64 {
        self.state().board_key
    }

    /// The Zobrist key of the hands alone.
    #[must_use]
    #[inline(always)]
    pub fn hand_key(&self) -> u64 {
        self.state().hand_key
    }

    /// Whether the side to move is in check.
    #[must_use]
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.states.current().in_check(self.side)
    }

    /// The number of moves made since the position was set up.
    #[must_use]
    pub fn moves_made(&self) -> usize {
        self.states.moves()
    }

    /// The last move made: `None` at the start, [`Move::NONE`] after a null move.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        (self.moves_made() > 0).then(|| self.state().mv)
    }

    #[inline(always)]
    fn state(&self) -> &StateFields {
        &self.states.current().fields
    }

    /// The pieces that move like gold.
    #[inline(always)]
    pub(crate) fn golds(&self) -> Bitboard {
        self.board.by_kind[PieceKind::Gold]
            | self.board.by_kind[PieceKind::ProPawn]
            | self.board.by_kind[PieceKind::ProLance]
            | self.board.by_kind[PieceKind::ProKnight]
            | self.board.by_kind[PieceKind::ProSilver]
    }

    /// Bishops and horses.
    #[inline(always)]
    pub(crate) fn diagonal_sliders(&self) -> Bitboard {
        self.board.diagonal_sliders()
    }

    /// Rooks and dragons.
    #[inline(always)]
    pub(crate) fn orthogonal_sliders(&self) -> Bitboard {
        self.board.orthogonal_sliders()
    }

    /// The pieces of a kind and a colour.
    #[inline(always)]
    pub(crate) fn kind_of(&self, kind: PieceKind, color: Color) -> Bitboard {
        self.board.by_kind[kind] & self.board.by_color[color]
    }
}
