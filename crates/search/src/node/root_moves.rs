//! The moves at the root with their values and lines: bookkeeping without a search.
//!
//! The list is ordered by rank. A move that proved better than those before it precedes them, even
//! after an interrupted iteration. Only exact values and their lines are reported and played.
//!
//! It is beside the nodes because the root is a node like others: the move loop asks it which moves
//! to search.

use kiki_board::{CheckInfo, Move, MoveList, Position, PromotionChoice};

use super::Window;
use crate::report::RootLine;
use crate::value::{Bound, INFINITE, MATE_BOUND, Value};

#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// In the current window; minus infinity unless it is the first move or better than all before
    /// it.
    value: Value,
    bound: Bound,
    /// The moves after it. Most moves never get a line, and need no memory for it.
    line: Vec<Move>,
    seldepth: u32,
    /// Nodes of its subtree.
    nodes: u64,
    /// The mean of its values, with more weight on later ones, and the mean of their signed squares,
    /// weighted alike; `None` before the first.
    means: Option<(Value, Value)>,
    /// The last exact value of this iteration.
    exact: Option<RootLine>,
}

pub(crate) struct RootMoveResult<'a> {
    pub(crate) mv: Move,
    pub(crate) value: Value,
    /// Its number in this window, from 1.
    pub(crate) number: i32,
    pub(crate) window: Window,
    pub(crate) seldepth: usize,
    /// Nodes of its search.
    pub(crate) nodes: u64,
    /// The line after the move.
    pub(crate) line: &'a [Move],
}

/// Facts about a completed iteration that decide how much time the search gets.
#[derive(Clone, Copy, Default)]
pub(crate) struct RootEffort {
    /// The mean of the best move's values.
    pub(crate) average: Value,
    /// How often a later move beat the best one.
    pub(crate) changes: u32,
    /// The best move's share of the nodes of all moves, without those of the mate search.
    pub(crate) share: f64,
}

/// The moves at the root, best first.
#[derive(Clone, Debug)]
pub(crate) struct RootMoves {
    moves: Vec<RootMove>,
    /// Which promotions are generated: all if a requested move is not a sensible one.
    pub(crate) choice: PromotionChoice,
    /// The iteration, in plies.
    depth: u32,
    /// Rank of the line in progress: moves before it belong to better lines.
    pub(crate) first: usize,
    /// Whether every move gets an exact value, not only the best.
    pub(crate) values_all: bool,
    /// How often in this iteration a move beat those before it, for the best line.
    changes: u32,
    /// The best value in the current window.
    best: Value,
}

impl RootMoves {
    /// The legal moves of `position` and `choice`, or those in `only` unless it is empty. A move
    /// that mates at once comes first: in a wild position, captures after the moves before it may
    /// use up all the time.
    pub(crate) fn of(position: &Position, only: &[Move], choice: PromotionChoice) -> Self {
        let mut generated = MoveList::new();
        position.all_moves(&mut generated, choice);
        let asked: Vec<Move> = only.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        let mut list =
            if only.is_empty() { Self::new(generated.iter().copied()) } else { Self::new(asked.iter().copied()) };
        // The generator may leave out requested moves.
        list.choice = if asked.iter().all(|mv| generated.contains(mv)) { choice } else { PromotionChoice::All };
        let (checks, mut after) = (CheckInfo::new(position), position.clone());
        list.put_first(|mv| {
            checks.gives_check(mv, position.arriving(mv)) && {
                after.make(mv);
                let mated = after.is_checkmate();
                after.unmake();
                mated
            }
        });
        list
    }

    /// Moves without results. Drops duplicates.
    pub(crate) fn new(moves: impl IntoIterator<Item = Move>) -> Self {
        let choice = PromotionChoice::Sensible;
        let mut list =
            Self { moves: Vec::new(), choice, depth: 0, first: 0, values_all: false, changes: 0, best: -INFINITE };
        for mv in moves {
            if !list.contains(mv) {
                list.moves.push(RootMove {
                    mv,
                    value: -INFINITE,
                    bound: Bound::Exact,
                    line: Vec::new(),
                    seldepth: 0,
                    nodes: 0,
                    means: None,
                    exact: None,
                });
            }
        }
        list
    }

    /// Adds the legal moves that `choice` has left out; false if there are none.
    pub(crate) fn add_left_out(&mut self, position: &Position) -> bool {
        let mut left_out = MoveList::new();
        if self.choice != PromotionChoice::All {
            position.left_out_moves(&mut left_out);
            self.choice = PromotionChoice::All;
        }
        let count = self.len();
        let added = Self::new(left_out.iter().copied().filter(|&mv| !self.contains(mv)));
        self.moves.extend(added.moves);
        self.len() > count
    }

    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    pub(crate) fn contains(&self, mv: Move) -> bool {
        self.moves.iter().any(|root_move| root_move.mv == mv)
    }

    /// The move to search first now.
    pub(crate) fn front(&self) -> Move {
        self.moves[self.first].mv
    }

    /// Whether a move may be searched now: it belongs to no better line.
    pub(crate) fn is_searched_now(&self, mv: Move) -> bool {
        self.moves[self.first..].iter().any(|root_move| root_move.mv == mv)
    }

    pub(crate) fn begin_iteration(&mut self, depth: u32) {
        self.depth = depth;
        (self.first, self.changes) = (0, 0);
        for root_move in &mut self.moves {
            root_move.exact = None;
        }
    }

    /// Begins the line of a rank. Returns the mean value of its first move and the mean square,
    /// unless it has none yet.
    pub(crate) fn begin_line(&mut self, first: usize) -> Option<(Value, Value)> {
        self.first = first;
        self.moves[first].means
    }

    /// Begins a search of the line with another window. Values of earlier windows do not hold.
    pub(crate) fn begin_window(&mut self) {
        self.best = -INFINITE;
        for root_move in &mut self.moves[self.first..] {
            root_move.value = -INFINITE;
        }
    }

    /// Notes the result of a move in the current window.
    pub(crate) fn note(&mut self, result: &RootMoveResult<'_>) {
        let &RootMoveResult { mv, value, number, window, seldepth, nodes, line } = result;
        let (best, depth) = (self.best, self.depth);
        let Some(root_move) = self.moves.iter_mut().find(|root_move| root_move.mv == mv) else { return };
        root_move.nodes += nodes;
        let square = value * value.abs();
        let (average, mean_square) = root_move.means.unwrap_or((value, square));
        let mean_square = (i64::from(square) + i64::from(mean_square)) / 2;
        root_move.means = Some(((value + average) / 2, mean_square as Value));
        if number > 1 && value <= best.max(window.alpha) {
            // It is known only to be no better.
            return;
        }
        self.changes += u32::from(number > 1 && self.first == 0);
        root_move.value = value;
        self.best = best.max(value);
        root_move.seldepth = seldepth as u32;
        root_move.line.clear();
        root_move.line.extend_from_slice(line);
        root_move.bound = match value {
            // A mate is exact, even outside the window.
            MATE_BOUND.. => Bound::Exact,
            value if value >= window.beta => Bound::Lower,
            value if value <= window.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        if root_move.bound == Bound::Exact {
            root_move.exact = Some(root_move.line_with_value(depth, value));
        }
    }

    /// Ends the search of a window, completed or interrupted: moves better moves to the front. The
    /// others keep their order.
    pub(crate) fn end_window(&mut self) {
        self.moves[self.first..].sort_by_key(|root_move| -root_move.value);
    }

    /// Ends the line of the current rank, which has an exact value. A later line may prove better.
    pub(crate) fn end_line(&mut self) {
        self.moves[..=self.first]
            .sort_by_key(|root_move| -root_move.exact.as_ref().map_or(-INFINITE, |line| line.value));
    }

    /// Moves the first move that satisfies `wanted` to the front.
    pub(crate) fn put_first(&mut self, mut wanted: impl FnMut(Move) -> bool) {
        if let Some(place) = self.moves.iter().position(|root_move| wanted(root_move.mv)) {
            self.moves[..=place].rotate_right(1);
        }
    }

    /// Moves a proved mate to the front.
    pub(crate) fn put_mate_first(&mut self, mate: RootLine) {
        self.put_first(|mv| mv == mate.moves[0]);
        self.moves[0].exact = Some(mate);
    }

    /// The first move of the current line with its value in the current window, and its bound: for
    /// reports of values outside the window.
    pub(crate) fn front_line(&self) -> (RootLine, Bound) {
        let front = &self.moves[self.first];
        (front.line_with_value(self.depth, front.value), front.bound)
    }

    /// The effort of a completed iteration with this best move.
    pub(crate) fn effort(&self, best: Move) -> RootEffort {
        let nodes: u64 = self.moves.iter().map(|root_move| root_move.nodes).sum();
        let best = self.moves.iter().find(|root_move| root_move.mv == best);
        best.map_or(RootEffort::default(), |best| RootEffort {
            average: best.means.map_or(0, |(average, _)| average),
            changes: self.changes,
            share: best.nodes as f64 / nodes.max(1) as f64,
        })
    }

    /// The best `count` lines of a completed iteration, best first.
    pub(crate) fn lines(&self, count: usize) -> Vec<RootLine> {
        best_first(self.moves.iter().take(count).filter_map(|root_move| root_move.exact.clone()).collect())
    }

    /// The move of this window that is better than those before it, with which
    /// [`RootMoves::interrupted_line`] would begin. `None` while the first is only known to be
    /// worse than expected.
    pub(crate) fn better_move(&self) -> Option<Move> {
        let best = self.moves.iter().max_by_key(|root_move| root_move.value)?;
        (best.value > -INFINITE && best.bound != Bound::Upper).then_some(best.mv)
    }

    /// The best line after an interrupted search: that of a move that beat the previous best, else
    /// the last iteration's.
    pub(crate) fn interrupted_line(&self, completed: &RootLine) -> RootLine {
        let front = &self.moves[0];
        let stays = front.mv == completed.moves[0];
        let unsearched = front.value == -INFINITE;
        match front.bound {
            _ if unsearched && stays => completed.clone(),
            Bound::Upper if !unsearched => completed.clone(),
            // The move failed high in this window or in a narrower one: it is only known to be no
            // worse.
            _ if unsearched || front.bound == Bound::Lower => {
                RootLine { moves: front.whole_line(), ..completed.clone() }
            }
            _ => front.line_with_value(self.depth, front.value),
        }
    }
}

impl RootMove {
    fn whole_line(&self) -> Vec<Move> {
        [&[self.mv], self.line.as_slice()].concat()
    }

    fn line_with_value(&self, depth: u32, value: Value) -> RootLine {
        RootLine { depth, seldepth: self.seldepth, value, moves: self.whole_line() }
    }
}

/// A line gets at most the value of the line ranked above: the search of that line covered its move
/// too.
fn best_first(mut lines: Vec<RootLine>) -> Vec<RootLine> {
    let mut most = INFINITE;
    for line in &mut lines {
        line.value = line.value.min(most);
        most = line.value;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Window = Window { alpha: -INFINITE, beta: INFINITE };

    fn mv(number: u16) -> Move {
        Move::from_bits(number)
    }

    fn list(count: u16) -> RootMoves {
        RootMoves::new((1..=count).map(mv))
    }

    /// Notes values of moves in the order in which they are searched.
    fn note(moves: &mut RootMoves, window: Window, values: &[(u16, Value)]) {
        moves.begin_window();
        for (index, &(number, value)) in values.iter().enumerate() {
            let (mv, line) = (mv(number), [mv(100 + number)]);
            // If every move gets a value, each is searched like the first.
            let number = if moves.values_all { 1 } else { index as i32 + 1 };
            moves.note(&RootMoveResult { mv, value, number, window, seldepth: 7, nodes: 50, line: &line });
        }
        moves.end_window();
    }

    /// A whole iteration of one line.
    fn iteration(moves: &mut RootMoves, depth: u32, values: &[(u16, Value)]) -> RootLine {
        moves.begin_iteration(depth);
        moves.begin_line(0);
        note(moves, OPEN, values);
        moves.end_line();
        moves.lines(1).remove(0)
    }

    /// Move, depth and value of lines.
    fn summary(lines: &[RootLine]) -> Vec<(u16, u32, Value)> {
        lines.iter().map(|line| (line.moves[0].bits(), line.depth, line.value)).collect()
    }

    #[test]
    fn a_move_asked_for_twice_counts_once() {
        let moves = RootMoves::new([mv(3), mv(4), mv(3)]);
        assert_eq!(moves.len(), 2);
        assert!(moves.contains(mv(4)) && !moves.contains(mv(5)) && !moves.is_empty());
    }

    #[test]
    fn the_best_move_goes_to_the_front_with_its_line() {
        let mut moves = list(4);
        // 3 is only known to be no better than 2.
        let best = iteration(&mut moves, 1, &[(1, 10), (2, 30), (3, 30), (4, -5)]);
        assert_eq!((best.value, best.moves.as_slice(), best.seldepth), (30, &[mv(2), mv(102)][..], 7));
        assert_eq!(moves.front(), mv(2));
        assert_eq!(moves.effort(mv(2)).share, 0.25, "each of the four took as many nodes");
        moves.begin_iteration(2);
        assert_eq!(moves.begin_line(0), Some((30, 900)), "the middle of the next window and what widens it");
    }

    #[test]
    fn values_of_an_earlier_window_are_not_taken_for_this_ones() {
        let mut moves = list(3);
        iteration(&mut moves, 1, &[(1, 0), (2, -10), (3, -10)]);
        moves.begin_iteration(2);
        moves.begin_line(0);
        note(&mut moves, Window { alpha: -20, beta: 20 }, &[(1, -40), (2, -25), (3, -25)]);
        assert_eq!(moves.front(), mv(1), "below the window nothing is known to be better");
        // In a lower window, the first move turns out even worse, and the second is better.
        note(&mut moves, Window { alpha: -100, beta: 0 }, &[(1, -60), (2, -50), (3, -70)]);
        assert_eq!(moves.front(), mv(2));
        moves.end_line();
        assert_eq!(summary(&moves.lines(1)), [(2, 2, -50)]);
    }

    #[test]
    fn a_move_that_failed_high_is_played_when_the_iteration_is_interrupted() {
        let mut moves = list(3);
        let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
        moves.begin_iteration(5);
        moves.begin_line(0);
        let window = Window { alpha: 0, beta: 20 };
        note(&mut moves, window, &[(1, 5), (2, 25)]);
        assert_eq!(moves.better_move(), Some(mv(2)));
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(2, 4, 10)], "with the last exact value");
        // Time is up before the wider window has searched its first move.
        note(&mut moves, OPEN, &[]);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(2, 4, 10)]);
        // Now it has: the value is exact.
        note(&mut moves, OPEN, &[(2, 33)]);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(2, 5, 33)]);
    }

    #[test]
    fn an_interrupted_iteration_that_found_nothing_better_leaves_the_last_one() {
        let mut moves = list(3);
        let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
        moves.begin_iteration(5);
        moves.begin_line(0);
        note(&mut moves, OPEN, &[]);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(1, 4, 10)]);
        note(&mut moves, Window { alpha: 5, beta: 15 }, &[(1, -30)]);
        assert_eq!(moves.better_move(), None);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(1, 4, 10)], "only known to be worse");
        note(&mut moves, OPEN, &[(1, -30)]);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(1, 5, -30)], "known exactly");
    }

    #[test]
    fn a_mate_outside_the_window_is_exact() {
        let mut moves = list(2);
        let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0)]);
        moves.begin_iteration(5);
        moves.begin_line(0);
        note(&mut moves, Window { alpha: 0, beta: 20 }, &[(1, 5), (2, MATE_BOUND + 9)]);
        assert_eq!(summary(&[moves.interrupted_line(&completed)]), [(2, 5, MATE_BOUND + 9)]);
    }

    #[test]
    fn a_proven_mate_goes_before_all_others() {
        let mut moves = list(3);
        iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
        let mate = RootLine { depth: 4, seldepth: 3, value: MATE_BOUND + 3, moves: vec![mv(3), mv(8), mv(9)] };
        moves.put_mate_first(mate.clone());
        assert_eq!(moves.lines(1), [mate]);
        assert_eq!(moves.front(), mv(3));
        moves.put_first(|other| other == mv(2));
        assert_eq!(moves.front(), mv(2));
        moves.put_first(|_| false);
        assert_eq!(moves.front(), mv(2));
    }

    /// An iteration of three lines.
    fn three_lines(moves: &mut RootMoves, depth: u32, values: [&[(u16, Value)]; 3]) -> Vec<RootLine> {
        moves.begin_iteration(depth);
        for (first, values) in values.into_iter().enumerate() {
            moves.begin_line(first);
            note(moves, OPEN, values);
            moves.end_line();
        }
        moves.lines(3)
    }

    #[test]
    fn lines_are_sorted_also_when_a_later_one_is_better() {
        let mut moves = list(4);
        let first = [(1, 100), (2, 80), (3, 60), (4, 0)];
        let lines = three_lines(&mut moves, 6, [&first, &first[1..], &first[2..]]);
        assert_eq!(summary(&lines), [(1, 6, 100), (2, 6, 80), (3, 6, 60)]);
        moves.begin_line(1);
        assert!(!moves.is_searched_now(mv(1)) && moves.is_searched_now(mv(2)), "the first belongs to a better line");
        let lines = three_lines(&mut moves, 7, [&[(1, 50), (2, 40), (3, 0)], &[(2, 70), (3, 0)], &[(3, 10), (4, 0)]]);
        assert_eq!(summary(&lines), [(2, 7, 70), (1, 7, 50), (3, 7, 10)]);
    }

    #[test]
    fn every_move_has_a_value_where_that_is_asked_for() {
        let mut moves = list(3);
        moves.values_all = true;
        iteration(&mut moves, 1, &[(1, 10), (2, -40), (3, 30)]);
        assert_eq!(summary(&moves.lines(3)), [(3, 1, 30), (1, 1, 10), (2, 1, -40)]);
    }
}
