//! The signals and limits that all threads of a search look at.

use std::sync::atomic::Ordering;

use crossbeam::utils::CachePadded;

use super::node_budget::NodeBudget;
use super::time_slices::TimeSlices;
use crate::sync::AtomicBool;
use crate::time::{Budget, Deadline};

/// Shared by the threads of a searcher and its coordinator.
pub(crate) struct SearchControl {
    /// Every thread looks at it at every node.
    stop: CachePadded<AtomicBool>,
    /// Thinking on the opponent's time: limits do not count.
    pondering: CachePadded<AtomicBool>,
    /// A thread has a first line: there is an answer.
    has_line: CachePadded<AtomicBool>,
    /// When the time is up.
    pub(crate) deadline: Deadline,
    pub(crate) nodes: NodeBudget,
    /// If there are more threads than processors.
    pub(crate) time_slices: Option<TimeSlices>,
}

impl SearchControl {
    /// For so many threads on so many processors.
    pub(crate) fn new(threads: usize, processors: usize) -> Self {
        Self {
            stop: CachePadded::default(),
            pondering: CachePadded::default(),
            has_line: CachePadded::default(),
            deadline: Deadline::default(),
            nodes: NodeBudget::new(threads),
            time_slices: (threads > processors).then(|| TimeSlices::new(threads, processors)),
        }
    }

    /// A search begins. Not while threads are searching.
    pub(crate) fn begin(&self, budget: Option<Budget>, nodes: Option<u64>, pondering: bool) {
        self.deadline.set(budget, std::time::Duration::ZERO);
        self.nodes.begin(nodes);
        self.has_line.store(false, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
        if let Some(slices) = &self.time_slices {
            slices.begin();
        }
        self.pondering.store(pondering, Ordering::Relaxed);
    }

    /// Ends the search: all threads see it at their next node.
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

    /// A thread has a first line. Returns whether it is the first one that has.
    pub(crate) fn note_line(&self) -> bool {
        !self.has_line.swap(true, Ordering::AcqRel)
    }

    /// Whether a thread has a first line.
    pub(crate) fn has_line(&self) -> bool {
        self.has_line.load(Ordering::Acquire)
    }

    /// Whether the opponent's time is being used. A thread that sees the end of pondering also sees the deadline set before it.
    #[inline(always)]
    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// The move pondered on was played: limits count from now on. The deadline must have been set before.
    pub(crate) fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Release);
    }
}
