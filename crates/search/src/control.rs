//! What ends a running search: the stop signal, the clock and the node limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;
use kiki_board::Move;

use crate::limits::Limits;
use crate::sync::atomic::AtomicBool;
use crate::time::{Budget, Deadline};
use crate::time_slices::{TIME_SLICE, TimeSlices};

/// State shared by the threads of a searcher and its coordinator.
pub(crate) struct SearchControl {
    /// Every thread reads it at every node.
    stop: CachePadded<AtomicBool>,
    /// Whether the search uses the opponent's time: limits do not count.
    pondering: CachePadded<AtomicBool>,
    /// Whether a thread has a first line, so that there is an answer.
    has_line: CachePadded<AtomicBool>,
    pub(crate) deadline: Deadline,
    /// Whether the next iteration is expected to end in time. The main thread decides.
    pub(crate) deepens: CachePadded<AtomicBool>,
    pub(crate) nodes: NodeBudget,
    /// By thread: the better move that its unfinished iteration has found, as iteration and move in
    /// 16 bits each; 0 for none. The answer is this move if it cannot wait for the thread.
    better: Box<[CachePadded<AtomicU32>]>,
    /// Set if there are more threads than processors.
    pub(crate) time_slices: Option<TimeSlices>,
}

impl SearchControl {
    pub(crate) fn new(threads: usize, processors: usize) -> Self {
        Self {
            stop: CachePadded::default(),
            pondering: CachePadded::default(),
            has_line: CachePadded::default(),
            deadline: Deadline::default(),
            deepens: CachePadded::default(),
            nodes: NodeBudget::new(threads),
            better: (0..threads).map(|_| CachePadded::default()).collect(),
            time_slices: (threads > processors).then(|| TimeSlices::new(processors)),
        }
    }

    /// Begins a search. No thread may be searching.
    pub(crate) fn begin(&self, budget: Option<Budget>, limits: &Limits) {
        self.deadline.set(budget, Duration::ZERO);
        // The strength of a level depends on its nodes, also while pondering.
        self.nodes.begin(limits.nodes, limits.skill.is_some());
        self.has_line.store(false, Ordering::Relaxed);
        self.deepens.store(true, Ordering::Relaxed);
        self.better.iter().for_each(|better| better.store(0, Ordering::Relaxed));
        self.stop.store(false, Ordering::Relaxed);
        if let Some(slices) = &self.time_slices {
            slices.begin();
        }
        self.pondering.store(limits.ponder, Ordering::Relaxed);
    }

    /// Ends the search: every thread stops at its next node.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(slices) = &self.time_slices {
            slices.open();
        }
    }

    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes that a thread has a first line. Returns whether no other had one.
    pub(crate) fn note_line(&self) -> bool {
        !self.has_line.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn has_line(&self) -> bool {
        self.has_line.load(Ordering::Acquire)
    }

    /// A thread's iteration, and the move that it has found there to be better than the previous
    /// iteration's.
    pub(crate) fn better(&self, thread: usize) -> Option<(u32, Move)> {
        let better = self.better[thread].load(Ordering::Relaxed);
        (better != 0).then(|| (better >> 16, Move::from_bits(better as u16)))
    }

    /// Whether the search uses the opponent's time. A thread that sees the end of pondering also
    /// sees the deadline set before it.
    #[inline(always)]
    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Ends pondering after a ponder hit: limits count from now on. The deadline must have been set
    /// before.
    pub(crate) fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Release);
    }
}

/// Counts nodes and distributes the node limit among threads.
pub(crate) struct NodeBudget {
    /// Published nodes: `[thread]`.
    searched: Box<[CachePadded<AtomicU64>]>,
    /// The part of the limit that no thread has taken.
    untaken: CachePadded<AtomicU64>,
    /// The part of the limit reserved for the main thread. Without it the search might end before
    /// the main thread has a line.
    main_part: AtomicU64,
    /// Whether the limit holds while pondering too.
    holds_while_pondering: AtomicBool,
}

impl NodeBudget {
    fn new(threads: usize) -> Self {
        Self {
            searched: (0..threads).map(|_| CachePadded::default()).collect(),
            untaken: CachePadded::default(),
            main_part: AtomicU64::new(0),
            holds_while_pondering: AtomicBool::new(false),
        }
    }

    /// Begins a search of at most `limit` nodes; `None` for no limit.
    fn begin(&self, limit: Option<u64>, holds_while_pondering: bool) {
        self.holds_while_pondering.store(holds_while_pondering, Ordering::Relaxed);
        let limit = limit.unwrap_or(u64::MAX);
        let main_part = limit / self.searched.len().max(1) as u64;
        self.main_part.store(main_part, Ordering::Relaxed);
        self.untaken.store(limit - main_part, Ordering::Relaxed);
        self.searched.iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    /// The published nodes of all threads.
    pub(crate) fn total(&self) -> u64 {
        self.searched.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    /// Publishes that a thread has searched `nodes` nodes in this search.
    pub(crate) fn publish(&self, thread: usize, nodes: u64) {
        self.searched[thread].store(nodes, Ordering::Relaxed);
    }

    /// Number of nodes that a thread may search before it takes any.
    fn initial_part(&self, thread: usize) -> u64 {
        if thread == 0 { self.main_part.load(Ordering::Relaxed) } else { 0 }
    }

    /// Takes `wanted` nodes for one thread, or all that are left. Threads take nodes before they
    /// search them: with a count afterwards, all together could exceed the limit.
    fn take(&self, wanted: u64) -> u64 {
        let less = |left: u64| Some(left.saturating_sub(wanted));
        self.untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_or(0, |left| left.min(wanted))
    }

    /// Takes at most `wanted` nodes, and at most a quarter of a thread's share of the rest. Nodes
    /// taken but not searched are lost when the main thread finds none left.
    fn take_share(&self, wanted: u64) -> u64 {
        let shares = 4 * self.searched.len().max(1) as u64;
        self.take((self.untaken.load(Ordering::Relaxed) / shares).clamp(1, wanted))
    }
}

/// Nodes between two checks of clock and limits: about half a millisecond.
const POLL_INTERVAL: u64 = 512;

/// Nodes after which the first iteration hurries if the search must end. Few positions need more.
const UNHURRIED: u64 = 2048;

/// Counts a thread's nodes and ends its search.
pub(crate) struct Limiter {
    pub(crate) control: Arc<SearchControl>,
    /// Number of the thread; only the main thread, 0, has a soft limit.
    pub(crate) thread: usize,
    pub(crate) begun: Instant,
    /// When the main thread ends this iteration, unless its best move is losing value.
    pub(crate) soft_limit: Option<Duration>,
    /// The share of the planned time from which a ponder hit gets its soft limit; `None` if this
    /// iteration has none.
    pub(crate) share: Option<f64>,
    /// Whether the search was pondering when the main thread last checked.
    was_pondering: bool,
    slice_ends: Duration,
    /// Nodes of this thread in this search, those charged for the mate search included.
    pub(crate) nodes: u64,
    /// Number of nodes that this thread may search before it has to take more.
    allowed: u64,
    next_poll: u64,
    /// Whether this thread must stop. Values that its search returns afterwards are meaningless.
    pub(crate) stopped: bool,
    /// Whether this thread is in its first iteration. No limit ends it before some thread has a
    /// line, as an unsearched move is no answer.
    pub(crate) owes_line: bool,
    /// Whether to evaluate leaves instead of searching them: the search must end, but the first
    /// iteration takes long.
    pub(crate) hurried: bool,
}

impl Limiter {
    /// The limiter of a thread in one search.
    pub(crate) fn new(thread: usize, control: Arc<SearchControl>, begun: Instant) -> Self {
        Self {
            thread,
            begun,
            soft_limit: None,
            share: None,
            was_pondering: false,
            slice_ends: begun.elapsed() + TIME_SLICE,
            nodes: 0,
            allowed: control.nodes.initial_part(thread),
            next_poll: 0,
            stopped: false,
            owes_line: false,
            hurried: false,
            control,
        }
    }

    pub(crate) fn publish(&self) {
        self.control.nodes.publish(self.thread, self.nodes);
    }

    /// Publishes the better move that this unfinished iteration has found, if any, in case another
    /// thread must answer.
    pub(crate) fn note_better(&self, iteration: usize, mv: Option<Move>) {
        let better = mv.map_or(0, |mv| (iteration as u32) << 16 | u32::from(mv.bits()));
        self.control.better[self.thread].store(better, Ordering::Relaxed);
    }

    /// Counts nodes that were not counted one by one, as far as the limit allows.
    pub(crate) fn add_nodes(&mut self, nodes: u64) {
        let own = nodes.min(self.allowed.saturating_sub(self.nodes));
        let taken = self.control.nodes.take(nodes - own);
        self.allowed += taken;
        self.nodes += own + taken;
    }

    /// Whether the search must end. Asked at every node.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped = self.stopped || self.control.is_stopped();
        if self.stopped && self.owes_line {
            self.go_on_without_line();
        }
        self.stopped
    }

    #[cold]
    fn go_on_without_line(&mut self) {
        self.stopped = self.control.has_line();
        self.hurried = self.nodes >= UNHURRIED;
    }

    #[cold]
    fn poll(&mut self) {
        self.publish();
        self.next_poll = self.nodes + POLL_INTERVAL;
        if let Some(slices) = &self.control.time_slices
            && self.begun.elapsed() >= self.slice_ends
        {
            slices.hand_over();
            self.slice_ends = self.begun.elapsed() + TIME_SLICE;
        }
        let pondering = self.control.is_pondering();
        self.was_pondering |= pondering;
        if pondering && !self.control.nodes.holds_while_pondering.load(Ordering::Relaxed) {
            return;
        }
        if self.allowed <= self.nodes {
            // Nodes searched while pondering count as well.
            self.allowed += self.control.nodes.take(self.nodes - self.allowed);
            self.allowed += self.control.nodes.take_share(POLL_INTERVAL);
        }
        self.next_poll = self.next_poll.min(self.allowed);
        self.stopped |= self.allowed <= self.nodes;
        if !pondering {
            self.look_at_clock();
        }
    }

    fn look_at_clock(&mut self) {
        let now = self.begun.elapsed();
        // The first thread to see the end stops all, so that the thread that answers gets its
        // processor at once.
        if self.control.deadline.is_over(now) {
            self.control.stop();
        }
        if self.thread == 0 {
            if std::mem::take(&mut self.was_pondering) {
                // Time spent before a ponder hit counts too: the answer may be due at once.
                let plan = self.control.deadline.plan().filter(|plan| plan.least() < plan.maximum());
                self.soft_limit = plan.zip(self.share).map(|(plan, share)| plan.iteration_end(share));
            }
            self.stopped |= self.soft_limit.is_some_and(|limit| now >= limit);
        }
    }

    /// Whether a computation without nodes must end.
    pub(crate) fn is_time_up(&self) -> bool {
        self.control.is_stopped() || !self.control.is_pondering() && self.control.deadline.is_over(self.begun.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_together_take_the_limit_and_no_node_more() {
        let budget = NodeBudget::new(4);
        budget.begin(Some(1000), false);
        assert_eq!([0, 1, 3].map(|thread| budget.initial_part(thread)), [250, 0, 0]);
        let mut taken = 250;
        while let share @ 1.. = budget.take_share(512) {
            taken += share;
        }
        assert_eq!((taken, budget.take(1)), (1000, 0));
        budget.begin(Some(10), false);
        assert_eq!((budget.take(100), budget.take(100)), (8, 0));
    }

    #[test]
    fn published_nodes_are_added_up_until_the_next_search() {
        let budget = NodeBudget::new(2);
        budget.begin(None, false);
        budget.publish(0, 5);
        budget.publish(1, 7);
        budget.publish(1, 9);
        assert_eq!(budget.total(), 14);
        budget.begin(None, false);
        assert_eq!(budget.total(), 0);
    }

    fn limiter_of(thread: usize, control: &Arc<SearchControl>) -> Limiter {
        Limiter::new(thread, Arc::clone(control), Instant::now())
    }

    #[test]
    fn whichever_thread_sees_the_end_of_the_time_ends_the_search_of_all() {
        let control = Arc::new(SearchControl::new(2, 2));
        for thread in [0, 1] {
            control.begin(Some(Budget::exactly(Duration::ZERO, Duration::ZERO)), &Limits::default());
            assert!(limiter_of(thread, &control).must_stop());
            assert!(control.is_stopped(), "by thread {thread}");
        }
    }

    #[test]
    fn the_clock_does_not_count_while_pondering_and_the_soft_limit_ends_the_main_thread_only() {
        let control = Arc::new(SearchControl::new(2, 2));
        control.begin(
            Some(Budget::exactly(Duration::ZERO, Duration::ZERO)),
            &Limits { ponder: true, ..Limits::default() },
        );
        assert!(!limiter_of(1, &control).must_stop());
        control.end_pondering();
        assert!(limiter_of(1, &control).must_stop());
        control.begin(None, &Limits::default());
        for thread in [0, 1] {
            let mut limiter = limiter_of(thread, &control);
            limiter.soft_limit = Some(Duration::ZERO);
            assert_eq!(limiter.must_stop(), thread == 0);
        }
        assert!(!control.is_stopped());
    }

    #[test]
    fn a_ponder_hit_ends_an_iteration_after_its_share_of_the_planned_time_unless_it_loses_value() {
        let [hour, second] = [3600, 1].map(Duration::from_secs);
        let budget = Budget { least: Duration::ZERO, optimum: second, ..Budget::exactly(hour, Duration::ZERO) };
        for (share, stops) in [(Some(0.5), true), (Some(3.0), false), (None, false)] {
            let control = Arc::new(SearchControl::new(1, 1));
            control.begin(Some(budget), &Limits { ponder: true, ..Limits::default() });
            let begun = Instant::now().checked_sub(2 * second).expect("a clock that runs");
            let mut limiter = Limiter::new(0, Arc::clone(&control), begun);
            limiter.share = share;
            assert!(!limiter.must_stop());
            control.end_pondering();
            limiter.nodes += POLL_INTERVAL;
            assert_eq!(limiter.must_stop(), stops, "{share:?}");
        }
    }
}
