//! A hand in 32 bits, so that two hands are compared by one subtraction.

use shogi_core::{Hand, PieceKind};

use crate::cell::kind;

/// By hand kind number (1 pawn to 7 rook): lowest bit of its field.
const SHIFT: [u32; 8] = [0, 0, 6, 10, 14, 18, 22, 25];
/// By hand kind number: the field's bits, without the guard bit above it.
const MASK: [u32; 8] = [0, 31, 7, 7, 7, 7, 3, 3];
/// The guard bits: one above each field, always zero, where a subtraction borrows.
const GUARDS: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 21 | 1 << 24 | 1 << 27;

/// How many pieces of each kind a player holds in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct HandCounts(u32);

impl HandCounts {
    /// Nothing in hand.
    pub const NONE: Self = Self(0);

    /// The number of pieces of a kind number, 1 (pawn) to 7 (rook).
    #[must_use]
    #[inline(always)]
    pub const fn count_index(self, kind: usize) -> usize {
        (self.0 >> SHIFT[kind & 7] & MASK[kind & 7]) as usize
    }

    /// The number of pieces of a kind; 0 for a kind that is never held.
    #[must_use]
    pub const fn count(self, kind: PieceKind) -> usize {
        let kind = kind as usize;
        if kind <= kind::ROOK { self.count_index(kind) } else { 0 }
    }

    /// Whether no piece is held.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every kind is held at least as often as in `other`.
    #[must_use]
    #[inline(always)]
    pub const fn covers(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) & GUARDS == 0
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, kind: usize) {
        self.0 += 1 << SHIFT[kind & 7];
        debug_assert!(self.0 & GUARDS == 0);
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, kind: usize) {
        debug_assert!(self.count_index(kind) > 0);
        self.0 -= 1 << SHIFT[kind & 7];
    }
}

impl From<HandCounts> for Hand {
    fn from(counts: HandCounts) -> Self {
        let mut hand = Self::new();
        for kind in Self::all_hand_pieces() {
            for _ in 0..counts.count(kind) {
                hand = hand.added(kind).unwrap_or(hand);
            }
        }
        hand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_compares_every_kind_on_its_own() {
        let hand = |counts: [usize; 8]| {
            let mut hand = HandCounts::default();
            for (kind, count) in counts.into_iter().enumerate() {
                (0..count).for_each(|_| hand.add(kind));
            }
            hand
        };
        let full = hand([0, 18, 4, 4, 4, 4, 2, 2]);
        assert!(full.covers(HandCounts::default()));
        assert!(full.covers(full));
        assert!(!HandCounts::default().covers(full));
        for kind in 1..8 {
            let mut one = [0; 8];
            one[kind] = 1;
            let mut all_others = [0, 18, 4, 4, 4, 4, 2, 2];
            all_others[kind] = 0;
            assert!(full.covers(hand(one)));
            assert!(!hand(all_others).covers(hand(one)), "kind {kind} is not made up for by others");
            assert_eq!(full.count_index(kind), [0, 18, 4, 4, 4, 4, 2, 2][kind]);
        }
    }
}
