//! What the search reports: typed facts, not text.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::Move;
use parking_lot::Mutex;

use crate::value::{Bound, RootScore, Value};

/// A line of progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchInfo {
    /// Iteration, in plies.
    pub depth: u32,
    /// The longest line searched, in plies.
    pub seldepth: u32,
    /// Rank of this line, from 1.
    pub multipv: usize,
    /// For the side to move.
    pub score: RootScore,
    /// Whether it is exact.
    pub bound: Bound,
    /// Nodes of all threads together.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Part of the table that this search has filled, in per mille.
    pub hashfull: u32,
    /// The line itself. Empty if the game is over or a win is declared, with a mate in 1 as its
    /// score.
    pub pv: Vec<Move>,
}

/// One of the best lines, with an exact value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootLine {
    /// The iteration that found it, in plies.
    pub(crate) depth: u32,
    /// The longest line searched, in plies.
    pub(crate) seldepth: u32,
    /// For the side to move at the root.
    pub(crate) value: Value,
    /// Begins with the root move; never empty.
    pub(crate) moves: Vec<Move>,
}

impl RootLine {
    /// The line as it is reported.
    pub(crate) fn info(&self, multipv: usize, bound: Bound, work: WorkDone) -> SearchInfo {
        let WorkDone { nodes, time, hashfull } = work;
        SearchInfo {
            depth: self.depth,
            seldepth: self.seldepth.max(1),
            multipv,
            score: RootScore::from_value(self.value),
            bound,
            nodes,
            time,
            hashfull,
            pv: self.moves.clone(),
        }
    }
}

/// The cost of a search so far.
#[derive(Clone, Copy)]
pub(crate) struct WorkDone {
    /// Nodes of all threads together.
    pub(crate) nodes: u64,
    /// Time since the search began.
    pub(crate) time: Duration,
    /// Part of the table that this search has filled, in per mille.
    pub(crate) hashfull: u32,
}

/// What the side to move should do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Play this.
    Play(Move),
    /// Declare the win of an entered king.
    DeclareWin,
    /// Resign: there is no legal move.
    Resign,
}

/// A line with the probability that its value is positive some plies beyond the horizon.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance {
    /// The first move of the line.
    pub mv: Move,
    /// Its value.
    pub score: RootScore,
    /// The standard deviation of the value's error in centipawns. `None` for a mate or a
    /// repetition, which are certain.
    pub sigma: Option<f32>,
    /// The probability.
    pub probability: f64,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// What to do.
    pub action: Action,
    /// The expected answer of the opponent, legal after the move.
    pub ponder: Option<Move>,
    /// The last exact score, for the side to move.
    pub score: RootScore,
    /// The iteration that it comes from, in plies; 0 if nothing was searched.
    pub depth: u32,
    /// Nodes of all threads together.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
    /// The standard deviation of the score's error in centipawns, if a model of it is in use.
    pub sigma: Option<f32>,
    /// The chances of the best lines, that of the best value first; empty if gambling is off.
    pub chances: Vec<Chance>,
}

/// Receives the reports of a search, on the search's threads.
pub trait Reporter: Send + Sync {
    /// Progress. The last lines before the end are the best ones in order, with exact scores; the
    /// first begins with the move to play.
    fn info(&self, info: &SearchInfo);
    /// A failure that the search survived, for the user.
    fn note(&self, text: &str);
    /// The search has ended. [`Reporter::finished_with`] calls it exactly once a search.
    fn finished(&self, result: &SearchResult);
    /// The last lines, if not reported yet, and the end of the search. Write them in one go:
    /// between two writes the system may suspend the thread for longer than a fast clock allows.
    fn finished_with(&self, lines: &[SearchInfo], result: &SearchResult) {
        lines.iter().for_each(|info| self.info(info));
        self.finished(result);
    }
}

/// Passes on the reports of a search until it has answered, and drops later ones of its threads.
pub(crate) struct GatedReporter {
    reporter: Arc<dyn Reporter>,
    /// The lines that were reported last, best first; `None` after the answer.
    reported: Mutex<Option<Vec<SearchInfo>>>,
}

impl GatedReporter {
    pub(crate) fn new(reporter: Arc<dyn Reporter>) -> Self {
        Self { reporter, reported: Mutex::new(Some(Vec::new())) }
    }

    /// Reports progress, unless the search has answered.
    pub(crate) fn info(&self, info: &SearchInfo) {
        let mut reported = self.reported.lock();
        let Some(lines) = &mut *reported else { return };
        if info.multipv == 1 {
            lines.clear();
        }
        lines.push(info.clone());
        self.reporter.info(info);
    }

    /// Reports a failure, at any time.
    pub(crate) fn note(&self, text: &str) {
        self.reporter.note(text);
    }

    /// Reports the last lines, unless just reported, and the answer, with nothing between them.
    pub(crate) fn finish(&self, lines: &[SearchInfo], result: &SearchResult) {
        fn facts(info: &SearchInfo) -> (u32, RootScore, Bound, u64, &[Move]) {
            (info.depth, info.score, info.bound, info.nodes, &info.pv)
        }
        let mut reported = self.reported.lock();
        let all_reported = reported.take().is_some_and(|last| last.iter().map(facts).eq(lines.iter().map(facts)));
        self.reporter.finished_with(if all_reported { &[] } else { lines }, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports received, in order.
    #[derive(Default)]
    struct Calls(Mutex<Vec<String>>);

    impl Reporter for Calls {
        fn info(&self, info: &SearchInfo) {
            self.0.lock().push(format!("info {}", info.depth));
        }

        fn note(&self, text: &str) {
            self.0.lock().push(text.to_owned());
        }

        fn finished(&self, _: &SearchResult) {
            unreachable!("lines and answer are reported together");
        }

        fn finished_with(&self, lines: &[SearchInfo], _: &SearchResult) {
            self.0.lock().push(format!("answer with {} lines", lines.len()));
        }
    }

    #[test]
    fn the_answer_comes_with_the_lines_not_yet_reported_and_nothing_after_it() {
        let work = WorkDone { nodes: 100, time: Duration::ZERO, hashfull: 0 };
        let line = |depth| RootLine { depth, seldepth: depth, value: 7, moves: Vec::new() }.info(1, Bound::Exact, work);
        let result = SearchResult {
            action: Action::Resign,
            ponder: None,
            score: RootScore::Centipawns(7),
            depth: 3,
            nodes: 100,
            time: Duration::ZERO,
            sigma: None,
            chances: Vec::new(),
        };
        for (last, answer) in [(3, "answer with 0 lines"), (4, "answer with 1 lines")] {
            let calls = Arc::new(Calls::default());
            let reporter = GatedReporter::new(Arc::clone(&calls) as Arc<dyn Reporter>);
            reporter.info(&line(3));
            reporter.finish(&[line(last)], &result);
            reporter.info(&line(5));
            reporter.note("a failure");
            assert_eq!(*calls.0.lock(), ["info 3", answer, "a failure"]);
        }
    }
}
