//! Hands with the arithmetic that proofs need: the lesser and the greater of two hands kind by kind.

use bytemuck::Zeroable;
use kiki_board::HandCounts;

/// By hand kind number (1 pawn to 7 rook): lowest bit of its field.
const SHIFT: [u32; 8] = [0, 0, 6, 10, 14, 18, 22, 25];
/// By hand kind number: the field's bits, without the guard bit above it.
const MASK: [u32; 8] = [0, 31, 7, 7, 7, 7, 3, 3];
/// The guard bits of the fields of five, three and two bits: one above each field, always zero, where a subtraction borrows.
const GUARDS_5: u32 = 1 << 5;
const GUARDS_3: u32 = 1 << 9 | 1 << 13 | 1 << 17 | 1 << 21;
const GUARDS_2: u32 = 1 << 24 | 1 << 27;
const GUARDS: u32 = GUARDS_5 | GUARDS_3 | GUARDS_2;
/// One piece of each kind.
const ONES: u32 = 1 | 1 << 6 | 1 << 10 | 1 << 14 | 1 << 18 | 1 << 22 | 1 << 25;

/// How many pieces of each kind a player holds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Zeroable)]
pub(crate) struct Hand(u32);

impl Hand {
    pub(crate) const EMPTY: Self = Self(0);

    /// Whether every kind is held at least as often as in `other`.
    #[inline(always)]
    pub(crate) const fn covers(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) & GUARDS == 0
    }

    /// A number that names the hand.
    pub(crate) fn bits(self) -> u64 {
        self.0.into()
    }

    #[inline(always)]
    pub(crate) const fn count(self, kind: usize) -> u32 {
        self.0 >> SHIFT[kind & 7] & MASK[kind & 7]
    }

    /// The hand with one piece more.
    #[inline(always)]
    pub(crate) const fn plus(self, kind: usize) -> Self {
        Self(self.0 + (1 << SHIFT[kind & 7]))
    }

    /// The hand with one piece less, or none of that kind as before.
    #[inline(always)]
    pub(crate) const fn minus(self, kind: usize) -> Self {
        if self.count(kind) == 0 { self } else { Self(self.0 - (1 << SHIFT[kind & 7])) }
    }

    /// Both hands together. They must not hold more than a full set.
    #[inline(always)]
    pub(crate) const fn together(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The lesser count of each kind.
    #[inline(always)]
    pub(crate) const fn least(self, other: Self) -> Self {
        let greater = self.not_less(other);
        Self(self.0 & !greater | other.0 & greater)
    }

    /// The greater count of each kind.
    #[inline(always)]
    pub(crate) const fn greatest(self, other: Self) -> Self {
        let greater = self.not_less(other);
        Self(self.0 & greater | other.0 & !greater)
    }

    /// The counts of the kinds of which `other` holds a piece; none of the others.
    #[inline(always)]
    pub(crate) const fn of_kinds_in(self, other: Self) -> Self {
        Self(self.0 & other.not_less(Self(ONES)))
    }

    /// The counts of the kinds of which `other` holds no piece; none of the others.
    #[inline(always)]
    pub(crate) const fn of_kinds_missing_in(self, other: Self) -> Self {
        Self(self.0 & !other.not_less(Self(ONES)))
    }

    /// All field bits of the kinds of which this hand holds as many as `other` or more.
    #[inline(always)]
    const fn not_less(self, other: Self) -> u32 {
        let guards = ((self.0 | GUARDS) - other.0) & GUARDS;
        // A guard bit minus the lowest bit of its field is the whole field.
        guards - ((guards & GUARDS_5) >> 5 | (guards & GUARDS_3) >> 3 | (guards & GUARDS_2) >> 2)
    }
}

impl From<HandCounts> for Hand {
    #[inline(always)]
    fn from(counts: HandCounts) -> Self {
        Self((1..8).fold(0, |bits, kind| bits | (counts.count_index(kind) as u32) << SHIFT[kind]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All hands of up to two pieces of each kind.
    fn hands() -> impl Iterator<Item = ([u32; 8], Hand)> {
        (0..3_u32.pow(7)).map(|code| {
            let counts: [u32; 8] =
                std::array::from_fn(|kind| if kind == 0 { 0 } else { code / 3_u32.pow(kind as u32 - 1) % 3 });
            let hand = (1..8).fold(Hand::EMPTY, |hand, kind| (0..counts[kind]).fold(hand, |hand, _| hand.plus(kind)));
            (counts, hand)
        })
    }

    #[test]
    fn kinds_are_compared_each_on_its_own() {
        let all: Vec<_> = hands().collect();
        for (a_counts, a) in all.iter().step_by(7) {
            for (b_counts, b) in all.iter().step_by(11) {
                for kind in 1..8 {
                    assert_eq!(a.least(*b).count(kind), a_counts[kind].min(b_counts[kind]));
                    assert_eq!(a.greatest(*b).count(kind), a_counts[kind].max(b_counts[kind]));
                    let (inside, missing) = if b_counts[kind] > 0 { (a_counts[kind], 0) } else { (0, a_counts[kind]) };
                    assert_eq!(a.of_kinds_in(*b).count(kind), inside);
                    assert_eq!(a.of_kinds_missing_in(*b).count(kind), missing);
                }
                assert_eq!(a.covers(*b), (1..8).all(|kind| a_counts[kind] >= b_counts[kind]));
            }
        }
    }

    #[test]
    fn full_counts_fit() {
        let full = [0, 18, 4, 4, 4, 4, 2, 2];
        let hand = (1..8).fold(Hand::EMPTY, |hand, kind| (0..full[kind]).fold(hand, |hand, _| hand.plus(kind)));
        for (kind, &number) in full.iter().enumerate().skip(1) {
            assert_eq!(hand.count(kind), number);
            assert_eq!(hand.minus(kind).count(kind), number - 1);
            assert_eq!(Hand::EMPTY.minus(kind), Hand::EMPTY);
        }
        assert_eq!(hand.least(Hand::EMPTY), Hand::EMPTY);
        assert_eq!(Hand::EMPTY.greatest(hand), hand);
    }
}
