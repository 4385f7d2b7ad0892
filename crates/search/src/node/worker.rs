//! The state of one searching thread: position, evaluator, stack, move lists and histories.

use std::sync::Arc;
use std::time::Instant;

use kiki_board::{CheckInfo, Color, Move, Position};
use kiki_eval::Evaluator;

use super::root_moves::RootMoves;
use crate::control::{Limiter, SearchControl};
use crate::limits::Rules;
use crate::order::history::{Histories, SearchedMove, StructureKeys};
use crate::order::{MoveLists, MovePicker, MoveSources, Purpose, Stack};
use crate::reliability::Reliability;
use crate::skill::Errors;
use crate::table::{TableEntry, TranspositionTable};
use crate::value::{EVAL_LIMIT, INFINITE, MATE_BOUND, NONE, Value};

/// The state of one searching thread. The steps of a node are its methods.
pub(crate) struct Worker<E: Evaluator> {
    pub(crate) position: Position,
    /// Kept up to date with `position`.
    pub(super) evaluator: E,
    pub(crate) table: Arc<TranspositionTable>,
    pub(crate) stack: Stack,
    pub(crate) lists: MoveLists,
    /// The moves already searched at the nodes on the stack, node after node.
    pub(crate) searched: Vec<SearchedMove>,
    pub(crate) histories: Histories,
    pub(crate) root_moves: RootMoves,
    /// The iteration, in plies.
    pub(crate) root_depth: usize,
    root_side: Color,
    pub(crate) rules: Rules,
    pub(crate) reliability: Arc<Reliability>,
    /// The errors below full strength.
    pub(crate) errors: Errors,
    /// The best line of this thread's last completed iteration.
    pub(crate) last_line: Vec<Move>,
    /// The width of the window at the root.
    pub(super) root_window: Value,
    /// A null window's discount on reductions: divided once, not for every move.
    pub(super) null_window_discount: i32,
    pub(super) logarithms: Logarithms,
    pub(crate) limiter: Limiter,
    /// The longest line searched so far in this iteration, in plies.
    pub(crate) seldepth: usize,
    /// No null moves above this ply while a null-move cutoff is verified; else 0.
    pub(crate) null_move_min_ply: usize,
}

impl<E: Evaluator> Worker<E> {
    pub(crate) fn new(
        thread: usize,
        weights: &Arc<E::Weights>,
        control: Arc<SearchControl>,
        histories: Histories,
    ) -> Self {
        let position = Position::startpos();
        Self {
            evaluator: E::new(weights, &position),
            position,
            table: Arc::new(TranspositionTable::empty()),
            stack: Stack::new(),
            lists: MoveLists::new(),
            searched: Vec::with_capacity(600),
            histories,
            root_moves: RootMoves::new([]),
            root_depth: 0,
            root_side: Color::Black,
            rules: Rules::default(),
            reliability: Arc::default(),
            errors: Errors::default(),
            last_line: Vec::new(),
            root_window: 2 * INFINITE,
            null_window_discount: 0,
            logarithms: Logarithms::new(),
            limiter: Limiter::new(thread, control, Instant::now()),
            seldepth: 0,
            null_move_min_ply: 0,
        }
    }

    /// Begins a search of `position`. The caller then sets the root moves.
    pub(crate) fn set_up(&mut self, position: Position, rules: Rules, table: Arc<TranspositionTable>, begun: Instant) {
        self.evaluator.reset(&position);
        self.root_side = position.side_to_move();
        self.position = position;
        (self.rules, self.table) = (rules, table);
        self.stack.reset(StructureKeys::of(&self.position));
        self.histories.low.clear();
        self.last_line.clear();
        self.lists.truncate(0);
        self.searched.clear();
        (self.seldepth, self.null_move_min_ply) = (0, 0);
        self.limiter = Limiter::new(self.limiter.thread, Arc::clone(&self.limiter.control), begun);
    }

    /// Forgets all that earlier searches learned. Makes its memory resident if wanted.
    pub(crate) fn forget(&mut self, resident: bool) {
        self.histories.clear(self.limiter.thread, resident);
    }

    #[inline(always)]
    pub(crate) fn make(&mut self, mv: &SearchedMove) {
        self.table.prefetch(self.position.key_after(mv.mv));
        let delta = self.position.make(mv.mv);
        self.stack.push(mv, &delta);
        self.prefetch_corrections();
        self.evaluator.push(&delta);
        self.limiter.nodes += 1;
    }

    #[inline(always)]
    pub(crate) fn unmake(&mut self) {
        self.position.unmake();
        self.evaluator.pop();
        self.stack.pop();
    }

    /// Passes, which counts no node. The evaluator keeps no state that depends on the side to move.
    pub(crate) fn make_null(&mut self) {
        self.stack.push_null();
        self.position.make_null();
        self.table.prefetch(self.position.key());
    }

    pub(crate) fn unmake_null(&mut self) {
        self.position.unmake_null();
        self.stack.pop();
    }

    /// Stores an entry of the current node.
    #[inline(always)]
    pub(crate) fn store(&self, entry: TableEntry) {
        self.table.store(self.position.key(), self.stack.ply, entry);
    }

    /// Starts the static evaluation, which most nodes out of check need, while the table's entry is
    /// fetched. The search visits 1.05 times as many nodes a second as with an evaluation after the
    /// entry is known.
    #[inline(always)]
    pub(crate) fn prepare_evaluation(&mut self) {
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
    }

    /// The static evaluation of the position, before corrections.
    #[inline(always)]
    pub(crate) fn evaluate(&mut self) -> Value {
        let value = self.evaluator.evaluate(&self.position) + self.errors.of(self.position.key());
        value.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The same, from the table's entry if it has one.
    #[inline(always)]
    pub(crate) fn raw_evaluation(&mut self, entry: &TableEntry) -> Value {
        if entry.eval == NONE { self.evaluate() } else { entry.eval }
    }

    #[inline(always)]
    pub(crate) fn new_picker(&mut self, tt_move: Move, purpose: Purpose) -> MovePicker {
        let choice = if self.stack.ply == 0 { self.root_moves.choice } else { self.rules.choice };
        MovePicker::new(&self.move_sources(), tt_move, purpose, choice)
    }

    /// The next move of a node with the best value `best_value`. A node is mated only if no move
    /// saves it: before that, it also tries the moves without promotion that the generator left
    /// out.
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

    /// Whether this thread must stop. Values returned afterwards are meaningless.
    #[inline(always)]
    pub(crate) fn stopped(&self) -> bool {
        self.limiter.stopped
    }
}

/// Logarithms by depth and by move number, from which reductions follow: `trunc(21.5859375 * ln n)`,
/// 0 for 0.
pub(super) struct Logarithms([i32; 600]);

impl Logarithms {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|n| (21.585_937_5 * libm::log(n.max(1) as f64)) as i32))
    }

    #[inline(always)]
    pub(super) fn get(&self, n: i32) -> i32 {
        self.0[(n.max(0) as usize).min(self.0.len() - 1)]
    }
}
