//! Storage of histories.

use kiki_board::{Cell, Color, Move, Sq};
use kiki_memory::prefer_large_pages;

use super::correction::CorrectionHistory;
use super::counter::Counter;
use super::piece_to::PieceTo;

/// Origins of moves: 81 squares, then the kinds of drops.
const ORIGINS: usize = 89;
/// Kinds of captured pieces, 0 for none.
const KINDS: usize = 16;

/// All histories of one thread. Their memory is zero at the beginning and committed as it is used.
pub(crate) struct Histories {
    /// By colour, origin and destination: quiet moves and drops ("butterfly history").
    quiet: Vec<Counter>,
    /// By piece-to index and captured kind.
    capture: Vec<Counter>,
    /// By the piece-to indices of an earlier move and of the move.
    continuation: Vec<Counter>,
    /// By the opponent's last move: the quiet move that refuted it.
    counter_moves: Vec<Move>,
    /// Errors of the static evaluation.
    pub(crate) correction: CorrectionHistory,
}

impl Histories {
    pub(crate) fn new() -> Self {
        let zeros = |len| vec![Counter::default(); len];
        let continuation = zeros(PieceTo::COUNT * PieceTo::COUNT);
        prefer_large_pages(&continuation);
        Self {
            quiet: zeros(2 * ORIGINS * Sq::COUNT),
            capture: zeros(PieceTo::COUNT * KINDS),
            continuation,
            counter_moves: vec![Move::NONE; PieceTo::COUNT],
            correction: CorrectionHistory::new(),
        }
    }

    /// Sets everything to zero. The memory stays committed.
    pub(crate) fn clear(&mut self) {
        for table in [&mut self.quiet, &mut self.capture, &mut self.continuation] {
            table.fill(Counter::default());
        }
        self.counter_moves.fill(Move::NONE);
        self.correction.clear();
    }

    /// Of a quiet move by `side`.
    #[inline(always)]
    pub(crate) fn quiet(&self, side: Color, mv: Move) -> &Counter {
        &self.quiet[quiet_index(side, mv)]
    }

    #[inline(always)]
    pub(super) fn quiet_mut(&mut self, side: Color, mv: Move) -> &mut Counter {
        &mut self.quiet[quiet_index(side, mv)]
    }

    /// Of a capture, or a promotion of a pawn, which captures an empty cell.
    #[inline(always)]
    pub(crate) fn capture(&self, piece_to: PieceTo, captured: Cell) -> &Counter {
        &self.capture[piece_to.index() * KINDS + captured.kind_index()]
    }

    #[inline(always)]
    pub(super) fn capture_mut(&mut self, piece_to: PieceTo, captured: Cell) -> &mut Counter {
        &mut self.capture[piece_to.index() * KINDS + captured.kind_index()]
    }

    /// The counters of all moves after the move `earlier`.
    #[inline(always)]
    pub(crate) fn continuation(&self, earlier: PieceTo) -> ContinuationRow<'_> {
        let start = earlier.index() * PieceTo::COUNT;
        ContinuationRow(&self.continuation[start..start + PieceTo::COUNT])
    }

    #[inline(always)]
    pub(super) fn continuation_mut(&mut self, earlier: PieceTo, now: PieceTo) -> &mut Counter {
        &mut self.continuation[earlier.index() * PieceTo::COUNT + now.index()]
    }

    /// The quiet move that last refuted `earlier`, or none.
    #[inline(always)]
    pub(crate) fn counter_move(&self, earlier: PieceTo) -> Move {
        self.counter_moves[earlier.index()]
    }

    pub(super) fn set_counter_move(&mut self, earlier: PieceTo, mv: Move) {
        self.counter_moves[earlier.index()] = mv;
    }
}

#[inline(always)]
fn quiet_index(side: Color, mv: Move) -> usize {
    (side.array_index() * ORIGINS + mv.origin()) * Sq::COUNT + mv.to().index()
}

/// The part of the continuation history that belongs to one earlier move.
#[derive(Clone, Copy)]
pub(crate) struct ContinuationRow<'a>(&'a [Counter]);

impl ContinuationRow<'_> {
    /// Of the move `now`.
    #[inline(always)]
    pub(crate) fn get(self, now: PieceTo) -> i32 {
        self.0[now.index()].get()
    }
}
