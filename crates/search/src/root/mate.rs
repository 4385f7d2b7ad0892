//! A forced mate at the root, looked for between iterations by proof-number search.
//!
//! Long mates by checks are what alpha-beta finds last and proof-number search finds first. Most positions have none, which is mostly
//! known after a handful of positions.

use kiki_board::{GameRepetition, Move};
use kiki_eval::Evaluator;
use kiki_mate::{MateResult, Solver};

use crate::node::{RootLine, Worker};
use crate::params;
use crate::value::{MATE, MATE_BOUND, Value};

/// Nodes that count for one position of the proof-number search: it plays about so many moves there.
const NODES_A_POSITION: u64 = 5;
/// The solver is not started for fewer positions.
const LEAST_POSITIONS: u64 = 32;
const TABLE_MEBIBYTES: usize = 8;

/// The mate search of the main thread.
pub(crate) struct RootMate {
    /// Made when it is first needed.
    solver: Option<Solver>,
    /// Nodes used for it in this search.
    spent: u64,
    /// Mate was proved or disproved, or is not looked for in this search.
    finished: bool,
    /// The mate that was proved.
    found: Option<RootLine>,
}

impl RootMate {
    pub(crate) const fn new() -> Self {
        Self { solver: None, spent: 0, finished: true, found: None }
    }

    /// A new search begins.
    pub(crate) fn begin(&mut self, wanted: bool) {
        (self.spent, self.finished, self.found) = (0, !wanted, None);
    }

    /// Forgets earlier games. The memory of the solver is resident afterwards.
    pub(crate) fn forget(&mut self) {
        self.solver.get_or_insert_with(|| Solver::new(TABLE_MEBIBYTES)).clear();
        (self.spent, self.finished, self.found) = (0, true, None);
    }

    /// Whether a mate was found in this search.
    pub(crate) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// The mate that was found in this search, if it is better than a line of this value.
    pub(crate) fn better_than(&self, value: Value) -> Option<RootLine> {
        self.found.clone().filter(|mate| mate.value > value)
    }

    /// Looks for a mate by checks unless one was found, with its share of the nodes that the worker has searched so far. `depth` is the
    /// last iteration.
    pub(crate) fn search<E: Evaluator>(&mut self, worker: &mut Worker<E>, depth: u32) {
        if let Some(mate) = &mut self.found {
            mate.depth = depth;
        } else {
            self.found = self.prove(worker, depth);
        }
    }

    fn prove<E: Evaluator>(&mut self, worker: &mut Worker<E>, depth: u32) -> Option<RootLine> {
        let share = worker.limiter.nodes() * params::mate_share() as u64 / 1000;
        let positions = share.saturating_sub(self.spent) / NODES_A_POSITION;
        if self.finished || positions < LEAST_POSITIONS {
            return None;
        }
        let solver = self.solver.get_or_insert_with(|| Solver::new(TABLE_MEBIBYTES));
        let mut position = worker.position.clone();
        let verdict = solver.solve(&mut position, &mut |entered| entered < positions && !worker.limiter.is_time_up());
        let cost = solver.nodes() * NODES_A_POSITION;
        self.spent += cost;
        self.finished = verdict != MateResult::Unknown;
        worker.limiter.add_nodes(cost);
        let MateResult::Mate(line) = verdict else { return None };
        let value = MATE - line.len() as i32;
        (value >= MATE_BOUND && counts(worker, &line)).then_some(RootLine {
            depth,
            seldepth: line.len() as u32,
            value,
            moves: line,
        })
    }
}

/// Whether a mate counts in the game: it ends before the longest game does, begins with a move that may be played, and meets no position
/// for the fourth time, of which the solver knows nothing.
fn counts<E: Evaluator>(worker: &Worker<E>, line: &[Move]) -> bool {
    let limit = worker.rules.max_moves;
    let in_time = limit == 0 || worker.position.ply() as usize + line.len() <= limit as usize + 1;
    let mut position = worker.position.clone();
    let mut ends_the_game = |&mv: &Move| {
        position.make(mv);
        position.game_repetition() != GameRepetition::None
    };
    in_time && worker.root_moves.contains(line[0]) && !line.iter().any(&mut ends_the_game)
}
