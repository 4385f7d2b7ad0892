//! One searching thread: its position, evaluator, stack and histories.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kiki_board::{Move, MoveList, Position, PromotionChoice, opponent};
use kiki_eval::Evaluator;

use crate::clock::Clock;
use crate::history::{Histories, MoveSlot, Traits, Tried};
use crate::limits::Rules;
use crate::root_mate::RootMate;
use crate::root_moves::RootMoves;
use crate::shared::{NodeCounter, Shared};
use crate::tt::Table;
use crate::turns::{TURN, Turns};
use crate::value::{EVAL_LIMIT, MAX_PLY, NONE, Value};

/// What a node leaves for its neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Of the node's position; [`NONE`] in check.
    pub(crate) static_eval: Value,
    /// Where that evaluation's corrections are kept.
    pub(crate) traits: Traits,
    /// The move that is being searched, as a name for continuation histories.
    pub(crate) slot: MoveSlot,
    /// Whether a null move is being searched.
    pub(crate) null: bool,
    /// Quiet moves that cut at this ply.
    pub(crate) killers: [Move; 2],
    /// The move that a singular search leaves out.
    pub(crate) excluded: Move,
    /// How many moves on the way here were extended by two plies.
    pub(crate) doubles: i32,
    /// Length of the line stored for this ply.
    pub(crate) pv_len: usize,
}

impl Frame {
    const EMPTY: Self = Self {
        static_eval: NONE,
        traits: Traits::NONE,
        slot: MoveSlot::NONE,
        null: false,
        killers: [Move::NONE; 2],
        excluded: Move::NONE,
        doubles: 0,
        pv_len: 0,
    };
}

/// How many nodes a thread searches between two looks at the limits: about half a millisecond.
const POLL: u64 = 512;

/// One thread's state.
pub(crate) struct Worker<E: Evaluator> {
    pub(crate) position: Position,
    evaluator: E,
    pub(crate) table: Arc<Table>,
    shared: Arc<Shared<E::Weights>>,
    pub(crate) histories: Histories,
    pub(crate) frames: Vec<Frame>,
    /// Triangular: `MAX_PLY` moves a ply.
    lines: Vec<Move>,
    /// A stack of lists, one for each node on the line.
    pub(crate) moves: MoveList,
    pub(crate) scores: Vec<i32>,
    /// Moves already searched, for learning; a stack as well.
    pub(crate) tried: Vec<Tried>,
    pub(crate) root_moves: RootMoves,
    /// Which promotions are generated at the root: all if one that was asked for by name is not a sensible one.
    pub(crate) root_choice: PromotionChoice,
    pub(crate) ply: usize,
    pub(crate) seldepth: usize,
    /// Null moves are not tried above this ply while a null move cut is being verified.
    pub(crate) null_from: usize,
    pub(crate) root_mate: RootMate,
    pub(crate) rules: Rules,
    pub(crate) root_side: usize,
    /// 0 is the main thread, the only one that watches the clock.
    pub(crate) id: usize,
    pub(crate) clock: Clock,
    /// Where the main thread ends this iteration if it is in no trouble.
    pub(crate) soft_limit: Option<Duration>,
    /// The opponent's time was being used when the main thread last looked.
    was_pondering: bool,
    /// Taken if there are more threads than processors.
    turns: Option<Arc<Turns>>,
    /// When the present turn ends.
    turn_ends: Duration,
    /// The iteration, in plies.
    pub(crate) root_depth: usize,
    nodes: u64,
    /// The nodes that this thread may search before it has to ask for more.
    allowed: u64,
    next_poll: u64,
    published: NodeCounter,
    pub(crate) stopped: bool,
}

impl<E: Evaluator> Worker<E> {
    pub(crate) fn new(id: usize, shared: &Arc<Shared<E::Weights>>, published: NodeCounter) -> Self {
        let position = Position::startpos();
        Self {
            evaluator: E::new(&shared.weights, &position),
            position,
            table: Arc::new(Table::empty()),
            shared: Arc::clone(shared),
            histories: Histories::new(),
            frames: vec![Frame::EMPTY; MAX_PLY + 8],
            lines: vec![Move::NONE; (MAX_PLY + 2) * MAX_PLY],
            moves: MoveList::new(),
            scores: Vec::with_capacity(600),
            tried: Vec::with_capacity(600),
            root_moves: RootMoves::default(),
            root_choice: PromotionChoice::Sensible,
            ply: 0,
            seldepth: 0,
            null_from: 0,
            root_mate: RootMate::new(),
            rules: Rules::default(),
            root_side: 0,
            id,
            clock: Clock::start(),
            soft_limit: None,
            was_pondering: false,
            turns: None,
            turn_ends: Duration::ZERO,
            root_depth: 0,
            nodes: 0,
            allowed: 0,
            next_poll: 0,
            published,
            stopped: false,
        }
    }

    /// Forgets what was learned in earlier games. All memory for it is resident afterwards.
    pub(crate) fn forget(&mut self) {
        self.histories.clear();
        if self.id == 0 {
            // The only one that looks for mates at the root.
            self.root_mate.forget();
        }
    }

    /// Stands at the root of a new search.
    pub(crate) fn set_up(&mut self, position: Position, rules: Rules, clock: Clock) {
        self.evaluator.reset(&position);
        self.root_side = position.side_to_move().array_index();
        self.position = position;
        self.table = self.shared.table();
        self.frames.fill(Frame::EMPTY);
        self.moves.truncate(0);
        self.scores.clear();
        self.tried.clear();
        (self.ply, self.seldepth, self.null_from) = (0, 0, 0);
        (self.rules, self.clock) = (rules, clock);
        (self.soft_limit, self.was_pondering) = (None, false);
        self.turns = self.shared.turns();
        self.turn_ends = clock.elapsed() + TURN;
        self.allowed = self.shared.kept_for(self.id);
        (self.nodes, self.next_poll, self.stopped) = (0, 0, false);
    }

    /// The search is over: the table may be replaced.
    pub(crate) fn let_go(&mut self) {
        self.table = Arc::new(Table::empty());
    }

    /// Plays a move on the board and in the evaluator: with [`Worker::unmake`] the only pair that does.
    #[inline(always)]
    pub(crate) fn make(&mut self, mv: Move, slot: MoveSlot) {
        let frame = &mut self.frames[self.ply];
        frame.slot = slot;
        frame.null = false;
        self.frames[self.ply + 1].doubles = self.frames[self.ply].doubles;
        self.table.prefetch(self.position.key_after(mv));
        let delta = self.position.make(mv);
        self.evaluator.push(&delta);
        self.ply += 1;
        self.nodes += 1;
    }

    #[inline(always)]
    pub(crate) fn unmake(&mut self) {
        self.position.unmake();
        self.evaluator.pop();
        self.ply -= 1;
    }

    /// Passes. The evaluator keeps nothing that depends on the side to move.
    pub(crate) fn make_null(&mut self) {
        let frame = &mut self.frames[self.ply];
        frame.slot = MoveSlot::NONE;
        frame.null = true;
        self.frames[self.ply + 1].doubles = self.frames[self.ply].doubles;
        self.position.make_null();
        self.table.prefetch(self.position.key());
        self.ply += 1;
        self.nodes += 1;
    }

    pub(crate) fn unmake_null(&mut self) {
        self.position.unmake_null();
        self.ply -= 1;
    }

    /// The static evaluation of the current position.
    #[inline(always)]
    pub(crate) fn evaluate(&self) -> Value {
        self.evaluator.evaluate(&self.position).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// A static evaluation of the current position, bettered by experience.
    #[inline(always)]
    pub(crate) fn corrected(&mut self, raw: Value) -> Value {
        let traits = Traits::new(&self.position, self.slot_before(1), self.slot_before(2));
        self.frames[self.ply].traits = traits;
        self.histories.corrections.apply(traits, raw)
    }

    /// The move played `plies` before the current node, as a name for continuation histories.
    #[inline(always)]
    pub(crate) fn slot_before(&self, plies: usize) -> MoveSlot {
        if self.ply >= plies { self.frames[self.ply - plies].slot } else { MoveSlot::NONE }
    }

    /// Whether a mate in one is worth looking for. The few that come from afar against a king that shuts itself in are left to the search.
    #[inline(always)]
    pub(crate) fn may_mate_at_once(&self) -> bool {
        self.position.is_king_approached(opponent(self.position.side_to_move()))
    }

    /// What a draw is worth to the side to move.
    pub(crate) fn draw(&self) -> Value {
        let value = self.rules.draw_value[self.root_side];
        if self.position.side_to_move().array_index() == self.root_side { value } else { -value }
    }

    /// Whether the search must end; asked at every node.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped = self.stopped || self.shared.stopped();
        self.stopped
    }

    #[cold]
    fn poll(&mut self) {
        self.publish();
        self.next_poll = self.nodes + POLL;
        if let Some(turns) = &self.turns
            && self.clock.elapsed() >= self.turn_ends
        {
            turns.pass_on(self.id);
            self.turn_ends = self.clock.elapsed() + TURN;
        }
        if self.shared.is_pondering() {
            self.was_pondering = true;
            return;
        }
        if self.allowed <= self.nodes {
            // What was searched while pondering counts as well.
            self.allowed += self.shared.take_nodes(self.nodes - self.allowed);
            self.allowed += self.shared.take_share(POLL);
        }
        self.next_poll = self.next_poll.min(self.allowed);
        self.stopped |= self.allowed <= self.nodes;
        if self.id == 0 {
            if std::mem::take(&mut self.was_pondering) {
                self.soft_limit = self.limit_after_hit();
            }
            let now = self.clock.elapsed();
            self.stopped |= self.soft_limit.is_some_and(|limit| now >= limit) || self.shared.deadline.is_over(now);
        }
    }

    /// After a ponder hit: the time that was spent before it counts, so that an answer may be given at once.
    fn limit_after_hit(&self) -> Option<Duration> {
        let plan = self.shared.deadline.plan().filter(|plan| plan.least() < plan.maximum())?;
        Some(plan.free_until(plan.budget.optimum.max(plan.least())))
    }

    /// Whether a part of the search that counts no nodes of its own must end.
    pub(crate) fn is_time_up(&self) -> bool {
        self.shared.stopped() || !self.shared.is_pondering() && self.shared.deadline.is_over(self.clock.elapsed())
    }

    /// Counts work that was no node of this search, as far as the limit allows.
    pub(crate) fn charge(&mut self, nodes: u64) {
        let own = nodes.min(self.allowed.saturating_sub(self.nodes));
        let taken = self.shared.take_nodes(nodes - own);
        self.allowed += taken;
        self.nodes += own + taken;
    }

    /// Tells the others how many nodes this thread has searched.
    pub(crate) fn publish(&self) {
        self.published.store(self.nodes, Ordering::Relaxed);
    }

    /// The nodes of this thread.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(crate) fn shared(&self) -> &Shared<E::Weights> {
        &self.shared
    }

    /// No line is known at the current ply.
    #[inline(always)]
    pub(crate) fn clear_line(&mut self) {
        self.frames[self.ply].pv_len = 0;
    }

    /// The best line of the current node is `mv` and then its child's.
    pub(crate) fn extend_line(&mut self, mv: Move) {
        let (at, below) = (self.ply * MAX_PLY, (self.ply + 1) * MAX_PLY);
        let len = self.frames[self.ply + 1].pv_len.min(MAX_PLY - 1);
        self.lines.copy_within(below..below + len, at + 1);
        self.lines[at] = mv;
        self.frames[self.ply].pv_len = len + 1;
    }

    /// The best line of a ply.
    pub(crate) fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply * MAX_PLY..][..self.frames[ply].pv_len]
    }
}
