//! Corrections: by how much the search has found the static evaluation to be wrong in positions that have something in common.

use kiki_board::{COLORS, Position, opponent};

use super::tables::{Counter, LIMIT, MoveSlot, SLOTS, SQUARES};
use crate::hanging::hanging;
use crate::params;
use crate::value::{EVAL_LIMIT, Value};

/// Pairs of hands are told apart by so many values of their key.
const HANDS: usize = 1 << 14;
/// Squares of a king, one of them for a side without one.
const KING_SQUARES: usize = SQUARES + 1;
/// What hangs: the two most valuable pieces of the side to move, the most valuable one of the other side, by kind.
const HANGING: usize = 16 * 16 * 16;

/// What positions may have in common, with the number of values of each for either side to move: the hands, the places of the kings, the
/// last move of the opponent and of the side to move, what hangs.
const SIZES: [usize; 5] = [HANDS, KING_SQUARES * KING_SQUARES, SLOTS, SLOTS, HANGING];

/// For each of [`SIZES`]: quarters of a centipawn, the most that it corrects.
#[inline(always)]
fn weights() -> [Value; SIZES.len()] {
    [
        params::correction_hands(),
        params::correction_kings(),
        params::correction_last(),
        params::correction_own(),
        params::correction_hanging(),
    ]
}

/// One table for each of [`SIZES`].
pub(crate) struct Corrections([Vec<Counter>; SIZES.len()]);

/// Where a position's corrections are kept in them.
#[derive(Clone, Copy)]
pub(crate) struct Traits([usize; SIZES.len()]);

impl Traits {
    /// Of no position.
    pub(crate) const NONE: Self = Self([0; SIZES.len()]);

    /// Of a position that was reached by `last`, and before that by `own` of the side to move.
    #[inline(always)]
    pub(crate) fn new(position: &Position, last: MoveSlot, own: MoveSlot) -> Self {
        let key = position.hand_key();
        let [black, white] = COLORS.map(|color| position.king(color).index().min(SQUARES));
        let mut traits = [
            (key ^ key >> 32) as usize % HANDS,
            black * KING_SQUARES + white,
            last.index(),
            own.index(),
            hanging_kinds(position),
        ];
        for (index, size) in traits.iter_mut().zip(SIZES) {
            *index += position.side_to_move().array_index() * size;
        }
        Self(traits)
    }
}

impl Corrections {
    pub(super) fn new() -> Self {
        Self(SIZES.map(|size| vec![Counter::default(); 2 * size]))
    }

    pub(super) fn clear(&mut self) {
        for table in &mut self.0 {
            table.fill(Counter::default());
        }
    }

    /// A static evaluation, bettered by experience.
    #[inline(always)]
    pub(crate) fn apply(&self, traits: Traits, eval: Value) -> Value {
        let tables = self.0.iter().zip(traits.0).zip(weights());
        let sum: Value = tables.map(|((table, index), weight)| weight * table[index].get()).sum();
        (eval + sum / (LIMIT * 4)).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// A search of `depth` plies has found the evaluation to be wrong by `error` centipawns.
    #[inline(always)]
    pub(crate) fn learn(&mut self, traits: Traits, error: Value, depth: i32) {
        let bonus = (error * depth * params::correction_rate() / 16).clamp(-LIMIT / 4, LIMIT / 4);
        for (table, index) in self.0.iter_mut().zip(traits.0) {
            table[index].add(bonus);
        }
    }
}

#[inline(always)]
fn hanging_kinds(position: &Position) -> usize {
    let side = position.side_to_move();
    let [first, second] = hanging(position, side);
    let [theirs, _] = hanging(position, opponent(side));
    (first.kind_index() * 16 + second.kind_index()) * 16 + theirs.kind_index()
}
