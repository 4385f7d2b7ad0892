//! A forced mate at the root, looked for beside the deepening by another kind of search.
//!
//! Long mates by checks are what alpha-beta finds last and proof-number search finds first; most positions have none, which is mostly
//! known after a handful of positions.

use kiki_board::{GameRepetition, Move};
use kiki_eval::Evaluator;
use kiki_mate::{MateResult, Solver};

use crate::params;
use crate::root_moves::RootLine;
use crate::value::{MATE, MATE_BOUND};
use crate::worker::Worker;

/// What a position of the proof-number search costs, in nodes: it plays about this many moves for each.
const NODES_A_POSITION: u64 = 5;
/// Less than this is not worth a beginning.
const LEAST_POSITIONS: u64 = 32;
const TABLE_MEBIBYTES: usize = 8;

/// What is known of mates at the root of the current search.
pub(crate) struct RootMate {
    /// The main thread's; made before its first search.
    solver: Option<Solver>,
    /// Nodes that went into it.
    spent: u64,
    /// There is none, or it was found.
    settled: bool,
}

impl RootMate {
    pub(crate) const fn new() -> Self {
        Self { solver: None, spent: 0, settled: true }
    }

    /// A new search begins.
    pub(crate) fn begin(&mut self, wanted: bool) {
        (self.spent, self.settled) = (0, !wanted);
    }

    /// Forgets earlier games. The memory of the solver is resident afterwards.
    pub(crate) fn forget(&mut self) {
        self.solver.get_or_insert_with(|| Solver::new(TABLE_MEBIBYTES)).clear();
        (self.spent, self.settled) = (0, true);
    }
}

impl<E: Evaluator> Worker<E> {
    /// A mate by checks from the root, if it is found with its share of the nodes that the search has used so far.
    pub(crate) fn root_mate(&mut self, depth: u32) -> Option<RootLine> {
        let share = self.nodes() * params::mate_share() as u64 / 1000;
        let positions = share.saturating_sub(self.root_mate.spent) / NODES_A_POSITION;
        if self.root_mate.settled || positions < LEAST_POSITIONS {
            return None;
        }
        let mut solver = self.root_mate.solver.take().unwrap_or_else(|| Solver::new(TABLE_MEBIBYTES));
        let mut position = self.position.clone();
        let verdict = solver.solve(&mut position, &mut |entered| entered < positions && !self.is_time_up());
        let cost = solver.nodes() * NODES_A_POSITION;
        self.root_mate.solver = Some(solver);
        self.root_mate.spent += cost;
        self.root_mate.settled = verdict != MateResult::Unknown;
        self.charge(cost);
        let MateResult::Mate(line) = verdict else { return None };
        let value = MATE - line.len() as i32;
        (value >= MATE_BOUND && self.counts(&line)).then_some(RootLine {
            depth,
            seldepth: line.len() as u32,
            value,
            moves: line,
        })
    }

    /// Whether a mate ends before the longest game does, begins with a move that may be played, and meets no position for the fourth
    /// time: what happened in the game is not known to the proof.
    fn counts(&self, line: &[Move]) -> bool {
        let limit = self.rules.max_moves;
        let in_time = limit == 0 || self.position.ply() as usize + line.len() <= limit as usize + 1;
        let mut position = self.position.clone();
        let mut ends_the_game = |&mv: &Move| {
            position.make(mv);
            position.game_repetition() != GameRepetition::None
        };
        in_time && self.root_moves.contains(line[0]) && !line.iter().any(&mut ends_the_game)
    }
}
