//! The pieces on the board, as cells and as bitboards, and effects: how many pieces of each side
//! attack each square.
//!
//! A square is attacked at most once from each of the eight directions and twice by knights. So a
//! count is at most ten: four binary digits. Each digit, over all squares, is one set of squares. A
//! few logical operations then count a whole set up or down. The union of the four sets is the set
//! of attacked squares.
//!
//! When a piece leaves a square, the sliders that stopped there reach further, exactly as far as
//! the opposite ray from that square. When a piece arrives on an empty square, they are cut by the
//! same amount.

use wide::u8x32;

use crate::squares::{BitboardPair, Side};
use crate::{Bitboard, ByColor, ByKind, Cell, Color, Sq, opponent};

#[derive(Clone)]
pub(super) struct Board {
    pub(super) by_kind: ByKind<Bitboard>,
    pub(super) by_color: ByColor<Bitboard>,
    pub(super) cells: [Cell; Sq::COUNT],
}

impl Board {
    pub(super) const EMPTY: Self = Self {
        by_kind: ByKind::filled(Bitboard::EMPTY),
        by_color: ByColor::new(Bitboard::EMPTY, Bitboard::EMPTY),
        cells: [Cell::EMPTY; Sq::COUNT],
    };

    /// Puts a piece of a side on a square, or takes it off, in the sets; the cell is left as it is.
    #[inline(always)]
    pub(super) fn toggle<S: Side>(&mut self, cell: Cell, sq: Sq) {
        debug_assert!(cell.color() == S::COLOR);
        let bit = Bitboard::of(sq);
        self.by_color[S::COLOR] ^= bit;
        self.by_kind[cell] ^= bit;
    }
}

/// For each side and each square, how many pieces of that side attack it: own-occupied squares
/// included, sliders up to the first piece, the king included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// By binary digit, the lowest first: for each side, the squares whose count has a 1 there.
    digits: [BitboardPair; 4],
}

impl Effects {
    /// The length of a row of counts: 81 squares, filled up with zeros to whole vectors of 32
    /// bytes.
    pub const LANES: usize = 96;

    pub(super) const NONE: Self = Self { digits: [BitboardPair::EMPTY; 4] };

    /// How many pieces of a colour attack a square.
    #[must_use]
    #[inline(always)]
    pub fn count(&self, color: Color, sq: Sq) -> u8 {
        let digit = |i: usize| u8::from(self.digits[i].contains(color, sq)) << i;
        digit(0) | digit(1) | digit(2) | digit(3)
    }

    /// Whether a piece of a colour attacks a square. False for [`Sq::NONE`].
    #[must_use]
    #[inline(always)]
    pub fn attacks(&self, color: Color, sq: Sq) -> bool {
        self.attacked(color).contains(sq)
    }

    /// The squares that a colour attacks.
    #[must_use]
    #[inline(always)]
    pub fn attacked(&self, color: Color) -> Bitboard {
        let digit = |i: usize| self.digits[i].of_color(color);
        digit(0) | digit(1) | digit(2) | digit(3)
    }

    /// The squares that a colour attacks more than once.
    #[must_use]
    #[inline(always)]
    pub fn attacked_twice(&self, color: Color) -> Bitboard {
        let digit = |i: usize| self.digits[i].of_color(color);
        digit(1) | digit(2) | digit(3)
    }

    /// The squares that the opponent of a colour attacks and the colour does not: its pieces there
    /// hang.
    #[must_use]
    #[inline(always)]
    pub fn unsupported(&self, color: Color) -> Bitboard {
        self.attacked(opponent(color)) - self.attacked(color)
    }

    /// All counts of a colour, by square; the lanes beyond 81 are zero.
    #[must_use]
    #[inline(always)]
    pub fn counts(&self, color: Color) -> [u8; Self::LANES] {
        let mut rows = [u8x32::ZERO; 3];
        for digit in self.digits.iter().rev() {
            for (row, ones) in rows.iter_mut().zip(digit.lanes(color)) {
                // A lane of all ones is minus one.
                *row = *row + *row - ones;
            }
        }
        let mut counts = [0; Self::LANES];
        for (counts, row) in counts.chunks_exact_mut(32).zip(rows) {
            counts.copy_from_slice(row.as_array());
        }
        counts
    }

    #[inline(always)]
    pub(super) fn after(&self, change: &EffectChange) -> Self {
        // In this order: a captured slider loses what was opened to it a moment ago.
        self.counted(change.opened, change.closed).counted(change.gained, change.lost)
    }

    /// The counts one higher on the squares of `more`, one lower on those of `less`.
    #[inline(always)]
    pub(super) fn counted(mut self, more: BitboardPair, less: BitboardPair) -> Self {
        // A square of both stays as it is.
        let down = less.without(more);
        let mut carry = less ^ more;
        for digit in &mut self.digits {
            let before = *digit;
            *digit = before ^ carry;
            // Counting up carries from a 1, counting down borrows from a 0.
            carry = carry & (before ^ down);
        }
        debug_assert!(carry == BitboardPair::EMPTY, "a count above fifteen or below zero");
        self
    }
}

/// For each side, what a move changes.
#[derive(Clone, Copy)]
pub(super) struct EffectChange {
    /// What the piece that arrives attacks.
    pub(super) gained: BitboardPair,
    /// What the pieces that leave attacked.
    pub(super) lost: BitboardPair,
    /// What sliders reach beyond the square that is left.
    pub(super) opened: BitboardPair,
    /// What sliders no longer reach beyond the square that is filled.
    pub(super) closed: BitboardPair,
}
