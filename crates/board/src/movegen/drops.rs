//! Drops, and the rule that a pawn drop must not mate.

use super::sink::MoveSink;
use crate::side::Side;
use crate::tables::ray::line;
use crate::tables::step::{king_steps, steps_of};
use crate::{Bitboard, PieceKind, Position, Sq};

impl Position {
    /// All legal drops onto `targets`, which are empty squares.
    #[inline(always)]
    pub(super) fn generate_drops<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink) {
        let hand = self.hand(S::COLOR);
        if hand.is_empty() || targets.is_empty() {
            return;
        }
        if hand.count(PieceKind::Pawn) > 0 {
            sink.drops(PieceKind::Pawn, self.pawn_drop_targets::<S>(targets));
        }
        if hand.count(PieceKind::Lance) > 0 {
            sink.drops(PieceKind::Lance, targets - S::LAST_RANK);
        }
        if hand.count(PieceKind::Knight) > 0 {
            sink.drops(PieceKind::Knight, targets - S::LAST_TWO_RANKS);
        }
        for kind in [PieceKind::Silver, PieceKind::Gold, PieceKind::Bishop, PieceKind::Rook] {
            if hand.count(kind) > 0 {
                sink.drops(kind, targets);
            }
        }
    }

    /// Of `targets`, the squares where a pawn may be dropped.
    #[inline(always)]
    pub(crate) fn pawn_drop_targets<S: Side>(&self, targets: Bitboard) -> Bitboard {
        let own = self.kind_of(PieceKind::Pawn, S::COLOR);
        let mut to = targets - own.files() - S::LAST_RANK;
        // Only the square before the enemy king can give mate.
        let head = steps_of(PieceKind::Pawn, S::Opponent::COLOR, self.king(S::Opponent::COLOR)) & to;
        if let Some(sq) = head.first()
            && self.pawn_drop_mates::<S>(sq)
        {
            to ^= head;
        }
        to
    }

    /// Whether a pawn dropped on `to`, right before the enemy king, leaves it without a legal answer.
    #[cold]
    fn pawn_drop_mates<S: Side>(&self, to: Sq) -> bool {
        let (us, them) = (S::COLOR, S::Opponent::COLOR);
        let king = self.king(them);
        let occupied = self.occupied() | Bitboard::of(to);
        // Can the king step away or take the pawn?
        let without_king = occupied ^ Bitboard::of(king);
        for escape in king_steps(king) - self.pieces_of(them) {
            let attackers = self.attackers(escape, without_king) & self.pieces_of(us);
            if (attackers - Bitboard::of(escape)).is_empty() {
                return false;
            }
        }
        // Can another piece take it? The pawn itself may have ended a pin, so pins are looked for with it on the board.
        let takers = (self.attackers(to, occupied) & self.pieces_of(them)) - Bitboard::of(king);
        let pinned = self.blockers(king, us, occupied);
        takers.into_iter().all(|taker| pinned.contains(taker) && !line(king, taker).contains(to))
    }
}
