//! Storage of histories.

use kiki_board::{Cell, Move, Sq};

use super::correction::Corrections;
use crate::memory::prefer_large_pages;

/// Entries move towards the bonus and never leave this range.
pub(crate) const LIMIT: i32 = 16_384;
/// Destinations of one kind of piece.
pub(super) const SQUARES: usize = Sq::COUNT;
/// Origins: 81 squares, then the kinds of drops.
const ORIGINS: usize = 89;
/// A piece arriving on a square.
pub(super) const SLOTS: usize = Cell::COUNT * SQUARES;

/// A piece arriving on a square, as an index: the name of a move in continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MoveSlot(u16);

impl MoveSlot {
    /// No move: a row that stays neutral.
    pub(crate) const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) fn new(arriving: Cell, to: Sq) -> Self {
        Self((arriving.index() * SQUARES + to.index()) as u16)
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One number that remembers successes and failures and forgets slowly.
#[derive(Clone, Copy, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Counter(i16);

impl Counter {
    #[inline(always)]
    pub(crate) fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Moves towards `LIMIT` or `-LIMIT`, the slower the nearer it is.
    #[inline(always)]
    pub(crate) fn add(&mut self, bonus: i32) {
        let old = self.get();
        self.0 = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}

/// All histories of one thread. Memory is asked for zeroed and committed as it is used.
pub(crate) struct Histories {
    /// By side, origin, destination: quiet moves and drops.
    quiet: Vec<Counter>,
    /// By arriving piece, destination, captured kind.
    capture: Vec<Counter>,
    /// By an earlier move and the move now.
    continuation: Vec<Counter>,
    /// By the opponent's last move: the quiet answer that refuted it.
    answers: Vec<Move>,
    /// Of static evaluations.
    pub(crate) corrections: Corrections,
}

impl Histories {
    pub(crate) fn new() -> Self {
        let zeros = |len| vec![Counter(0); len];
        let continuation = zeros(SLOTS * SLOTS);
        prefer_large_pages(&continuation);
        Self {
            quiet: zeros(2 * ORIGINS * SQUARES),
            capture: zeros(SLOTS * 16),
            continuation,
            answers: vec![Move::NONE; SLOTS],
            corrections: Corrections::new(),
        }
    }

    /// Forgets everything, in memory that stays committed.
    pub(crate) fn clear(&mut self) {
        for table in [&mut self.quiet, &mut self.capture, &mut self.continuation] {
            table.fill(Counter::default());
        }
        self.answers.fill(Move::NONE);
        self.corrections.clear();
    }

    #[inline(always)]
    pub(crate) fn quiet(&self, side: usize, mv: Move) -> &Counter {
        &self.quiet[quiet_index(side, mv)]
    }

    #[inline(always)]
    pub(crate) fn quiet_mut(&mut self, side: usize, mv: Move) -> &mut Counter {
        &mut self.quiet[quiet_index(side, mv)]
    }

    #[inline(always)]
    pub(crate) fn capture(&self, slot: MoveSlot, captured: Cell) -> &Counter {
        &self.capture[slot.index() * 16 + captured.kind_index()]
    }

    #[inline(always)]
    pub(crate) fn capture_mut(&mut self, slot: MoveSlot, captured: Cell) -> &mut Counter {
        &mut self.capture[slot.index() * 16 + captured.kind_index()]
    }

    /// What followed `earlier`, by the move now.
    #[inline(always)]
    pub(crate) fn following(&self, earlier: MoveSlot) -> Following<'_> {
        let start = earlier.index() * SLOTS;
        Following(&self.continuation[start..start + SLOTS])
    }

    #[inline(always)]
    pub(crate) fn continuation_mut(&mut self, earlier: MoveSlot, now: MoveSlot) -> &mut Counter {
        &mut self.continuation[earlier.index() * SLOTS + now.index()]
    }

    #[inline(always)]
    pub(crate) fn answer_to(&self, earlier: MoveSlot) -> Move {
        self.answers[earlier.index()]
    }

    pub(crate) fn set_answer(&mut self, earlier: MoveSlot, mv: Move) {
        self.answers[earlier.index()] = mv;
    }
}

#[inline(always)]
fn quiet_index(side: usize, mv: Move) -> usize {
    (side * ORIGINS + mv.origin()) * SQUARES + mv.to().index()
}

/// One row of the continuation history.
#[derive(Clone, Copy)]
pub(crate) struct Following<'a>(&'a [Counter]);

impl Following<'_> {
    #[inline(always)]
    pub(crate) fn get(self, now: MoveSlot) -> i32 {
        self.0[now.index()].get()
    }
}
