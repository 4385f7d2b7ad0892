//! Iterative deepening at the root: aspiration windows, several lines, and when to stop.

use std::time::Duration;

use kiki_board::{Move, MoveList};
use kiki_eval::Evaluator;

use crate::node::{Root, Window};
use crate::params;
use crate::report::{Bound, Info, Reporter};
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, Score, Value};
use crate::worker::Worker;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Of this iteration; minus infinity until it has been searched as best.
    pub(crate) value: Value,
    /// Of the last iteration.
    pub(crate) previous: Value,
    pub(crate) bound: Bound,
    pub(crate) seldepth: usize,
    pub(crate) nodes: u64,
    /// The whole line, beginning with the move itself.
    pub(crate) line: Vec<Move>,
}

/// What one thread brings home.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The last completed iteration.
    pub(crate) depth: u32,
    pub(crate) value: Value,
    pub(crate) line: Vec<Move>,
}

/// What the main thread tells, and to whom.
pub(crate) struct Guide<'a> {
    pub(crate) reporter: &'a dyn Reporter,
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

impl<E: Evaluator> Worker<E> {
    /// The moves to be searched at the root: legal, and among `only` unless that is empty.
    pub(crate) fn set_root_moves(&mut self, only: &[Move]) {
        let mut list = MoveList::new();
        self.position.all_moves(&mut list, self.rules.choice);
        // Moves that are asked for by name may be ones that a sensible player does not consider.
        let asked = only.iter().filter(|&&mv| self.position.is_legal(mv));
        let moves: Vec<Move> = if only.is_empty() { list.to_vec() } else { asked.copied().collect() };
        self.root_moves = moves
            .into_iter()
            .map(|mv| RootMove {
                mv,
                value: -INFINITE,
                previous: -INFINITE,
                bound: Bound::Exact,
                seldepth: 0,
                nodes: 0,
                line: vec![mv],
            })
            .collect();
    }

    /// Searches deeper and deeper. `found` hears of every completed iteration; `guide` is the main thread's.
    pub(crate) fn deepen(&mut self, plan: Plan, guide: Option<&Guide<'_>>, mut found: impl FnMut(&Finding)) {
        let lines = plan.lines.clamp(1, self.root_moves.len().max(1));
        // Whoever wants to see several lines, or whatever can be seen, is not to be stopped by a mate.
        self.root_mate.begin(guide.is_some() && lines == 1 && !plan.endless);
        let mut steadiness = Steadiness::default();
        let mut last_report = None;
        for depth in 1..=plan.depth.min(MAX_PLY as u32 - 2) {
            self.root_depth = depth as usize;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
                root_move.value = -INFINITE;
            }
            for line in 0..lines {
                self.pv_index = line;
                self.seldepth = 0;
                self.aspire(depth as i32, guide);
                if self.stopped {
                    break;
                }
                // A later line may turn out to be the better one.
                self.root_moves[..=line].sort_by_key(|root_move| -root_move.value);
            }
            self.pv_index = 0;
            self.publish();
            if self.stopped {
                self.restore_order();
                break;
            }
            let best = &self.root_moves[0];
            let finding = Finding { depth, value: best.value, line: best.line.clone() };
            found(&finding);
            // A mate that is known already may be shorter than the solver's.
            if finding.value < MATE_BOUND
                && let Some(mate) = self.root_mate(depth)
            {
                self.take_over(&mate);
                found(&mate);
                break;
            }
            let Some(guide) = guide else { continue };
            let last = depth == plan.depth;
            if last || last_report.is_none_or(|at| self.clock.elapsed() >= at + guide.pv_interval) {
                self.report(depth, lines, guide.reporter);
                last_report = Some(self.clock.elapsed());
            }
            steadiness.hear(&finding);
            if self.time_is_up(&steadiness, &finding) {
                break;
            }
        }
    }

    /// Puts a proven mate before all other moves.
    fn take_over(&mut self, mate: &Finding) {
        let Some(place) = self.root_moves.iter().position(|root_move| root_move.mv == mate.line[0]) else { return };
        let root_move = &mut self.root_moves[place];
        (root_move.value, root_move.bound) = (mate.value, Bound::Exact);
        root_move.line.clone_from(&mate.line);
        self.root_moves[..=place].rotate_right(1);
    }

    /// One line at one depth, with a narrow window that is widened until the value lies within.
    fn aspire(&mut self, depth: i32, guide: Option<&Guide<'_>>) {
        let first = self.pv_index;
        let previous = self.root_moves[first].previous;
        let mut width = params::aspiration_width() + (self.id % 8) as i32;
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        if depth >= 4 && previous.abs() < MATE_BOUND {
            window = Window { alpha: (previous - width).max(-INFINITE), beta: (previous + width).min(INFINITE) };
        }
        let mut reduction = 0;
        loop {
            let value = self.search::<Root>(window, (depth - reduction).max(1), false);
            // Stable: equal values keep the order of the last iteration.
            self.root_moves[first..].sort_by_key(|root_move| -root_move.value);
            if self.stopped {
                return;
            }
            if value <= window.alpha && window.alpha > -INFINITE {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - width).max(-INFINITE);
                reduction = 0;
            } else if value >= window.beta && window.beta < INFINITE {
                window.beta = (value + width).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            if let Some(guide) = guide
                && guide.report_bounds
                && self.clock.elapsed() > Duration::from_secs(3)
            {
                self.report(depth as u32, first + 1, guide.reporter);
            }
            width += width * params::aspiration_growth() / 100;
            if width > 2000 {
                window = Window { alpha: -INFINITE, beta: INFINITE };
            }
        }
    }

    /// Whether the root may search a move now: not one of an earlier line.
    pub(crate) fn is_searched_at_root(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..].iter().any(|root_move| root_move.mv == mv)
    }

    /// A root move has been searched.
    pub(crate) fn note_root_move(&mut self, mv: Move, value: Value, number: usize, window: Window, nodes_before: u64) {
        let mut line = vec![mv];
        line.extend_from_slice(self.line(1));
        let (nodes, seldepth) = (self.nodes() - nodes_before, self.seldepth);
        let best_so_far =
            self.root_moves[self.pv_index..].iter().map(|root_move| root_move.value).max().unwrap_or(-INFINITE);
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv) else { return };
        root_move.nodes += nodes;
        if number > 1 && value <= best_so_far.max(window.alpha) {
            // Only known to be no better.
            root_move.value = -INFINITE;
            return;
        }
        root_move.value = value;
        root_move.seldepth = seldepth;
        root_move.line = line;
        root_move.bound = match value {
            value if value >= window.beta => Bound::Lower,
            value if value <= window.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
    }

    /// An interrupted iteration: moves that it found better stay in front, unknown ones keep their last values.
    fn restore_order(&mut self) {
        let searched =
            self.root_moves.first().is_some_and(|first| first.value > -INFINITE && first.bound == Bound::Exact);
        for root_move in &mut self.root_moves {
            if root_move.value == -INFINITE {
                root_move.value = root_move.previous;
            }
        }
        if !searched {
            self.root_moves.sort_by_key(|root_move| -root_move.previous);
        }
    }

    /// Tells of the first `lines` lines.
    pub(crate) fn report(&self, depth: u32, lines: usize, reporter: &dyn Reporter) {
        self.publish();
        for (index, root_move) in self.root_moves.iter().take(lines).enumerate() {
            let known = root_move.value > -INFINITE;
            let value = if known { root_move.value } else { root_move.previous };
            if value == -INFINITE {
                continue;
            }
            reporter.info(&Info {
                depth: if known { depth } else { depth.saturating_sub(1).max(1) },
                seldepth: root_move.seldepth.max(1) as u32,
                multipv: index + 1,
                score: Score::from_value(value),
                bound: if known { root_move.bound } else { Bound::Exact },
                nodes: self.shared().nodes(),
                time: self.clock.elapsed(),
                hashfull: self.table.hashfull(),
                pv: root_move.line.clone(),
            });
        }
    }

    /// Whether the main thread should not begin another iteration.
    fn time_is_up(&self, steadiness: &Steadiness, finding: &Finding) -> bool {
        let Some(budget) = self.shared().deadline.plan() else { return false };
        if self.shared().is_pondering() {
            return false;
        }
        // A forced mate that an iteration of twice its length has confirmed will not get shorter.
        let mate = finding.value.abs() >= MATE_BOUND;
        if mate && finding.depth as i32 > 2 * (crate::value::MATE - finding.value.abs()) {
            return true;
        }
        let spent = self.clock.elapsed();
        if budget.optimum == budget.maximum {
            // Nothing can be saved: use it all, unless there is nothing to choose.
            return self.root_moves.len() == 1 && finding.depth >= 8;
        }
        let percent = if self.root_moves.len() == 1 { 10 } else { steadiness.percent() };
        spent >= (budget.optimum * percent / 100).min(budget.maximum)
    }
}

/// How the best move and its value have behaved over the iterations.
#[derive(Default)]
struct Steadiness {
    best: Move,
    value: Value,
    unchanged: u32,
    /// Centipawns lost since the last iteration.
    fall: i32,
}

impl Steadiness {
    fn hear(&mut self, finding: &Finding) {
        let best = finding.line.first().copied().unwrap_or(Move::NONE);
        self.unchanged = if best == self.best { self.unchanged + 1 } else { 0 };
        self.fall = self.value - finding.value;
        (self.best, self.value) = (best, finding.value);
    }

    /// Of the planned time: less for a move that has long been best, more for one that is losing ground.
    fn percent(&self) -> u32 {
        let calm = [170, 130, 110, 95, 85, 75, 70, 65][self.unchanged.min(7) as usize];
        calm + self.fall.clamp(0, 150) as u32 / 2
    }
}
