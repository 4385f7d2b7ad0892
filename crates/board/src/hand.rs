//! A hand in 32 bits, so that two hands are compared kind by kind with one subtraction.

use bytemuck::Zeroable;
use shogi_core::{Hand, PieceKind};

use crate::piece::{ByKind, HAND_KINDS};

/// The lowest bit of a kind's field.
const SHIFT: ByKind<u32> = ByKind::new(0, [0, 6, 10, 14, 18, 22, 25, 0, 0, 0, 0, 0, 0, 0]);
/// The bits of a kind's field, shifted down, without the guard bit above it; 0 for a kind that is
/// never held.
const MASK: ByKind<u32> = ByKind::new(0, [31, 7, 7, 7, 7, 3, 3, 0, 0, 0, 0, 0, 0, 0]);
/// Guard bits of the fields of 5, 3 and 2 bits. A guard bit lies above its field, is zero in a
/// hand, and lends to a subtraction.
const GUARDS_5: u32 = 1 << 5;
const GUARDS_3: u32 = 1 << 9 | 1 << 13 | 1 << 17 | 1 << 21;
const GUARDS_2: u32 = 1 << 24 | 1 << 27;
const GUARDS: u32 = GUARDS_5 | GUARDS_3 | GUARDS_2;
/// One piece of each kind.
const ONES: u32 = 1 | 1 << 6 | 1 << 10 | 1 << 14 | 1 << 18 | 1 << 22 | 1 << 25;

/// How many pieces of each kind a player holds in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Zeroable)]
#[repr(transparent)]
pub struct HandCounts(u32);

impl HandCounts {
    /// Nothing in hand.
    pub const NONE: Self = Self(0);

    /// The number of pieces of a kind; 0 for a kind that is never held.
    #[must_use]
    #[inline(always)]
    pub const fn count(self, kind: PieceKind) -> usize {
        (self.0 >> SHIFT.get(kind) & MASK.get(kind)) as usize
    }

    /// Whether no piece is held.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The counts as one number; equal hands have equal numbers.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether every kind is held at least as often as in `other`.
    #[must_use]
    #[inline(always)]
    pub const fn covers(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) & GUARDS == 0
    }

    /// The hand with one more piece of a kind that can be held.
    #[must_use]
    #[inline(always)]
    pub const fn with(self, kind: PieceKind) -> Self {
        debug_assert!(MASK.get(kind) != 0);
        let more = Self(self.0 + (1 << SHIFT.get(kind)));
        debug_assert!(more.0 & GUARDS == 0);
        more
    }

    /// The hand with one piece of a kind less; the same hand if it holds none.
    #[must_use]
    #[inline(always)]
    pub const fn without(self, kind: PieceKind) -> Self {
        if self.count(kind) == 0 { self } else { Self(self.0 - (1 << SHIFT.get(kind))) }
    }

    /// The pieces of both hands, which together must not exceed a full set.
    #[must_use]
    #[inline(always)]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// For each kind, the smaller of two counts.
    #[must_use]
    #[inline(always)]
    pub const fn min(self, other: Self) -> Self {
        let greater = self.not_less(other);
        Self(self.0 & !greater | other.0 & greater)
    }

    /// For each kind, the larger of two counts.
    #[must_use]
    #[inline(always)]
    pub const fn max(self, other: Self) -> Self {
        let greater = self.not_less(other);
        Self(self.0 & greater | other.0 & !greater)
    }

    /// The pieces of the kinds that `other` holds too.
    #[must_use]
    #[inline(always)]
    pub const fn of_kinds_in(self, other: Self) -> Self {
        Self(self.0 & other.not_less(Self(ONES)))
    }

    /// The pieces of the kinds that `other` does not hold.
    #[must_use]
    #[inline(always)]
    pub const fn of_kinds_missing_in(self, other: Self) -> Self {
        Self(self.0 & !other.not_less(Self(ONES)))
    }

    /// All field bits of the kinds where this hand holds at least as many pieces as `other`.
    #[inline(always)]
    const fn not_less(self, other: Self) -> u32 {
        let guards = ((self.0 | GUARDS) - other.0) & GUARDS;
        // A guard bit minus the lowest bit of its field is the whole field.
        guards - ((guards & GUARDS_5) >> 5 | (guards & GUARDS_3) >> 3 | (guards & GUARDS_2) >> 2)
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, kind: PieceKind) {
        debug_assert!(self.count(kind) > 0);
        self.0 -= 1 << SHIFT.get(kind);
    }
}

impl From<HandCounts> for Hand {
    fn from(counts: HandCounts) -> Self {
        let mut hand = Self::new();
        for kind in HAND_KINDS {
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
    use crate::piece::pieces_in_set;

    fn hand(count: impl Fn(PieceKind) -> usize) -> HandCounts {
        let copies = HAND_KINDS.into_iter().flat_map(|kind| std::iter::repeat_n(kind, count(kind)));
        copies.fold(HandCounts::NONE, HandCounts::with)
    }

    /// All hands of up to two pieces of each kind, with their counts in the order of
    /// [`HAND_KINDS`].
    fn small_hands() -> impl Iterator<Item = ([usize; 7], HandCounts)> {
        (0..3_usize.pow(7)).map(|code| {
            let counts: [usize; 7] = std::array::from_fn(|place| code / 3_usize.pow(place as u32) % 3);
            (counts, hand(|kind| counts[kind.array_index()]))
        })
    }

    #[test]
    fn two_hands_are_combined_kind_by_kind() {
        let all: Vec<_> = small_hands().collect();
        for (a_counts, a) in all.iter().step_by(7) {
            for (b_counts, b) in all.iter().step_by(11) {
                for (kind, (&a_count, &b_count)) in HAND_KINDS.into_iter().zip(a_counts.iter().zip(b_counts)) {
                    assert_eq!(a.min(*b).count(kind), a_count.min(b_count));
                    assert_eq!(a.max(*b).count(kind), a_count.max(b_count));
                    let (inside, missing) = if b_count > 0 { (a_count, 0) } else { (0, a_count) };
                    assert_eq!(a.of_kinds_in(*b).count(kind), inside);
                    assert_eq!(a.of_kinds_missing_in(*b).count(kind), missing);
                }
                assert_eq!(a.covers(*b), a_counts.iter().zip(b_counts).all(|(a, b)| a >= b));
            }
        }
    }

    #[test]
    fn full_counts_fit() {
        let full = hand(pieces_in_set);
        for kind in HAND_KINDS {
            assert_eq!(full.count(kind), pieces_in_set(kind));
            assert_eq!(full.without(kind).count(kind), pieces_in_set(kind) - 1);
            assert_eq!(HandCounts::NONE.without(kind), HandCounts::NONE);
        }
        assert!(full.covers(full) && full.covers(HandCounts::NONE) && !HandCounts::NONE.covers(full));
        assert_eq!(full.count(PieceKind::ProPawn), 0);
        assert_eq!(full.min(HandCounts::NONE), HandCounts::NONE);
        assert_eq!(HandCounts::NONE.max(full), full);
        assert_eq!(full.without(PieceKind::Rook).plus(hand(|kind| usize::from(kind == PieceKind::Rook))), full);
    }
}
