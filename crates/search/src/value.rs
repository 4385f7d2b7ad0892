//! Values inside the search and their meaning outside.

use kiki_board::SearchRepetition;

/// Inside the search, also a distance to mate near the ends of the range.
pub use kiki_eval::Value;

/// The deepest line that the search follows, in plies from the root.
pub const MAX_PLY: usize = 128;

pub(crate) const INFINITE: Value = 32_001;
/// Mate given at ply 0.
pub(crate) const MATE: Value = 32_000;
/// The least value of a mate within [`MAX_PLY`] plies of search plus the distance in a stored
/// entry.
pub(crate) const MATE_BOUND: Value = MATE - 2 * MAX_PLY as Value;
/// A repetition of the board with a better hand: nearly won, yet below every mate.
pub(crate) const SUPERIOR: Value = 28_000;
/// Represents a missing value.
pub(crate) const NONE: Value = 32_002;
/// The greatest static evaluation.
pub(crate) const EVAL_LIMIT: Value = 25_000;

/// The side to move is mated, `ply` plies from the root.
#[inline(always)]
pub(crate) const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The side to move mates, the mated position being `ply` plies from the root.
#[inline(always)]
pub(crate) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of a repetition, with `draw` for a draw; `None` without repetition.
#[inline(always)]
pub(crate) fn repetition_value(repetition: SearchRepetition, ply: usize, draw: Value) -> Option<Value> {
    match repetition {
        SearchRepetition::None => None,
        SearchRepetition::Draw => Some(draw),
        SearchRepetition::Win => Some(MATE_BOUND - 1 - ply as Value),
        SearchRepetition::Loss => Some(ply as Value + 1 - MATE_BOUND),
        SearchRepetition::Superior => Some(SUPERIOR),
        SearchRepetition::Inferior => Some(-SUPERIOR),
    }
}

/// Whether a value is exact. The numbers are those of the transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// At most this: the search failed low.
    Upper = 1,
    /// At least this: the search failed high.
    Lower = 2,
    /// The value itself.
    Exact = 3,
}

/// A value as interfaces show it: centipawns or moves to mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootScore {
    /// Centipawns for the side to move.
    Centipawns(i32),
    /// The side to move mates in this many plies, or is mated if negative. Never 0: being mated
    /// already is -1 too.
    Mate(i32),
}

impl RootScore {
    /// The score of a value at the root.
    #[must_use]
    pub(crate) fn from_value(value: Value) -> Self {
        if value >= MATE_BOUND {
            Self::Mate((MATE - value).max(1))
        } else if value <= -MATE_BOUND {
            Self::Mate((-MATE - value).min(-1))
        } else {
            Self::Centipawns(value)
        }
    }

    /// The score in centipawns, for comparisons: a mate is above, or below, every value.
    ///
    /// ```
    /// use kiki_search::RootScore;
    /// assert!(RootScore::Mate(9).centipawns() > RootScore::Centipawns(30_000).centipawns());
    /// ```
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(value) => value,
            Self::Mate(plies) if plies > 0 => i32::MAX,
            Self::Mate(_) => i32::MIN,
        }
    }

    /// Whether the value is at most `limit` centipawns, for whichever side. A mate never is.
    ///
    /// ```
    /// use kiki_search::RootScore;
    /// assert!(RootScore::Centipawns(-300).is_within(300) && !RootScore::Centipawns(301).is_within(300));
    /// assert!(!RootScore::Mate(9).is_within(i32::MAX));
    /// ```
    #[must_use]
    pub fn is_within(self, limit: i32) -> bool {
        matches!(self, Self::Centipawns(value) if value.abs() <= limit)
    }
}

/// All values fit into the 16 bits of the transposition table.
const _: () = assert!(MATE_BOUND < INFINITE && INFINITE < NONE && NONE < i16::MAX as Value);
