//! The root: iterative deepening, aspiration windows, several lines.

use std::time::Duration;

use kiki_board::{Move, MoveList, PromotionChoice};
use kiki_eval::Evaluator;

use crate::node::{Root, Window};
use crate::params;
use crate::report::{Bound, GatedReporter, WorkDone};
use crate::root_moves::{RootLine, RootMoves, Searched};
use crate::stability::BestMoveStability;
use crate::value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, Value};
use crate::worker::Worker;

/// What the main thread tells, and to whom.
pub(crate) struct Guide<'a> {
    pub(crate) reporter: &'a GatedReporter,
    pub(crate) pv_interval: Duration,
    /// Tell of values outside the window too.
    pub(crate) report_bounds: bool,
}

/// What every thread is asked to do at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) depth: u32,
    pub(crate) lines: usize,
    /// Until somebody stops it.
    pub(crate) endless: bool,
}

/// Percent of the planned time: an iteration takes about as long as all before it, so none begins after this part of the time.
const NEXT_ITERATION: u32 = 65;
/// Percent of the planned time at which an iteration ends that is in no trouble.
const OVERTIME: u32 = 150;
/// Less than this is not worth beginning an iteration.
const WORTHWHILE: Duration = Duration::from_millis(10);

impl<E: Evaluator> Worker<E> {
    /// The moves to be searched at the root: legal, and among `only` unless that is empty.
    pub(crate) fn set_root_moves(&mut self, only: &[Move]) {
        let mut list = MoveList::new();
        self.position.all_moves(&mut list, self.rules.choice);
        let asked: Vec<Move> = only.iter().copied().filter(|&mv| self.position.is_legal(mv)).collect();
        // Moves that are asked for by name may be ones that a sensible player does not consider.
        let sensible = asked.iter().all(|mv| list.contains(mv));
        self.root_choice = if sensible { self.rules.choice } else { PromotionChoice::All };
        self.root_moves = if only.is_empty() { RootMoves::new(list.iter().copied()) } else { RootMoves::new(asked) };
        self.put_mate_in_one_first();
    }

    /// A move that mates at once is searched first. In a wild position the captures behind the moves before it may take all the time
    /// that there is.
    fn put_mate_in_one_first(&mut self) {
        let mut position = self.position.clone();
        let mates = |mv: Move| {
            position.make(mv);
            let mated = position.is_checkmate();
            position.unmake();
            mated
        };
        self.root_moves.put_first(mates);
    }

    /// Searches deeper and deeper. `found` hears of the best lines after every completed iteration, and once more if one was interrupted;
    /// `guide` is the main thread's.
    pub(crate) fn deepen(&mut self, plan: Plan, guide: Option<&Guide<'_>>, mut found: impl FnMut(&[RootLine])) {
        let count = plan.lines.clamp(1, self.root_moves.len().max(1));
        // Whoever wants to see several lines, or whatever can be seen, is not to be stopped by a mate.
        self.root_mate.begin(guide.is_some() && count == 1 && !plan.endless);
        let mut stability = BestMoveStability::default();
        let mut last_report = None;
        let mut completed: Option<RootLine> = None;
        let last_depth = plan.depth.min(MAX_PLY as u32 - 2);
        for depth in 1..=last_depth {
            self.root_depth = depth as usize;
            self.root_moves.begin_iteration(depth);
            self.search_lines(depth as i32, count, guide);
            self.publish();
            if self.stopped {
                return found(&self.root_moves.interrupted_lines(count, completed.as_ref()));
            }
            let lines = self.root_moves.lines(count);
            found(&lines);
            // A mate that is known already may be shorter than the solver's.
            if lines[0].value < MATE_BOUND
                && let Some(mate) = self.root_mate(depth)
            {
                self.root_moves.put_mate_first(mate);
                return found(&self.root_moves.lines(count));
            }
            if let Some(guide) = guide {
                stability.update(&lines[0]);
                if !self.has_time(&stability, &lines[0]) {
                    return;
                }
                // The last lines are told with the answer.
                if depth < last_depth && last_report.is_none_or(|at| self.clock.elapsed() >= at + guide.pv_interval) {
                    self.report(&lines, guide.reporter);
                    last_report = Some(self.clock.elapsed());
                }
            }
            completed = lines.into_iter().next();
        }
    }

    /// One iteration: the best line, the best of what is left, and so on.
    fn search_lines(&mut self, depth: i32, count: usize, guide: Option<&Guide<'_>>) {
        let bounds = guide.filter(|guide| guide.report_bounds && count == 1);
        for line in 0..count {
            self.seldepth = 0;
            let previous = self.root_moves.begin_line(line);
            self.aspire(depth, previous, bounds);
            if self.stopped {
                return;
            }
            self.root_moves.end_line();
        }
    }

    /// One line at one depth, with a narrow window around its value in the last iteration that is widened until the new value lies within.
    /// `bounds` hears of windows that were left.
    fn aspire(&mut self, depth: i32, previous: Option<Value>, bounds: Option<&Guide<'_>>) {
        let mut width = params::aspiration_width() + (self.id % 8) as i32;
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        if depth >= 4
            && let Some(previous) = previous.filter(|value| value.abs() < MATE_BOUND)
        {
            window = Window { alpha: (previous - width).max(-INFINITE), beta: (previous + width).min(INFINITE) };
        }
        let mut reduction = 0;
        loop {
            self.root_moves.begin_window();
            let value = self.search::<Root>(window, (depth - reduction).max(1), false);
            self.root_moves.end_window();
            if self.stopped {
                return;
            }
            debug_assert!(
                value <= window.alpha || value == self.root_moves.window_value(),
                "the best move has the value of the window: {value}, {:?}",
                self.root_moves.front_line()
            );
            if value <= window.alpha && window.alpha > -INFINITE {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - width).max(-INFINITE);
                reduction = 0;
                // In trouble: the time planned for calm searches does not count.
                self.soft_limit = None;
            } else if value >= window.beta && window.beta < INFINITE {
                window.beta = (value + width).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            if let Some(guide) = bounds
                && self.clock.elapsed() > Duration::from_secs(3)
            {
                self.publish();
                let (line, bound) = self.root_moves.front_line();
                guide.reporter.info(&line.info(1, bound, self.work_done()));
            }
            width += width * params::aspiration_growth() / 100;
            if width > 2000 {
                window = Window { alpha: -INFINITE, beta: INFINITE };
            }
        }
    }

    /// A root move has been searched.
    pub(crate) fn note_root_move(&mut self, mv: Move, value: Value, number: usize, window: Window) {
        // The list is taken out for a moment, as the line belongs to the worker too.
        let mut root_moves = std::mem::take(&mut self.root_moves);
        root_moves.note(&Searched { mv, value, number, window, seldepth: self.seldepth, line: self.line(1) });
        self.root_moves = root_moves;
    }

    /// Tells of lines, best first.
    pub(crate) fn report(&self, lines: &[RootLine], reporter: &GatedReporter) {
        self.publish();
        let work = self.work_done();
        for (index, line) in lines.iter().enumerate() {
            reporter.info(&line.info(index + 1, Bound::Exact, work));
        }
    }

    fn work_done(&self) -> WorkDone {
        WorkDone { nodes: self.shared().nodes(), time: self.clock.elapsed(), hashfull: self.table.hashfull() }
    }

    /// Whether the main thread should begin another iteration after one that ended with this line as the best; if so, sets where that one
    /// ends if it is in no trouble.
    fn has_time(&mut self, stability: &BestMoveStability, best: &RootLine) -> bool {
        self.soft_limit = None;
        // In this order: a hit sets the plan before it ends the pondering.
        if self.shared().is_pondering() {
            return true;
        }
        let Some(plan) = self.shared().deadline.plan() else { return true };
        // A forced mate that an iteration of twice its length has confirmed will not get shorter.
        let mate = best.value.abs() >= MATE_BOUND;
        if mate && best.depth as i32 > 2 * (MATE - best.value.abs()) {
            return false;
        }
        let only_move = self.root_moves.len() == 1;
        if plan.least() == plan.maximum() {
            // Nothing can be saved: use it all, unless there is nothing to choose.
            return !(only_move && best.depth >= 8);
        }
        let spent = self.clock.elapsed();
        let percent = if only_move { 10 } else { stability.percent() };
        let target = plan.budget.optimum * percent / 100;
        if spent < target * NEXT_ITERATION / 100 || (spent < plan.least() && !only_move) {
            self.soft_limit = Some(plan.free_until((target * OVERTIME / 100).max(plan.least())));
            return true;
        }
        let free = plan.free_until(spent);
        self.soft_limit = Some(free);
        free > spent + WORTHWHILE
    }
}
