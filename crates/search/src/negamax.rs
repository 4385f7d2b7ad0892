//! One node of the alpha-beta search, as numbered steps.

use kiki_board::{CheckInfo, Move};
use kiki_eval::Evaluator;

use crate::history::{MoveSlot, Tried};
use crate::movepicker::{MovePicker, Purpose, check_info};
use crate::node::{Context, Node, OffPv, Window};
use crate::params;
use crate::prune::{Extension, Skip};
use crate::report::Bound;
use crate::tt::Entry;
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, NONE, Value, mated_at, mates_from, of_repetition};
use crate::worker::Worker;

/// A move of the loop and what is known about it before it is played.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) tried: Tried,
    /// Its place in the order, from 1.
    pub(crate) number: usize,
    /// A capture that loses material.
    pub(crate) put_off: bool,
    pub(crate) gives_check: bool,
    /// What the histories say, for quiet moves.
    pub(crate) history: i32,
}

impl<E: Evaluator> Worker<E> {
    /// The value of the current position, exact within `window` as far as pruning allows, a bound outside it; without meaning once the
    /// search is stopped.
    #[inline(always)]
    pub(crate) fn search<N: Node>(&mut self, window: Window, depth: i32, cut_node: bool) -> Value {
        let value = self.search_node::<N>(window, depth, cut_node);
        debug_assert!(self.stopped || self.is_possible(value), "{value} at ply {} within {window:?}", self.ply);
        value
    }

    #[expect(clippy::too_many_lines, clippy::cognitive_complexity, reason = "the order of the steps is its subject")]
    fn search_node<N: Node>(&mut self, mut window: Window, mut depth: i32, cut_node: bool) -> Value {
        // Step 1. Leaves belong to the quiescence search.
        if depth <= 0 {
            return self.quiesce::<N>(window, 0);
        }
        self.clear_line();
        if self.must_stop() {
            return 0;
        }

        // Step 2. The rules of the game, the end of the line, and mates shorter than any from here.
        if !N::ROOT {
            if let Some(value) = self.ruled() {
                return value;
            }
            window.alpha = window.alpha.max(mated_at(self.ply));
            window.beta = window.beta.min(mates_from(self.ply));
            if window.alpha >= window.beta {
                // Above or below all values that this node can have: the nearest of them.
                return window.alpha.min(mates_from(self.ply));
            }
        }
        self.seldepth = self.seldepth.max(self.ply + 1);
        let ply = self.ply;
        let excluded = self.frames[ply].excluded;
        let key = self.position.key();

        // Step 3. The transposition table.
        let entry = if excluded.is_none() { self.table.probe(key, ply) } else { None };
        if !N::PV
            && let Some(entry) = entry
            && entry.depth >= depth
            && answers(&entry, window.beta)
        {
            return entry.value;
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // Step 4. A win by declaration, and mate in one.
        let in_check = self.position.in_check();
        let mut info = None;
        if !N::ROOT
            && excluded.is_none()
            && let Some(value) = self.immediate_win(in_check, entry.is_none(), &mut info)
        {
            let depth = MAX_PLY as i32 - 2;
            let won = Entry { mv: Move::NONE, value, eval: NONE, depth, bound: Bound::Exact, pv: was_pv };
            self.table.store(key, ply, won);
            return value;
        }

        // Step 5. The static evaluation.
        let mut context = self.look_around(window, depth, cut_node, in_check, entry);

        // Steps 6 to 10. Subtrees that need not be searched.
        if !N::PV
            && !in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(&mut context)
        {
            return value;
        }
        if self.stopped {
            return 0;
        }

        // Step 11. A threat of mate takes its time to be met.
        depth += i32::from(context.threat && self.may_extend());
        context.depth = depth;

        // Step 12. Without a table move, look less deeply: the next visit will have one.
        let unknown = context.table_move().is_none() && excluded.is_none();
        if unknown && depth >= params::iterative_reduction_depth() && (N::PV || cut_node) {
            depth -= 1;
            context.depth = depth;
        }

        // Step 13. The moves.
        let tried_from = self.tried.len();
        let table_move = if N::ROOT { self.root_moves.front() } else { context.table_move() };
        let mut picker = MovePicker::new(self, table_move, Purpose::Main);
        let (alpha, beta) = (window.alpha, window.beta);
        let mut best_value = -INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        self.frames[ply + 2].killers = [Move::NONE; 2];
        let futile = !N::ROOT && context.is_futile(depth);
        while let Some(mv) = picker.next(self, &mut info) {
            if mv == excluded || (N::ROOT && !self.root_moves.is_searched_now(mv)) {
                continue;
            }
            number += 1;
            let candidate = self.candidate(mv, number, picker.gives_what_was_put_off(), &mut info);

            // Step 14. Moves that need not be searched.
            if !N::ROOT && best_value > -MATE_BOUND {
                match self.prune_move::<N>(&context, &candidate) {
                    Skip::No => {}
                    Skip::This => continue,
                    Skip::AllQuiets => {
                        picker.skip_quiets();
                        if !candidate.tried.tactical {
                            continue;
                        }
                    }
                }
            }

            // Step 15. Extensions.
            let extension = if N::ROOT { Extension::By(0) } else { self.extension::<N>(&context, &candidate) };
            if self.stopped {
                break;
            }
            let extension = match extension {
                Extension::By(plies) => plies,
                Extension::Cut(value) => {
                    picker.finish(self);
                    self.tried.truncate(tried_from);
                    return value;
                }
            };

            // Step 16. Play it and search the child, with less depth and a null window first.
            self.make(mv, candidate.tried.slot);
            self.frames[ply + 1].doubles += i32::from(extension >= 2);
            let value = self.search_child::<N>(&context, &candidate, was_pv, extension, best_value.max(alpha));
            self.unmake();
            if self.stopped {
                break;
            }
            if N::ROOT {
                self.note_root_move(mv, value, number, window);
            }

            // Step 17. Better than what was known? Enough to stop?
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.extend_line(mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
            self.tried.push(candidate.tried);
            if futile && best_value > -MATE_BOUND {
                picker.want_only_checks();
            }
        }
        picker.finish(self);
        if self.stopped {
            self.tried.truncate(tried_from);
            return 0;
        }

        // Step 18. No move: mate. (Stalemate does not exist in shogi: who cannot move has lost.)
        if number == 0 {
            return if excluded.is_none() { mated_at(ply) } else { alpha };
        }

        // Step 19. Learn from a cut.
        if best_value >= beta {
            self.learn(best_move, tried_from, depth);
        }
        self.learn_error(&context, best_move, best_value);
        self.tried.truncate(tried_from);

        // Step 20. Remember the result.
        if excluded.is_none() && !(N::ROOT && self.root_moves.line_index() > 0) {
            let bound = match best_value {
                value if value >= beta => Bound::Lower,
                value if value > alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let eval = context.raw_eval;
            self.table.store(key, ply, Entry { mv: best_move, value: best_value, eval, depth, bound, pv: was_pv });
        }
        best_value
    }

    /// Whether a value lies between being mated here and mating with the next move.
    pub(crate) fn is_possible(&self, value: Value) -> bool {
        (mated_at(self.ply)..=mates_from(self.ply)).contains(&value)
    }

    /// A verdict of the rules, or the end of the longest line: no search is needed.
    #[inline(always)]
    pub(crate) fn ruled(&self) -> Option<Value> {
        let repetition = self.position.search_repetition(self.ply);
        if let Some(value) = of_repetition(repetition, self.ply, self.draw()) {
            return Some(value);
        }
        if self.ply >= MAX_PLY {
            return Some(if self.position.in_check() { self.draw() } else { self.evaluate() });
        }
        let limit = self.rules.max_moves;
        // A mate on the last move still counts: the position after it is not looked at here.
        (limit > 0 && self.position.ply() > limit && !self.position.is_checkmate()).then(|| self.draw())
    }

    /// A win that needs no search: declaring, or mate in one if the table knows nothing yet.
    #[inline(always)]
    fn immediate_win(&mut self, in_check: bool, unknown: bool, info: &mut Option<CheckInfo>) -> Option<Value> {
        use kiki_board::DeclarationVerdict::{Draw, No, Win, WinBy};
        match self.position.declaration(self.rules.declaration) {
            Win | WinBy(_) => return Some(mates_from(self.ply)),
            No | Draw => {}
        }
        if !unknown || in_check || !self.may_mate_at_once() {
            return None;
        }
        let info = check_info(info, &self.position);
        self.position.find_mate_in_one(info, &mut self.moves).map(|_| mates_from(self.ply))
    }

    pub(crate) fn look_around(
        &mut self,
        window: Window,
        depth: i32,
        cut_node: bool,
        in_check: bool,
        entry: Option<Entry>,
    ) -> Context {
        let ply = self.ply;
        let excluded = self.frames[ply].excluded;
        let (mut raw_eval, mut eval) = (NONE, NONE);
        if !in_check {
            // A singular search stands where its parent stood.
            let again = !excluded.is_none() && self.frames[ply].static_eval != NONE;
            raw_eval = match entry.map_or(NONE, |entry| entry.eval) {
                NONE => self.evaluate(),
                known => known,
            };
            eval = if again { self.frames[ply].static_eval } else { self.corrected(raw_eval) };
        }
        self.frames[ply].static_eval = eval;
        let before = |plies: usize| if ply >= plies { self.frames[ply - plies].static_eval } else { NONE };
        let earlier = if before(2) == NONE { before(4) } else { before(2) };
        let improving = !in_check && earlier != NONE && eval > earlier;
        if let Some(entry) = entry
            && !in_check
            && entry.value.abs() < MATE_BOUND
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value > eval,
                Bound::Upper => entry.value < eval,
            }
        {
            eval = entry.value;
        }
        Context { window, depth, cut_node, in_check, threat: false, eval, raw_eval, improving, entry, excluded }
    }

    #[inline(always)]
    pub(crate) fn candidate(&self, mv: Move, number: usize, put_off: bool, info: &mut Option<CheckInfo>) -> Candidate {
        let tried = self.tried_move(mv);
        let gives_check = check_info(info, &self.position).gives_check(mv, self.position.arriving(mv));
        let history = if tried.tactical { 0 } else { self.quiet_history(tried) };
        Candidate { tried, number, put_off, gives_check, history }
    }

    #[inline(always)]
    pub(crate) fn tried_move(&self, mv: Move) -> Tried {
        let slot = MoveSlot::new(self.position.arriving(mv), mv.to());
        Tried { mv, slot, captured: self.position.cell(mv.to()), tactical: self.position.is_tactical(mv) }
    }

    #[inline(always)]
    fn quiet_history(&self, tried: Tried) -> i32 {
        let side = self.position.side_to_move().array_index();
        self.histories.quiet(side, tried.mv).get()
            + self.histories.following(self.slot_before(1)).get(tried.slot)
            + self.histories.following(self.slot_before(2)).get(tried.slot)
    }

    fn learn(&mut self, best: Move, tried_from: usize, depth: i32) {
        let best = self.tried_move(best);
        let tried = std::mem::take(&mut self.tried);
        self.learn_from_cut(best, &tried[tried_from..], depth);
        self.tried = tried;
    }

    /// Searches the position after a move: late moves shallower first, all but the first with a null window first.
    #[inline(always)]
    fn search_child<N: Node>(
        &mut self,
        context: &Context,
        candidate: &Candidate,
        was_pv: bool,
        extension: i32,
        alpha: Value,
    ) -> Value {
        let depth = context.depth - 1 + extension;
        let beta = context.window.beta;
        let mut value = alpha + 1;
        let late = candidate.number > 1 + usize::from(N::ROOT);
        if late && context.depth >= 2 && (!candidate.tried.tactical || candidate.put_off || context.cut_node) {
            let reduced = (depth - self.reduction::<N>(context, candidate, was_pv)).clamp(1.min(depth), depth);
            value = -self.search::<OffPv>(Window::null(alpha).turned(), reduced, true);
            if value > alpha && reduced < depth && !self.stopped {
                value = -self.search::<OffPv>(Window::null(alpha).turned(), depth, !context.cut_node);
            }
        } else if !N::PV || candidate.number > 1 {
            value = -self.search::<OffPv>(Window::null(alpha).turned(), depth, !context.cut_node);
        }
        if N::PV && (candidate.number == 1 || value > alpha) && !self.stopped {
            value = -self.search::<N::Next>(Window { alpha, beta }.turned(), depth, false);
        }
        value
    }
}

/// Whether a stored value decides a null-window question at `beta`.
#[inline(always)]
pub(crate) fn answers(entry: &Entry, beta: Value) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => entry.value >= beta,
        Bound::Upper => entry.value < beta,
    }
}
