//! Drops, and the rule that a pawn drop must not mate.

use super::Sink;
use crate::cell::kind;
use crate::side::Side;
use crate::tables::ray::line;
use crate::tables::step::{king_steps, steps_of};
use crate::{Bitboard, Position, Sq};

impl Position {
    /// All legal drops onto `targets`, which are empty squares.
    #[inline(always)]
    pub(super) fn generate_drops<S: Side>(&self, targets: Bitboard, sink: &mut impl Sink) {
        let hand = self.hand(S::INDEX);
        if hand.is_empty() || targets.is_empty() {
            return;
        }
        if hand.count_index(kind::PAWN) > 0 {
            sink.drops(kind::PAWN, self.pawn_drop_targets::<S>(targets));
        }
        if hand.count_index(kind::LANCE) > 0 {
            sink.drops(kind::LANCE, targets - S::LAST_RANK);
        }
        if hand.count_index(kind::KNIGHT) > 0 {
            sink.drops(kind::KNIGHT, targets - S::LAST_TWO_RANKS);
        }
        for kind in kind::SILVER..=kind::ROOK {
            if hand.count_index(kind) > 0 {
                sink.drops(kind, targets);
            }
        }
    }

    /// Of `targets`, the squares where a pawn may be dropped.
    #[inline(always)]
    pub(crate) fn pawn_drop_targets<S: Side>(&self, targets: Bitboard) -> Bitboard {
        let own = self.kind_of(kind::PAWN, S::INDEX);
        let mut to = targets - own.files() - S::LAST_RANK;
        // Only the square before the enemy king can give mate.
        let head = steps_of(kind::PAWN, 1 - S::INDEX, self.king(1 - S::INDEX)) & to;
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
        let (us, them) = (S::INDEX, 1 - S::INDEX);
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
        let pinned = self.shields(king, us, occupied);
        takers.into_iter().all(|taker| pinned.contains(taker) && !line(king, taker).contains(to))
    }
}
