//! Corrections: by how much the search has found the static evaluation to be wrong in positions that have something in common.

use kiki_board::Position;

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

/// What positions may have in common: the hands, the places of the kings, the last move of either side, what hangs.
pub(crate) struct Corrections {
    hands: Vec<Counter>,
    kings: Vec<Counter>,
    last: Vec<Counter>,
    own: Vec<Counter>,
    hanging: Vec<Counter>,
}

/// Where a position's corrections are kept.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    hands: usize,
    kings: usize,
    last: usize,
    own: usize,
    hanging: usize,
}

impl Traits {
    /// Of no position.
    pub(crate) const NONE: Self = Self { hands: 0, kings: 0, last: 0, own: 0, hanging: 0 };

    /// Of a position that was reached by `last`, and before that by `own` of the side to move.
    #[inline(always)]
    pub(crate) fn new(position: &Position, last: MoveSlot, own: MoveSlot) -> Self {
        let side = position.side_index();
        let key = position.hand_key();
        let [black, white] = [0, 1].map(|color| position.king(color).index().min(SQUARES));
        Self {
            hands: side * HANDS + (key ^ key >> 32) as usize % HANDS,
            kings: (side * KING_SQUARES + black) * KING_SQUARES + white,
            last: side * SLOTS + last.index(),
            own: side * SLOTS + own.index(),
            hanging: side * HANGING + hanging_kinds(position),
        }
    }
}

impl Corrections {
    pub(super) fn new() -> Self {
        let zeros = |len| vec![Counter::default(); 2 * len];
        Self {
            hands: zeros(HANDS),
            kings: zeros(KING_SQUARES * KING_SQUARES),
            last: zeros(SLOTS),
            own: zeros(SLOTS),
            hanging: zeros(HANGING),
        }
    }

    pub(super) fn clear(&mut self) {
        for table in [&mut self.hands, &mut self.kings, &mut self.last, &mut self.own, &mut self.hanging] {
            table.fill(Counter::default());
        }
    }

    /// A static evaluation, bettered by experience.
    #[inline(always)]
    pub(crate) fn apply(&self, traits: Traits, eval: Value) -> Value {
        let sum = params::correction_hands() * self.hands[traits.hands].get()
            + params::correction_kings() * self.kings[traits.kings].get()
            + params::correction_last() * self.last[traits.last].get()
            + params::correction_own() * self.own[traits.own].get()
            + params::correction_hanging() * self.hanging[traits.hanging].get();
        (eval + sum / (LIMIT * 4)).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// A search of `depth` plies has found the evaluation to be wrong by `error` centipawns.
    #[inline(always)]
    pub(crate) fn learn(&mut self, traits: Traits, error: Value, depth: i32) {
        let bonus = (error * depth * params::correction_rate() / 16).clamp(-LIMIT / 4, LIMIT / 4);
        self.hands[traits.hands].add(bonus);
        self.kings[traits.kings].add(bonus);
        self.last[traits.last].add(bonus);
        self.own[traits.own].add(bonus);
        self.hanging[traits.hanging].add(bonus);
    }
}

#[inline(always)]
fn hanging_kinds(position: &Position) -> usize {
    let side = position.side_index();
    let [first, second] = hanging(position, side);
    let [theirs, _] = hanging(position, 1 - side);
    (first.kind_index() * 16 + second.kind_index()) * 16 + theirs.kind_index()
}
