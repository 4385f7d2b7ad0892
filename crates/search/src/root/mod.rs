//! The search from the root: iterative deepening with aspiration windows for one or several lines,
//! forced mates, and when to stop.

mod mate;
mod time_use;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_eval::Evaluator;

use self::mate::{MateLines, RootMate, UNHURRIED};
pub(crate) use self::mate::{known_win, lines_to_report};
use self::time_use::{NextIteration, ONLY_MOVE, Steadiness, next_iteration};
use crate::control::SearchControl;
use crate::limits::{Limits, Options};
use crate::node::root_moves::RootMoves;
use crate::node::worker::Worker;
use crate::node::{RootNode, Window};
use crate::order::history::{Histories, SharedHistories};
use crate::params;
use crate::reliability::Reliability;
use crate::report::{Action, GatedReporter, RootLine, WorkDone};
use crate::table::TranspositionTable;
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, Value};

/// Nodes for each position that may be searched to complete mate lines.
const MATE_LINE_SHARE: u64 = 32;
const MOST_MATE_LINE_POSITIONS: u64 = 4000;

/// A requested search; the same for all threads.
pub(crate) struct SearchRequest {
    pub(crate) position: Position,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    pub(crate) reliability: Arc<Reliability>,
    pub(crate) begun: Instant,
}

pub(crate) struct RootSearch<E: Evaluator> {
    worker: Worker<E>,
    mate: RootMate,
    steadiness: Steadiness,
    /// Private histories in place of the shared ones, for searches below full strength: other
    /// threads must not influence them.
    alone: Option<Arc<SharedHistories>>,
}

impl<E: Evaluator> RootSearch<E> {
    pub(crate) fn new(
        thread: usize,
        weights: &Arc<E::Weights>,
        control: Arc<SearchControl>,
        shared: Arc<SharedHistories>,
    ) -> Self {
        let worker = Worker::new(thread, weights, control, Histories::new(shared));
        Self { worker, mate: RootMate::default(), steadiness: Steadiness::default(), alone: None }
    }

    /// Forgets earlier games. Makes the memory of the histories resident if wanted.
    pub(crate) fn new_game(&mut self, resident: bool) {
        self.worker.forget(resident);
        self.steadiness = Steadiness::default();
        if self.worker.limiter.thread == 0 {
            // Only the main thread looks for mates at the root.
            self.mate.forget();
        }
    }

    /// One thread's part of a search. `publish` receives the best lines, all of one depth, after
    /// every completed iteration and after an interrupted one. Only the main thread has a `reporter`.
    pub(crate) fn run(
        &mut self,
        request: &SearchRequest,
        table: Arc<TranspositionTable>,
        reporter: Option<&GatedReporter>,
        publish: impl FnMut(&[RootLine]),
    ) {
        let worker = &mut self.worker;
        let SearchRequest { position, limits, options: Options { rules, multipv, .. }, .. } = request;
        worker.set_up(position.clone(), *rules, table, request.begun);
        worker.reliability = Arc::clone(&request.reliability);
        worker.errors = limits.skill.map(|skill| skill.errors(position)).unwrap_or_default();
        let is_weak = limits.skill.is_some();
        if is_weak {
            // A search below full strength learns nothing from other searches, and teaches them
            // none of its errors.
            let new = || Arc::new(SharedHistories::new(1).expect("memory for histories"));
            std::mem::swap(self.alone.get_or_insert_with(new), &mut worker.histories.shared);
            worker.forget(false);
        }
        worker.root_moves = RootMoves::of(position, &limits.search_moves, rules.choice);
        let win = known_win(position, limits, rules);
        if !worker.root_moves.is_empty() && (win.is_none() || *multipv > 1) {
            self.steadiness.begin(position.ply());
            self.iterate(request, win, reporter, publish);
            self.steadiness.end();
        }
        if is_weak {
            self.worker.forget(false);
            if let Some(shared) = &mut self.alone {
                std::mem::swap(shared, &mut self.worker.histories.shared);
            }
        }
        // The table may be replaced now.
        self.worker.table = Arc::new(TranspositionTable::empty());
    }

    fn iterate(
        &mut self,
        request: &SearchRequest,
        win: Option<Action>,
        reporter: Option<&GatedReporter>,
        mut publish: impl FnMut(&[RootLine]),
    ) {
        let mut multipv = request.options.multipv.clamp(1, self.worker.root_moves.len());
        // A weaker player does not see long mates.
        self.mate.begin(reporter.is_some() && request.limits.skill.is_none());
        // An analysis continues with other lines and shorter mates.
        let mate_ends_search = multipv == 1 && !request.limits.is_analysis();
        let bounds = reporter.filter(|_| request.options.report_bounds);
        let mut last_report = None;
        let mut completed: Vec<RootLine> = Vec::new();
        let last_depth = request.limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 2);
        self.worker.limiter.owes_line = true;
        let mut again = 0;
        for depth in 1..=last_depth {
            // If iterations are not expected to end in time, three of four repeat the previous
            // depth, and one goes a ply deeper.
            again += i32::from(!self.worker.limiter.control.deepens.load(Ordering::Relaxed));
            let less = 3 * (again + 1) / 4;
            self.worker.root_depth = depth as usize;
            self.worker.root_moves.begin_iteration(depth);
            self.search_lines(depth as i32, less, multipv, bounds);
            if request.limits.search_moves.is_empty() && self.may_be_saved(multipv) {
                multipv = request.options.multipv.min(self.worker.root_moves.len());
                self.search_lines(depth as i32, less, multipv, bounds);
            }
            self.worker.limiter.publish();
            if self.worker.stopped() {
                return publish(&self.interrupted_lines(completed));
            }
            let mut lines = self.best_lines(multipv);
            publish(&lines);
            self.worker.last_line.clone_from(&lines[0].moves);
            (self.worker.limiter.owes_line, self.worker.limiter.hurried) = (false, false);
            let had_mate = self.mate.found.is_some();
            if let Some(mate) = self.find_mate(depth, lines[0].value) {
                self.worker.root_moves.put_mate_first(mate);
                lines = self.best_lines(multipv);
                publish(&lines);
                if mate_ends_search {
                    return;
                }
                if !had_mate {
                    // Report the mate at once.
                    last_report = None;
                }
            }
            if let Some(reporter) = reporter {
                if !self.has_time(&lines[0]) {
                    return;
                }
                // The answer reports the last lines.
                let elapsed = self.worker.limiter.begun.elapsed();
                if depth < last_depth && last_report.is_none_or(|at| elapsed - at >= request.options.pv_interval) {
                    let reported = lines_to_report(win, &lines, request.options.multipv, work_of(&self.worker));
                    reported.iter().for_each(|line| reporter.info(line));
                    last_report = Some(self.worker.limiter.begun.elapsed());
                }
            }
            completed = lines;
        }
    }

    /// Whether a line just searched is mated, and moves that may save it were added: those left out
    /// by the choice of promotions.
    fn may_be_saved(&mut self, multipv: usize) -> bool {
        let worker = &mut self.worker;
        let is_mated = |line: &RootLine| line.value <= -MATE_BOUND;
        !worker.stopped()
            && worker.root_moves.lines(multipv).iter().any(is_mated)
            && worker.root_moves.add_left_out(&worker.position)
    }

    /// A proved mate that is better than a best line of this value: alpha-beta may have found a
    /// shorter one.
    fn find_mate(&mut self, depth: u32, value: Value) -> Option<RootLine> {
        if value < MATE_BOUND {
            self.mate.search(&mut self.worker, depth);
        }
        self.mate.better_than(value).map(|mate| RootLine { depth, ..mate })
    }

    fn best_lines(&self, multipv: usize) -> Vec<RootLine> {
        let mut lines = self.worker.root_moves.lines(multipv);
        complete_mates(&self.worker, &mut lines);
        lines
    }

    /// The lines to report after an interrupted iteration: those of the last completed one, all of
    /// one depth. A single line may be a better one from the interrupted iteration, or a mate.
    fn interrupted_lines(&self, mut completed: Vec<RootLine>) -> Vec<RootLine> {
        if let [line] = &mut completed[..] {
            *line = self.worker.root_moves.interrupted_line(line);
            complete_mates(&self.worker, std::slice::from_mut(line));
            if let Some(mate) = self.mate.better_than(line.value) {
                *line = mate;
            }
        }
        completed
    }

    /// One iteration: the best line, then the best of the other moves, and so on.
    fn search_lines(&mut self, depth: i32, less: i32, multipv: usize, bounds: Option<&GatedReporter>) {
        // The first iteration is complete at once, whatever the number of lines.
        let values_all = depth == 1 && multipv > 1;
        self.worker.root_moves.values_all = values_all;
        for rank in 0..if values_all { 1 } else { multipv } {
            self.worker.seldepth = 0;
            let previous = self.worker.root_moves.begin_line(rank);
            self.aspiration_search(depth - less, previous, bounds.filter(|_| multipv == 1));
            if self.worker.stopped() {
                return;
            }
            self.worker.root_moves.end_line();
        }
    }

    /// One line at one depth, with a narrow window around the mean of its values that moves until
    /// it contains the value. With a `reporter`, reports values outside the window.
    fn aspiration_search(&mut self, depth: i32, earlier: Option<(Value, Value)>, reporter: Option<&GatedReporter>) {
        let worker = &mut self.worker;
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        let mut width = INFINITE;
        if params::use_aspiration_windows()
            && let Some((average, mean_square)) = earlier
        {
            let thread = (worker.limiter.thread % 8) as i32;
            width = params::window_width() + thread + mean_square.abs() / params::window_square();
            window = Window { alpha: (average - width).max(-INFINITE), beta: (average + width).min(INFINITE) };
        }
        let mut fails = 0;
        loop {
            worker.root_moves.begin_window();
            worker.set_root_window(window.beta - window.alpha);
            let value = worker.search::<RootNode>(window, (depth - fails).max(1), false);
            worker.root_moves.end_window();
            if worker.stopped() {
                return;
            }
            if value <= window.alpha && window.alpha > -INFINITE {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - width).max(-INFINITE);
                fails = 0;
                // The best move is losing value: look for another one beyond the planned time.
                (worker.limiter.soft_limit, worker.limiter.share) = (None, None);
            } else if value >= window.beta && window.beta < INFINITE {
                window.alpha = (window.beta - width).max(window.alpha);
                window.beta = (value + width).min(INFINITE);
                fails += 1;
            } else {
                return;
            }
            if let Some(reporter) = reporter
                && worker.limiter.begun.elapsed() > Duration::from_secs(3)
            {
                let (mut line, bound) = worker.root_moves.front_line();
                complete_mates(worker, std::slice::from_mut(&mut line));
                reporter.info(&line.info(1, bound, work_of(worker)));
            }
            width += width / 3;
        }
    }

    /// Whether the main thread has time for another iteration after one with `best` as its best
    /// line. Sets the end of that iteration.
    fn has_time(&mut self, best: &RootLine) -> bool {
        let Worker { root_moves, limiter, .. } = &mut self.worker;
        let only_move = root_moves.len() == 1;
        let share = self.steadiness.update(best, root_moves.effort(best.moves[0]));
        let share = if only_move { ONLY_MOVE } else { share };
        (limiter.soft_limit, limiter.share) = (None, Some(share));
        limiter.control.deepens.store(true, Ordering::Relaxed);
        // In this order: a ponder hit sets the plan before it ends the pondering.
        if limiter.control.is_pondering() {
            return true;
        }
        let Some(plan) = limiter.control.deadline.plan() else { return true };
        let next = next_iteration(&plan, limiter.begun.elapsed(), share, best, only_move);
        let Some(NextIteration { until, deeper }) = next else { return false };
        limiter.soft_limit = until;
        limiter.control.deepens.store(deeper, Ordering::Relaxed);
        true
    }
}

fn complete_mates<E: Evaluator>(worker: &Worker<E>, lines: &mut [RootLine]) {
    let Worker { limiter, table, position, .. } = worker;
    let positions = (limiter.nodes / MATE_LINE_SHARE).clamp(UNHURRIED, MOST_MATE_LINE_POSITIONS);
    MateLines::new(position, table, &|| limiter.is_time_up(), positions).complete_all(lines);
}

/// The work of all threads, with all of this one's nodes.
fn work_of<E: Evaluator>(worker: &Worker<E>) -> WorkDone {
    worker.limiter.publish();
    work_done(&worker.limiter.control, worker.limiter.begun, &worker.table)
}

pub(crate) fn work_done(control: &SearchControl, begun: Instant, table: &TranspositionTable) -> WorkDone {
    WorkDone { nodes: control.nodes.total(), time: begun.elapsed(), hashfull: table.hashfull() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::testing::Plain;

    /// The nodes of a helper's search of eight iterations.
    fn nodes(deepens: bool) -> u64 {
        let control = Arc::new(SearchControl::new(2, 2));
        let shared = Arc::new(SharedHistories::new(2).expect("memory"));
        let mut search = RootSearch::<Plain>::new(1, &Arc::new(0), Arc::clone(&control), shared);
        let request = SearchRequest {
            position: Position::startpos(),
            limits: Limits { depth: Some(8), ..Limits::default() },
            options: Options::default(),
            reliability: Arc::default(),
            begun: Instant::now(),
        };
        control.begin(None, &request.limits);
        control.deepens.store(deepens, Ordering::Relaxed);
        search.run(&request, Arc::new(TranspositionTable::new(1).expect("a MiB")), None, |_| ());
        search.worker.limiter.nodes
    }

    #[test]
    fn iterations_that_will_not_end_in_time_hardly_deepen() {
        // The eighth is two plies deep.
        let (repeated, deeper) = (nodes(false), nodes(true));
        assert!(repeated * 4 < deeper, "{repeated} and {deeper}");
    }
}
