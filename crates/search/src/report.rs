//! What the search tells: typed facts, never text.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::Move;
use parking_lot::Mutex;

use crate::Score;

/// Whether a score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// One line of progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Iteration, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// Rank of this line among those asked for, from 1.
    pub multipv: usize,
    /// For the side to move.
    pub score: Score,
    /// Whether it is exact.
    pub bound: Bound,
    /// All threads together.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// How much of the table this search has filled, in per mille.
    pub hashfull: u32,
    /// The line itself; may be empty when the game is over.
    pub pv: Vec<Move>,
}

/// What a search has taken so far.
#[derive(Clone, Copy)]
pub(crate) struct WorkDone {
    /// All threads together.
    pub(crate) nodes: u64,
    /// Since the search began.
    pub(crate) time: Duration,
    /// How much of the table this search has filled, in per mille.
    pub(crate) hashfull: u32,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Play this.
    Play(Move),
    /// Declare the win of an entered king.
    Declare,
    /// No move is left.
    Resign,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What to do.
    pub answer: Answer,
    /// The answer expected from the opponent, legal after the move.
    pub ponder: Option<Move>,
    /// For the side to move: the last exact one.
    pub score: Score,
    /// The iteration that it comes from, in plies; 0 if nothing was searched.
    pub depth: u32,
    /// All threads together.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// Listens to a search, from the search's threads.
pub trait Reporter: Send + Sync {
    /// Progress. The last lines before [`Reporter::finished`] are the best ones in order, with exact scores, the first beginning with the
    /// move that is played.
    fn info(&self, info: &Info);
    /// Something that a person should know: a failure that the search survived.
    fn note(&self, text: &str);
    /// The search has ended. Called exactly once a search.
    fn finished(&self, outcome: &Outcome);
}

/// Passes on what a search tells until it has answered: a thread that comes later is not heard any more.
pub(crate) struct GatedReporter {
    reporter: Arc<dyn Reporter>,
    state: Mutex<Gate>,
}

#[derive(Default)]
struct Gate {
    answered: bool,
    /// The lines that were told last, best first.
    told: Vec<Info>,
}

impl GatedReporter {
    pub(crate) fn new(reporter: Arc<dyn Reporter>) -> Self {
        Self { reporter, state: Mutex::default() }
    }

    /// Progress, unless the search has answered.
    pub(crate) fn info(&self, info: &Info) {
        let mut gate = self.state.lock();
        if gate.answered {
            return;
        }
        if info.multipv == 1 {
            gate.told.clear();
        }
        gate.told.push(info.clone());
        self.reporter.info(info);
    }

    /// Something that a person should know, at any time.
    pub(crate) fn note(&self, text: &str) {
        self.reporter.note(text);
    }

    /// The last lines, unless they have just been told, and the answer, with nothing between them.
    pub(crate) fn finish(&self, lines: &[Info], outcome: &Outcome) {
        let mut gate = self.state.lock();
        let same = |(one, other): (&Info, &Info)| {
            (one.depth, one.score, one.bound, one.nodes, &one.pv)
                == (other.depth, other.score, other.bound, other.nodes, &other.pv)
        };
        if gate.told.len() != lines.len() || !gate.told.iter().zip(lines).all(same) {
            lines.iter().for_each(|info| self.reporter.info(info));
        }
        gate.answered = true;
        self.reporter.finished(outcome);
    }
}
