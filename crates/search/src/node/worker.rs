//! The state of one searching thread: position, evaluator, stack, move lists and histories.

use std::sync::Arc;

use kiki_board::{CheckInfo, Color, Move, Position};
use kiki_eval::Evaluator;

use super::root_moves::RootMoves;
use crate::control::{Limiter, SearchControl};
use crate::limits::Rules;
use crate::order::history::{CorrectionKeys, Histories, PieceTo, SearchedMove};
use crate::order::{MoveLists, MovePicker, MoveSources, Purpose, Stack};
use crate::reliability::Reliability;
use crate::skill::Noise;
use crate::table::TranspositionTable;
use crate::time::Stopwatch;
use crate::value::{EVAL_LIMIT, INFINITE, MATE_BOUND, Value};

/// The state of one searching thread. The steps of a node are its methods.
pub(crate) struct Worker<E: Evaluator> {
    /// Of the present node.
    pub(crate) position: Position,
    /// Kept up to date with `position`.
    evaluator: E,
    pub(crate) table: Arc<TranspositionTable>,
    pub(crate) stack: Stack,
    pub(crate) lists: MoveLists,
    /// The moves already searched at the nodes on the stack, one node behind the other.
    pub(crate) searched: Vec<SearchedMove>,
    pub(crate) histories: Histories,
    pub(crate) root_moves: RootMoves,
    /// The iteration, in plies.
    pub(crate) root_depth: usize,
    /// The side to move at the root.
    root_side: Color,
    pub(crate) rules: Rules,
    pub(crate) reliability: Arc<Reliability>,
    /// The errors of the evaluation below the full strength.
    pub(crate) noise: Noise,
    /// Number of check searches in progress, one within the other.
    pub(crate) check_searches: usize,
    pub(crate) limiter: Limiter,
    /// The longest line searched so far in this iteration, in plies.
    pub(crate) seldepth: usize,
    /// No null moves above this ply, while a cutoff by a null move is being verified; else 0.
    pub(crate) null_move_min_ply: usize,
}

impl<E: Evaluator> Worker<E> {
    pub(crate) fn new(thread: usize, weights: &Arc<E::Weights>, control: Arc<SearchControl>) -> Self {
        let position = Position::startpos();
        Self {
            evaluator: E::new(weights, &position),
            position,
            table: Arc::new(TranspositionTable::empty()),
            stack: Stack::new(),
            lists: MoveLists::new(),
            searched: Vec::with_capacity(600),
            histories: Histories::new(),
            root_moves: RootMoves::new([]),
            root_depth: 0,
            root_side: Color::Black,
            rules: Rules::default(),
            reliability: Arc::default(),
            noise: Noise::default(),
            check_searches: 0,
            limiter: Limiter::new(thread, control),
            seldepth: 0,
            null_move_min_ply: 0,
        }
    }

    /// Begins a search of `position`. The caller sets the moves at the root next.
    pub(crate) fn set_up(
        &mut self,
        position: Position,
        rules: Rules,
        table: Arc<TranspositionTable>,
        stopwatch: Stopwatch,
    ) {
        self.evaluator.reset(&position);
        self.root_side = position.side_to_move();
        self.position = position;
        (self.rules, self.table) = (rules, table);
        self.stack.reset();
        self.lists.truncate(0);
        self.searched.clear();
        (self.seldepth, self.null_move_min_ply, self.check_searches) = (0, 0, 0);
        self.limiter.begin(stopwatch);
    }

    /// The search is over: releases the table, which may be replaced.
    pub(crate) fn release_table(&mut self) {
        self.table = Arc::new(TranspositionTable::empty());
    }

    /// Plays a move on the board and in the evaluator.
    #[inline(always)]
    pub(crate) fn make(&mut self, mv: Move, piece_to: PieceTo) {
        self.stack.push(Some(piece_to));
        self.table.prefetch(self.position.key_after(mv));
        let delta = self.position.make(mv);
        self.evaluator.push(&delta);
        self.limiter.count_node();
    }

    /// Takes the last move back.
    #[inline(always)]
    pub(crate) fn unmake(&mut self) {
        self.position.unmake();
        self.evaluator.pop();
        self.stack.pop();
    }

    /// Passes. The evaluator keeps nothing that depends on the side to move.
    pub(crate) fn make_null(&mut self) {
        self.stack.push(None);
        self.position.make_null();
        self.table.prefetch(self.position.key());
        self.limiter.count_node();
    }

    /// Takes a pass back.
    pub(crate) fn unmake_null(&mut self) {
        self.position.unmake_null();
        self.stack.pop();
    }

    /// Begins the static evaluation, which most nodes out of check need. The table's entry of a new position is still on its way then: the
    /// search visits 1.05 times as many nodes a second as with an evaluation that begins after the entry is known.
    #[inline(always)]
    pub(crate) fn prepare_evaluation(&mut self) {
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
    }

    /// The static evaluation of the position, before corrections.
    #[inline(always)]
    pub(crate) fn evaluate(&mut self) -> Value {
        let value = self.evaluator.evaluate(&self.position) + self.noise.of(self.position.key());
        value.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The static evaluation `raw` of the position, corrected by the correction history, whose keys go to the frame.
    #[inline(always)]
    pub(crate) fn corrected(&mut self, raw: Value) -> Value {
        let (last, own) = (self.stack.piece_to_before(1), self.stack.piece_to_before(2));
        let keys = CorrectionKeys::new(&self.position, last, own);
        self.stack.frame_mut().correction_keys = keys;
        self.histories.correction.correct(keys, raw)
    }

    /// A picker for the moves of the present node.
    #[inline(always)]
    pub(crate) fn new_picker(&mut self, tt_move: Move, purpose: Purpose) -> MovePicker {
        let choice = if self.stack.ply == 0 { self.root_moves.choice } else { self.rules.choice };
        MovePicker::new(&self.move_sources(), tt_move, purpose, choice)
    }

    /// The next move of a node whose best value so far is `best_value`. A node is mated only if no move saves it: before that the moves without
    /// promotion that are left out elsewhere are tried too.
    #[inline(always)]
    pub(crate) fn next_move(
        &mut self,
        picker: &mut MovePicker,
        best_value: Value,
        info: &mut Option<CheckInfo>,
    ) -> Option<Move> {
        let sources = &mut self.move_sources();
        let mv = picker.next(sources, info);
        let is_mated = mv.is_none() && best_value <= -MATE_BOUND && best_value > -INFINITE;
        if is_mated && picker.add_left_out(sources) { picker.next(sources, info) } else { mv }
    }

    /// The sources of a move picker.
    #[inline(always)]
    pub(crate) fn move_sources(&mut self) -> MoveSources<'_> {
        let Self { position, histories, stack, lists, .. } = self;
        MoveSources { position, histories, stack, lists }
    }

    /// The value of a draw for the side to move.
    pub(crate) fn draw_value(&self) -> Value {
        let value = self.rules.draw_value[self.root_side];
        if self.position.side_to_move() == self.root_side { value } else { -value }
    }

    /// Whether the search must end. Asked at every node.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        self.limiter.must_stop()
    }

    /// Whether this thread must stop; values returned since then mean nothing.
    #[inline(always)]
    pub(crate) fn stopped(&self) -> bool {
        self.limiter.stopped
    }
}
