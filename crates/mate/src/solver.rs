//! The public solver: takes a position, returns a [`MateResult`].

use kiki_board::{Color, Move, Position, Sq, mix, opponent};

use crate::proof::UNLIMITED;
use crate::search::{MateProblem, MateSearch};
use crate::table::MateTable;

/// The greatest length of a line in plies. If longer lines are cut off, the result is
/// [`MateResult::Unknown`] instead of no mate.
const MOST_PLIES: usize = 2000;

/// The answer to a mating problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateResult {
    /// The attacker mates by force. The moves of both sides up to the mate, an odd number. The
    /// defender plays the longest defence known from the proof. The mate need not be the shortest.
    Mate(Vec<Move>),
    /// A mate by checks is proven impossible.
    NoMate,
    /// The search was stopped without a result, or reached its limit of plies.
    Unknown,
}

/// Solves mating problems: whether the side to move can mate by checks alone.
///
/// All defences count, including drops that only delay the mate. A line that repeats a position is
/// no mate. The attacker may be in check, and needs no king.
///
/// Keeps its table from problem to problem, which helps with later positions of the same game.
pub struct Solver {
    pub(crate) table: MateTable,
    most_plies: usize,
    pub(crate) nodes: u64,
    /// Whether to look for shorter mates until one is proven shortest.
    to_the_end: bool,
    /// Whether the last mate is proven shortest.
    shortest: bool,
}

impl Solver {
    /// A solver with a table of `mebibytes`, at least one. Memory is committed as it is used.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        Self { table: MateTable::new(mebibytes), most_plies: MOST_PLIES, nodes: 0, to_the_end: false, shortest: false }
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Sets whether the search continues after a mate until one is proven shortest. Otherwise the
    /// search for shorter mates takes about as long as the first.
    pub fn set_shortest(&mut self, to_the_end: bool) {
        self.to_the_end = to_the_end;
    }

    /// The number of nodes of the last problem.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Solves a problem. Calls `proceed` every few dozen nodes with the number of nodes so far; it
    /// returns whether to continue. A stop during the search for a shorter mate returns the mate
    /// known by then. Leaves the position as it was.
    ///
    /// ```
    /// use kiki_board::Position;
    /// use kiki_mate::{Solver, MateResult};
    ///
    /// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
    /// let MateResult::Mate(line) = Solver::new(1).solve(&mut position, &mut |nodes| nodes < 1000) else { panic!("a mate") };
    /// assert_eq!(line[0].to_string(), "G*5b");
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn solve(&mut self, position: &mut Position, proceed: &mut dyn FnMut(u64) -> bool) -> MateResult {
        self.answer(position, UNLIMITED, proceed)
    }

    /// Solves a problem within `plies`: finds a mate of at most that length, or proves that none
    /// exists. Otherwise like [`Self::solve`].
    ///
    /// ```
    /// use kiki_board::Position;
    /// use kiki_mate::{Solver, MateResult};
    ///
    /// let mut position = Position::from_sfen("ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S3+r2/9 b BNLsn4p 107")?;
    /// let mut solver = Solver::new(16);
    /// assert_eq!(solver.solve_within(&mut position, 1, &mut |_| true), MateResult::NoMate);
    /// let MateResult::Mate(line) = solver.solve(&mut position, &mut |_| true) else { panic!("a mate") };
    /// let within = solver.solve_within(&mut position, line.len(), &mut |_| true);
    /// assert!(matches!(within, MateResult::Mate(_)));
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn solve_within(
        &mut self,
        position: &mut Position,
        plies: usize,
        proceed: &mut dyn FnMut(u64) -> bool,
    ) -> MateResult {
        match plies.min(MOST_PLIES) {
            0 => MateResult::NoMate,
            // A mate takes an odd number of plies.
            plies => self.answer(position, (plies - 1) as u16 | 1, proceed),
        }
    }

    /// The answer for mates of at most `limit` plies. Without a limit, the solver also looks for
    /// shorter mates.
    fn answer(&mut self, position: &mut Position, limit: u16, proceed: &mut dyn FnMut(u64) -> bool) -> MateResult {
        let Some(problem) = self.begin(position) else { return MateResult::NoMate };
        let mut search = MateSearch::new(position, &mut self.table, proceed, problem);
        let verdict = search.decide(limit);
        let line = verdict.length().and_then(|length| match limit {
            UNLIMITED => search.shortest_line(length, self.to_the_end),
            _ => search.line(length, u64::MAX, 0).map(|line| (line, false)),
        });
        self.nodes = search.nodes;
        match line {
            Some((line, shortest)) => {
                self.shortest = shortest;
                MateResult::Mate(line)
            }
            None if verdict.is_refuted() => MateResult::NoMate,
            None => MateResult::Unknown,
        }
    }

    /// Whether the last mate is proven shortest.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        self.shortest
    }

    /// Begins a problem; `None` if there is no king to mate.
    pub(crate) fn begin(&mut self, position: &Position) -> Option<MateProblem> {
        (self.nodes, self.shortest) = (0, false);
        let attacker = position.side_to_move();
        let problem = MateProblem { attacker, salt: salt(position), most_plies: self.most_plies };
        (position.king(opponent(attacker)) != Sq::NONE).then_some(problem)
    }
}

/// A number for the pieces in play and the attacker. Table entries are valid only among problems
/// with the same number: there the board and the attacker's hand determine the defender's hand.
fn salt(position: &Position) -> u64 {
    let mut pieces = position.hand(Color::Black).plus(position.hand(Color::White));
    for sq in position.occupied() {
        if let Some(kind) = position.cell(sq).hand_kind() {
            pieces = pieces.with(kind);
        }
    }
    mix(mix(pieces.bits().into()) ^ position.side_to_move().array_index() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_whose_lines_are_cut_off_is_not_disproved() {
        // A rook's checks from afar are blocked by pieces that protect each other.
        let mut position = Position::from_sfen("k8/9/9/9/9/9/9/9/1+R7 b R2b4g4s4n4l18p 1").unwrap();
        let mut solver = Solver::new(16);
        solver.most_plies = 2;
        assert_eq!(solver.solve(&mut position, &mut |_| true), MateResult::Unknown);
        solver.most_plies = 50;
        assert!(matches!(solver.solve(&mut position, &mut |_| true), MateResult::Mate(_)));
    }
}
