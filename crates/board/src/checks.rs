//! Moves that give check.

use crate::movegen::{MoveSink, PromotionChoice, dispatch, promoting_only};
use crate::squares::{Side, for_side};
use crate::tables::{
    attacks, between, bishop_attacks, king_steps, lance_attacks, line, rook_attacks, steps_of, two_knight_moves,
    two_steps,
};
use crate::{Bitboard, ByKind, Cell, HAND_KINDS, Move, MoveList, PieceKind, Position, Sq, opponent};

/// Data to decide whether a move of the side to move gives check; computed once per node.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    king: Sq,
    /// By kind: the squares from which a piece of that kind attacks the enemy king.
    squares: ByKind<Bitboard>,
    /// Own pieces that uncover a check when they leave their line to the enemy king.
    discoverers: Bitboard,
}

impl CheckInfo {
    /// For the side to move of a position.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let them = opponent(us);
        let king = position.king(them);
        let occupied = position.occupied();
        let (diagonal, orthogonal) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        // Five kinds move like gold.
        let gold = steps_of(PieceKind::Gold, them, king);
        let mut squares = ByKind::new(Bitboard::EMPTY, [gold; PieceKind::NUM]);
        for kind in [PieceKind::Pawn, PieceKind::Knight, PieceKind::Silver] {
            squares[kind] = steps_of(kind, them, king);
        }
        squares[PieceKind::Lance] = lance_attacks(them, king, occupied);
        squares[PieceKind::Bishop] = diagonal;
        squares[PieceKind::Rook] = orthogonal;
        squares[PieceKind::ProBishop] = diagonal | king_steps(king);
        squares[PieceKind::ProRook] = orthogonal | king_steps(king);
        squares[PieceKind::King] = Bitboard::EMPTY;
        let discoverers = position.blockers(king, us, occupied) & position.pieces_of(us);
        Self { king, squares, discoverers }
    }

    /// The squares where a piece gives check itself.
    #[must_use]
    #[inline(always)]
    pub fn direct(&self, piece: Cell) -> Bitboard {
        self.squares[piece]
    }

    /// Whether the moved piece itself gives check. `arriving` is the piece as it stands after the
    /// move.
    #[must_use]
    #[inline(always)]
    pub fn is_direct(&self, mv: Move, arriving: Cell) -> bool {
        self.direct(arriving).contains(mv.to())
    }

    /// Whether a legal move gives check. `arriving` is the piece as it stands after the move.
    #[must_use]
    #[inline(always)]
    pub fn gives_check(&self, mv: Move, arriving: Cell) -> bool {
        self.is_direct(mv, arriving)
            || (!mv.is_drop() && self.discoverers.contains(mv.from()) && !line(self.king, mv.from()).contains(mv.to()))
    }
}

impl Position {
    /// Adds all legal moves that give check, whether the side to move is itself in check or not.
    ///
    /// ```
    /// use kiki_board::{CheckInfo, PromotionChoice, MoveList, Position};
    ///
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
    /// let mut checks = MoveList::new();
    /// position.all_checks(&mut checks, &CheckInfo::new(&position), PromotionChoice::All);
    /// assert!(checks.iter().any(|mv| mv.to_string() == "G*5b") && checks.iter().all(|&mv| position.gives_check(mv)));
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn all_checks(&self, list: &mut MoveList, info: &CheckInfo, choice: PromotionChoice) {
        dispatch!(self, choice, generate_all_checks(list, info));
    }

    /// The piece that will stand on the destination of a legal move.
    #[must_use]
    #[inline(always)]
    pub fn arriving(&self, mv: Move) -> Cell {
        if mv.is_drop() {
            return mv.dropped_piece(self.side_to_move());
        }
        let cell = self.cell(mv.from());
        if mv.is_promotion() { cell.promoted() } else { cell }
    }

    /// Whether a legal move gives check; for many moves of one node make a [`CheckInfo`].
    #[must_use]
    pub fn gives_check(&self, mv: Move) -> bool {
        CheckInfo::new(self).gives_check(mv, self.arriving(mv))
    }

    #[inline(always)]
    pub(super) fn generate_all_checks<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink, info: &CheckInfo) {
        let king = self.king(S::COLOR);
        let checkers = self.checkers();
        if checkers.several() {
            return self.king_checks::<S>(!self.pieces_of(S::COLOR), sink, info);
        }
        let (targets, blocks) = match checkers.first() {
            Some(checker) => (between(king, checker) | checkers, between(king, checker)),
            None => (!self.pieces_of(S::COLOR), !self.occupied()),
        };
        self.board_checks::<S, ALL>(targets, sink, info);
        if checkers.any() {
            self.king_checks::<S>(!self.pieces_of(S::COLOR) - targets, sink, info);
        }
        self.drop_checks::<S>(blocks, sink, info);
    }

    #[inline(always)]
    fn board_checks<S: Side, const ALL: bool>(&self, targets: Bitboard, sink: &mut impl MoveSink, info: &CheckInfo) {
        let occupied = self.occupied();
        let pinned = self.pinned();
        let own_king = self.king(S::COLOR);
        for from in (self.pieces_of(S::COLOR) & self.possible_checkers(info)) - Bitboard::of(own_king) {
            let cell = self.cell(from);
            let Some(kind) = cell.kind() else { continue };
            let mut to = attacks(cell, from, occupied) & targets;
            if pinned.contains(from) {
                to &= line(own_king, from);
            }
            if to.is_empty() {
                continue;
            }
            let uncovered = if info.discoverers.contains(from) { !line(info.king, from) } else { Bitboard::EMPTY };
            let mut promotions = Bitboard::EMPTY;
            if cell.can_promote() {
                promotions = if S::ZONE.contains(from) { to } else { to & S::ZONE };
                let checks = info.squares[cell.promoted()] | uncovered;
                sink.moves(from, promotions & checks, true);
            }
            let plain = to - promoting_only::<S, ALL>(kind, promotions);
            sink.moves(from, plain & (info.squares[cell] | uncovered), false);
        }
        self.king_checks::<S>(targets, sink, info);
    }

    /// The pieces that might have a move that gives check: pieces that do not slide must be near
    /// the enemy king.
    #[inline(always)]
    fn possible_checkers(&self, info: &CheckInfo) -> Bitboard {
        let kind = |kind| self.pieces(kind);
        let sliders = kind(PieceKind::Lance) | self.diagonal_sliders() | self.orthogonal_sliders();
        let knights = kind(PieceKind::Knight) & two_knight_moves(info.king);
        sliders | knights | two_steps(info.king) | info.discoverers
    }

    /// Discovered checks by king moves to `targets`.
    #[inline(always)]
    fn king_checks<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink, info: &CheckInfo) {
        let king = self.king(S::COLOR);
        if king != Sq::NONE && info.discoverers.contains(king) {
            let to = self.flight_squares::<S>(self.checkers()) & targets;
            sink.moves(king, to - line(info.king, king), false);
        }
    }

    #[inline(always)]
    fn drop_checks<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink, info: &CheckInfo) {
        let hand = self.hand(S::COLOR);
        if hand.is_empty() {
            return;
        }
        if hand.count(PieceKind::Pawn) > 0 {
            let to = targets & info.squares[PieceKind::Pawn];
            if to.any() {
                sink.drops(PieceKind::Pawn, self.pawn_drop_targets::<S>(to));
            }
        }
        let [_, others @ ..] = HAND_KINDS;
        for kind in others {
            if hand.count(kind) > 0 {
                // A lance or knight that can give check can also move on: the king stands before
                // it.
                sink.drops(kind, targets & info.squares[kind]);
            }
        }
    }
}
