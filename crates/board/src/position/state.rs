//! The states that a position has passed through: what taking back a move restores, and what repetition looks at.

use super::Effects;
use crate::{ByColor, Cell, Color, HandCounts, Move, Sq, opponent};

/// A position without its board. The state before a move stays where it is while the next one is written behind it, so taking back
/// is forgetting the last one.
#[derive(Clone, Copy)]
pub(super) struct StateInfo {
    pub(super) effects: Effects,
    pub(super) fields: StateFields,
}

/// What a move changes and taking it back does not work out backwards, other than effects.
#[derive(Clone, Copy)]
pub(super) struct StateFields {
    /// Names the board and the side to move.
    pub(super) board_key: u64,
    /// Names the hands.
    pub(super) hand_key: u64,
    pub(super) hands: ByColor<HandCounts>,
    pub(super) kings: ByColor<Sq>,
    /// The move that led here; [`Move::NONE`] at the start and after a null move.
    pub(super) mv: Move,
    /// What left its square, as it stood there; empty for a drop.
    pub(super) left: Cell,
    /// What that move captured.
    pub(super) captured: Cell,
    /// Moves since the last null move or the start: the search looks back no further.
    pub(super) since_null: u16,
}

impl StateFields {
    pub(super) const EMPTY: Self = Self {
        board_key: 0,
        hand_key: 0,
        hands: ByColor::new(HandCounts::NONE, HandCounts::NONE),
        kings: ByColor::new(Sq::NONE, Sq::NONE),
        mv: Move::NONE,
        left: Cell::EMPTY,
        captured: Cell::EMPTY,
        since_null: 0,
    };
}

impl StateInfo {
    pub(super) const EMPTY: Self = Self { effects: Effects::NONE, fields: StateFields::EMPTY };

    /// Whether a side is in check.
    #[inline(always)]
    pub(super) fn in_check(&self, side: Color) -> bool {
        self.effects.attacks(opponent(side), self.fields.kings[side])
    }
}

/// A counter for each of this many key remainders tells at once that a board has not occurred, which is nearly always so.
const FILTER: usize = 1 << 12;

/// The states of the game so far.
#[derive(Clone)]
pub(super) struct StateStack {
    /// Those behind the current one are stale.
    states: Vec<StateInfo>,
    /// The index of the current one.
    now: usize,
    filter: Box<[u16; FILTER]>,
}

impl StateStack {
    pub(super) fn new(state: &StateInfo) -> Self {
        let mut history = Self { states: vec![*state; 32], now: 0, filter: Box::new([0; FILTER]) };
        history.note(state.fields.board_key);
        history
    }

    /// Makes room for one more state, which becomes current. It is to be filled in, and then [`StateStack::note`]d.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> (&StateInfo, &mut StateInfo) {
        if self.now + 1 == self.states.len() {
            self.grow();
        }
        let (before, after) = self.states.split_at_mut(self.now + 1);
        self.now += 1;
        (&before[before.len() - 1], &mut after[0])
    }

    #[cold]
    fn grow(&mut self) {
        self.states.resize(2 * self.states.len(), StateInfo::EMPTY);
    }

    /// Counts the current board as having occurred.
    #[inline(always)]
    pub(super) fn note(&mut self, board_key: u64) {
        let slot = &mut self.filter[board_key as usize % FILTER];
        // Nobody plays 65,536 moves.
        *slot = slot.wrapping_add(1);
    }

    /// Forgets the current state.
    #[inline(always)]
    pub(super) fn retreat(&mut self) {
        let slot = &mut self.filter[self.now().fields.board_key as usize % FILTER];
        *slot = slot.wrapping_sub(1);
        self.now = self.now.checked_sub(1).expect("a move to take back");
    }

    /// The current state.
    #[inline(always)]
    pub(super) fn now(&self) -> &StateInfo {
        &self.states[self.now]
    }

    /// All states, the current one last.
    #[inline(always)]
    pub(super) fn states(&self) -> &[StateInfo] {
        &self.states[..=self.now]
    }

    /// The number of moves made.
    #[inline(always)]
    pub(super) fn moves(&self) -> usize {
        self.now
    }

    /// Whether the current board may have occurred before. A yes may be wrong.
    #[inline(always)]
    pub(super) fn may_recur(&self) -> bool {
        self.filter[self.now().fields.board_key as usize % FILTER] > 1
    }
}
