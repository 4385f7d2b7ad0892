//! The stack of states of a game: what unmaking a move restores, and what the repetition rules look at.

use super::Effects;
use crate::{ByColor, Cell, Color, HandCounts, Move, Sq, opponent};

/// A position without its board. Making a move pushes a new state, and unmaking it pops that state.
#[derive(Clone, Copy)]
pub(super) struct StateInfo {
    pub(super) effects: Effects,
    pub(super) fields: StateFields,
}

/// All of a [`StateInfo`] except the effects: what a move changes and unmaking it could not compute.
#[derive(Clone, Copy)]
pub(super) struct StateFields {
    /// The key of the board and the side to move.
    pub(super) board_key: u64,
    /// The key of the hands.
    pub(super) hand_key: u64,
    pub(super) hands: ByColor<HandCounts>,
    pub(super) kings: ByColor<Sq>,
    /// The move that led here; [`Move::NONE`] at the start and after a null move.
    pub(super) mv: Move,
    /// The piece that left its square, as it was before the move; empty for a drop.
    pub(super) left: Cell,
    /// The piece that the move captured; empty for none.
    pub(super) captured: Cell,
    /// Moves since the last null move or the start. The search looks for repetitions no further back.
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

/// The number of counters of the repetition filter. A board whose counter is 1 has not occurred before, which is nearly always so.
const FILTER: usize = 1 << 12;

/// The states of a game, the current one last.
#[derive(Clone)]
pub(super) struct StateStack {
    /// Those after the current one are unused.
    states: Vec<StateInfo>,
    /// The index of the current one.
    current: usize,
    /// By the remainder of the board key: how often boards of that remainder have occurred.
    filter: Box<[u16; FILTER]>,
}

impl StateStack {
    pub(super) fn new(state: &StateInfo) -> Self {
        let mut stack = Self { states: vec![*state; 32], current: 0, filter: Box::new([0; FILTER]) };
        stack.count_board(state.fields.board_key);
        stack
    }

    /// Adds a state and makes it current; returns the one before and the new one, which the caller fills in. [`StateStack::count_board`]
    /// must follow.
    #[inline(always)]
    pub(super) fn push(&mut self) -> (&StateInfo, &mut StateInfo) {
        if self.current + 1 == self.states.len() {
            self.grow();
        }
        let (before, after) = self.states.split_at_mut(self.current + 1);
        self.current += 1;
        (&before[before.len() - 1], &mut after[0])
    }

    #[cold]
    fn grow(&mut self) {
        self.states.resize(2 * self.states.len(), StateInfo::EMPTY);
    }

    /// Counts the current board in the filter.
    #[inline(always)]
    pub(super) fn count_board(&mut self, board_key: u64) {
        let slot = &mut self.filter[board_key as usize % FILTER];
        // No game has 65,536 moves.
        *slot = slot.wrapping_add(1);
    }

    /// Removes the current state.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        let slot = &mut self.filter[self.current().fields.board_key as usize % FILTER];
        *slot = slot.wrapping_sub(1);
        self.current = self.current.checked_sub(1).expect("a move to take back");
    }

    /// The current state.
    #[inline(always)]
    pub(super) fn current(&self) -> &StateInfo {
        &self.states[self.current]
    }

    /// All states, the current one last.
    #[inline(always)]
    pub(super) fn states(&self) -> &[StateInfo] {
        &self.states[..=self.current]
    }

    /// The number of moves made.
    #[inline(always)]
    pub(super) fn moves(&self) -> usize {
        self.current
    }

    /// Whether the current board may have occurred before. False is certain, true is not.
    #[inline(always)]
    pub(super) fn may_have_occurred(&self) -> bool {
        self.filter[self.current().fields.board_key as usize % FILTER] > 1
    }
}
