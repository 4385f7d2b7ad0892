//! Correction history: by how much searches have found the static evaluation to be wrong in positions that share a feature.

use kiki_board::{COLORS, Position, Sq, opponent};

use super::counter::{Counter, LIMIT};
use super::piece_to::PieceTo;
use crate::order::hanging::hanging;
use crate::params;
use crate::value::{EVAL_LIMIT, Value};

/// Keys of the pair of hands.
const HANDS: usize = 1 << 14;
/// Squares of a king, one of them for a side without one.
const KING_SQUARES: usize = Sq::COUNT + 1;
/// Hanging pieces: the two most valuable ones of the side to move and the most valuable one of the opponent, by kind.
const HANGING: usize = 16 * 16 * 16;

/// The features with the number of their values for either side to move: the hands, the squares of the kings, the last move of the opponent
/// and of the side to move, hanging pieces.
const SIZES: [usize; 5] = [HANDS, KING_SQUARES * KING_SQUARES, PieceTo::COUNT, PieceTo::COUNT, HANGING];

/// The greatest correction by each of the features, in quarters of a centipawn.
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

/// One table for each feature.
pub(crate) struct CorrectionHistory([Vec<Counter>; SIZES.len()]);

/// The indices of a position in the tables of [`CorrectionHistory`].
#[derive(Clone, Copy)]
pub(crate) struct CorrectionKeys([usize; SIZES.len()]);

impl CorrectionKeys {
    /// Of no position.
    pub(crate) const NONE: Self = Self([0; SIZES.len()]);

    /// Of a position that was reached by the opponent's move `last`, and before that by `own` of the side to move.
    #[inline(always)]
    pub(crate) fn new(position: &Position, last: PieceTo, own: PieceTo) -> Self {
        let key = position.hand_key();
        let [black, white] = COLORS.map(|color| position.king(color).index().min(Sq::COUNT));
        let mut keys = [
            (key ^ key >> 32) as usize % HANDS,
            black * KING_SQUARES + white,
            last.index(),
            own.index(),
            hanging_kinds(position),
        ];
        for (index, size) in keys.iter_mut().zip(SIZES) {
            *index += position.side_to_move().array_index() * size;
        }
        Self(keys)
    }
}

impl CorrectionHistory {
    pub(super) fn new() -> Self {
        Self(SIZES.map(|size| vec![Counter::default(); 2 * size]))
    }

    pub(super) fn clear(&mut self) {
        for table in &mut self.0 {
            table.fill(Counter::default());
        }
    }

    /// The static evaluation `eval` plus its expected error, in centipawns.
    #[inline(always)]
    pub(crate) fn correct(&self, keys: CorrectionKeys, eval: Value) -> Value {
        let tables = self.0.iter().zip(keys.0).zip(weights());
        let sum: Value = tables.map(|((table, index), weight)| weight * table[index].get()).sum();
        (eval + sum / (LIMIT * 4)).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// Learns that a search of `depth` plies came out `error` centipawns above the static evaluation.
    #[inline(always)]
    pub(crate) fn learn(&mut self, keys: CorrectionKeys, error: Value, depth: i32) {
        let bonus = (error * depth * params::correction_rate() / 16).clamp(-LIMIT / 4, LIMIT / 4);
        for (table, index) in self.0.iter_mut().zip(keys.0) {
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
