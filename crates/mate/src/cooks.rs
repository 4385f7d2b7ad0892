//! Cooks (余詰): checks beside a solution that mate as well.

use kiki_board::{CheckInfo, Move, MoveList, Position, PromotionChoice, Sq, mix, opponent};

use crate::proof::UNLIMITED;
use crate::search::MateSearch;
use crate::solver::Solver;

/// Nodes spent first on one check, and the factor for each later round, once all checks have had
/// their turn.
const FIRST_NODES: u64 = 20_000;
const TIMES_MORE: u64 = 8;

/// What a check beside the solution means to a composer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlternativeKind {
    /// A cook: it mates where the solution plays another move.
    Cook,
    /// It mates in place of the solution's last move, which composers rarely count as a flaw.
    LastMove,
    /// The solution's move with the other choice of promotion.
    Promotion,
    /// The solution's drop from another distance, on the same line to the king.
    Distance,
    /// It mates only by returning to the position in which it is played: a detour.
    Detour,
}

/// A check beside the solution that mates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// The number of the solution's move that it replaces, from 1.
    pub number: usize,
    /// The check and the moves after it. After every defence the mate takes at most as many plies
    /// as the line.
    pub line: Vec<Move>,
    /// What it means to a composer.
    pub kind: AlternativeKind,
}

/// The result of [`Solver::cooks`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cooks {
    /// The checks that mate, in the order of the solution.
    pub alternatives: Vec<Alternative>,
    /// The number of checks that are proven not to mate.
    pub refuted: usize,
    /// The checks without a verdict, each with the number of the move that it would replace.
    pub open: Vec<(usize, Move)>,
}

impl Solver {
    /// Looks for checks beside a solution that mate as well, at every move of the attacker.
    /// `solution` must be a mate from the position.
    ///
    /// Calls `proceed` every few dozen nodes with the number of nodes so far; it returns whether to
    /// continue. Checks undecided by then are listed as open. Leaves the position as it was.
    ///
    /// ```
    /// use kiki_board::Position;
    /// use kiki_mate::Solver;
    ///
    /// // No other drop of the gold mates.
    /// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
    /// let solution = [position.parse_move("G*5b")?];
    /// let cooks = Solver::new(1).cooks(&mut position, &solution, &mut |_| true);
    /// assert!(cooks.alternatives.is_empty() && cooks.open.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cooks(&mut self, position: &mut Position, solution: &[Move], proceed: &mut dyn FnMut(u64) -> bool) -> Cooks {
        let mut cooks = Cooks::default();
        let Some(problem) = self.begin(position) else { return cooks };
        let mut search = MateSearch::new(position, &mut self.table, proceed, problem);
        let mut open = search.checks_beside(solution);
        let mut budget = FIRST_NODES;
        while !open.is_empty() && !search.cancelled {
            open.retain(|&(number, check)| {
                search.visit(&solution[..number - 1], |search| {
                    let end = search.nodes.saturating_add(budget);
                    match search.judge(&solution[number - 1..], check, end) {
                        CheckVerdict::Refuted => cooks.refuted += 1,
                        CheckVerdict::Mates(kind, line) => cooks.alternatives.push(Alternative { number, line, kind }),
                        CheckVerdict::Open => return true,
                    }
                    false
                })
            });
            budget = budget.saturating_mul(TIMES_MORE);
        }
        self.nodes = search.nodes;
        cooks.alternatives.sort_by_key(|alternative| alternative.number);
        open.sort_by_key(|&(number, _)| number);
        cooks.open = open;
        cooks
    }
}

enum CheckVerdict {
    Refuted,
    Mates(AlternativeKind, Vec<Move>),
    Open,
}

impl MateSearch<'_> {
    /// All checks beside the attacker's moves, the last ones first: they are the easiest, and help
    /// with earlier ones.
    fn checks_beside(&mut self, solution: &[Move]) -> Vec<(usize, Move)> {
        let mut found = Vec::new();
        for number in (1..solution.len() + 1).step_by(2).rev() {
            self.visit(&solution[..number - 1], |search| {
                let mut list = MoveList::new();
                let info = CheckInfo::new(search.position);
                search.position.all_checks(&mut list, &info, PromotionChoice::All);
                let others = list.iter().filter(|&&mv| mv != solution[number - 1]);
                found.extend(others.map(|&mv| (number, mv)));
            });
        }
        found
    }

    /// Calls `work` in the position after some moves.
    fn visit<T>(&mut self, moves: &[Move], work: impl FnOnce(&mut Self) -> T) -> T {
        for &mv in moves {
            self.position.make(mv);
        }
        let result = work(self);
        moves.iter().for_each(|_| self.position.unmake());
        result
    }

    /// Whether a check in place of the first move of a solution mates.
    fn judge(&mut self, solution: &[Move], check: Move, end: u64) -> CheckVerdict {
        self.most_nodes = end;
        let known = self.run_only(check, UNLIMITED);
        let Some(length) = known.length() else {
            return if known.is_refuted() { CheckVerdict::Refuted } else { CheckVerdict::Open };
        };
        // The table knows that the solution mates. With its own salt the search knows nothing, so
        // its proof does not rely on this position.
        let salt = self.problem.salt;
        self.problem.salt = mix(salt ^ self.position.key());
        let state = self.run_only(check, UNLIMITED);
        let line = state.length().and_then(|length| {
            let shorter = (solution.len() as u16).min(length);
            let length = self.run_only(check, shorter).length().unwrap_or(length);
            self.most_nodes = u64::MAX;
            self.line_with(check, length)
        });
        self.problem.salt = salt;
        let found = match line {
            Some(line) => {
                let king = self.position.king(opponent(self.problem.attacker));
                Some((kind_of(solution, check, king), line))
            }
            None if state.is_refuted() => self.line_with(check, length).map(|line| (AlternativeKind::Detour, line)),
            None => None,
        };
        found.map_or(CheckVerdict::Open, |(kind, line)| CheckVerdict::Mates(kind, line))
    }
}

fn kind_of(solution: &[Move], check: Move, king: Sq) -> AlternativeKind {
    let first = solution[0];
    match (check.dropped_kind(), first.dropped_kind()) {
        (None, None) if (check.from(), check.to()) == (first.from(), first.to()) => AlternativeKind::Promotion,
        _ if solution.len() == 1 => AlternativeKind::LastMove,
        (Some(kind), Some(same)) if kind == same && direction(king, check.to()) == direction(king, first.to()) => {
            AlternativeKind::Distance
        }
        _ => AlternativeKind::Cook,
    }
}

/// The direction of the line from one square to another, if they share one. Every knight move has
/// its own direction.
fn direction(from: Sq, to: Sq) -> (isize, isize) {
    let files = to.file() as isize - from.file() as isize;
    let ranks = to.rank() as isize - from.rank() as isize;
    if files == 0 || ranks == 0 || files.abs() == ranks.abs() {
        (files.signum(), ranks.signum())
    } else {
        (files, ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_drop_from_another_distance_is_no_cook() -> Result<(), Box<dyn std::error::Error>> {
        // The king stands on 7a.
        let position = Position::from_sfen("2k6/9/9/9/9/9/9/9/9 b RL2b4g4s4n3lr18p 1")?;
        let king = position.king(kiki_board::Color::White);
        let kind = |first: &str, check: &str| -> Result<_, Box<dyn std::error::Error>> {
            let (first, check) = (position.parse_move(first)?, position.parse_move(check)?);
            Ok(kind_of(&[first, first, first], check, king))
        };
        assert_eq!(kind("R*5a", "R*1a")?, AlternativeKind::Distance);
        assert_eq!(kind("R*5a", "R*9a")?, AlternativeKind::Cook, "from the other side");
        assert_eq!(kind("R*7e", "R*1a")?, AlternativeKind::Cook, "on another line");
        assert_eq!(kind("L*7e", "L*7c")?, AlternativeKind::Distance);
        assert_eq!(kind("R*7e", "L*7c")?, AlternativeKind::Cook, "another piece");
        Ok(())
    }
}
