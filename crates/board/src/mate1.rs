//! Mate in one.

use crate::checks::CheckInfo;
use crate::movegen::PromotionChoice;
use crate::squares::{Side, for_side};
use crate::tables::{attacks, king_steps};
use crate::{Bitboard, Color, Move, MoveList, PieceKind, Position, Sq, opponent};

impl Position {
    /// A move that mates at once, if there is one.
    ///
    /// The search is exact: a mate is a legal move that gives check and leaves the opponent without
    /// a legal move, interpositions of every kind included. A pawn drop that mates is not legal.
    /// The side to move may itself be in check.
    ///
    /// Most checks are ruled out by the effect counts around the king; the remaining ones are made,
    /// and the evasions counted.
    #[must_use]
    pub fn mate_in_one(&mut self) -> Option<Move> {
        let info = CheckInfo::new(self);
        self.find_mate_in_one(&info, &mut MoveList::new())
    }

    /// Like [`Position::mate_in_one`], for callers that have a [`CheckInfo`] of this position and a
    /// move list. Leaves the list as it was.
    #[must_use]
    pub fn find_mate_in_one(&mut self, info: &CheckInfo, list: &mut MoveList) -> Option<Move> {
        let start = list.len();
        let mate = for_side!(self.side_to_move(), S => self.mate_in_one_for::<S>(info, list));
        list.truncate(start);
        mate
    }

    /// Whether the opponent attacks a square next to a side's king. If not, hardly any single move
    /// mates: the king captures a piece that checks from an adjacent square.
    ///
    /// ```
    /// let position = kiki_board::Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 w - 1")?;
    /// assert_eq!(kiki_board::COLORS.map(|color| position.is_king_approached(color)), [false, true]);
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn is_king_approached(&self, color: Color) -> bool {
        king_steps(self.king(color)).intersects(self.effects().attacked(opponent(color)))
    }

    fn mate_in_one_for<S: Side>(&mut self, info: &CheckInfo, list: &mut MoveList) -> Option<Move> {
        let king = self.king(S::Opponent::COLOR);
        if king == Sq::NONE {
            return None;
        }
        let flights = self.open_flights::<S>(king);
        let start = list.len();
        self.all_checks(list, info, PromotionChoice::Sensible);
        list[start..]
            .iter()
            .copied()
            .find(|&mv| !self.refuted_by_effects::<S>(mv, king, flights) && self.mates::<S>(mv))
    }

    /// The squares next to `king` that neither its own pieces occupy nor this side attacks.
    #[inline]
    fn open_flights<S: Side>(&self, king: Sq) -> Bitboard {
        king_steps(king) - self.pieces_of(S::Opponent::COLOR) - self.effects().attacked(S::COLOR)
    }

    /// Whether the effect counts show that the king can answer a check. Never true for a mate.
    #[inline]
    fn refuted_by_effects<S: Side>(&self, mv: Move, king: Sq, flights: Bitboard) -> bool {
        let (us, to) = (S::COLOR, mv.to());
        // A slider behind the moving piece reaches further after the move. The counts do not show
        // that.
        if !mv.is_drop() && self.effects().attacks(us, mv.from()) {
            return false;
        }
        let own_effect = if mv.is_drop() { 0 } else { 1 };
        let adjacent = king_steps(king).contains(to);
        if adjacent && self.effects().count(us, to) <= own_effect {
            // It is not protected: the king captures it.
            return true;
        }
        let arriving = self.arriving(mv);
        let without_king = (self.occupied() | Bitboard::of(to)) - Bitboard::of(king);
        let covered = attacks(arriving, to, without_king) | Bitboard::of(to);
        (flights - covered).any()
    }

    #[inline]
    fn mates<S: Side>(&mut self, mv: Move) -> bool {
        debug_assert!(mv.dropped_kind() != Some(PieceKind::Pawn) || self.is_legal(mv));
        self.make(mv);
        let mate = self.has_no_evasion::<S::Opponent>();
        self.unmake();
        mate
    }
}
