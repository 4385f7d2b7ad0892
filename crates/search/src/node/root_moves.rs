//! The moves at the root with their values and lines: bookkeeping without a search.
//!
//! The list is ordered by rank: a move that has proved better than those before it stands in front of them, also when the iteration
//! that found it is interrupted. Only exact values and their lines are reported and played.
//!
//! It stands here and not beside the iterations because the root is a node like others: the move loop asks it which moves to search.

use kiki_board::{Move, MoveList, Position, PromotionChoice};

use super::context::Window;
use crate::report::{SearchInfo, WorkDone};
use crate::value::{Bound, INFINITE, MATE_BOUND, RootScore, Value};

/// One of the best lines, with an exact value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootLine {
    /// The iteration that found it, in plies.
    pub(crate) depth: u32,
    /// The longest line looked at, in plies.
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

/// A move at the root.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// In the present window; minus infinity unless it is the first move or better than all before it.
    value: Value,
    /// Of that value.
    bound: Bound,
    /// The line that showed that value.
    line: Vec<Move>,
    seldepth: u32,
    /// The last exact value of this iteration.
    exact: Option<RootLine>,
    /// The last exact value of the iteration before.
    previous: Option<RootLine>,
}

/// What the search of one root move has shown.
pub(crate) struct RootMoveResult<'a> {
    pub(crate) mv: Move,
    pub(crate) value: Value,
    /// Its place in the order of this window, from 1.
    pub(crate) number: usize,
    pub(crate) window: Window,
    pub(crate) seldepth: usize,
    /// The line behind the move.
    pub(crate) line: &'a [Move],
}

/// The moves at the root, best first.
#[derive(Clone, Debug)]
pub(crate) struct RootMoves {
    moves: Vec<RootMove>,
    /// Which promotions are generated: all if one that was asked for by name is not a sensible one.
    pub(crate) choice: PromotionChoice,
    /// The iteration, in plies.
    depth: u32,
    /// The rank of the line that is being searched: moves before it belong to better lines.
    first: usize,
    /// Every move gets an exact value, not only the best one.
    values_all: bool,
}

impl RootMoves {
    /// The legal moves of `position` of the kind `choice`, or those among `only` unless that is empty. A move that mates at once goes
    /// first: in a wild position the captures behind the moves before it may take all the time that there is.
    pub(crate) fn of(position: &Position, only: &[Move], choice: PromotionChoice) -> Self {
        let mut generated = MoveList::new();
        position.all_moves(&mut generated, choice);
        let asked: Vec<Move> = only.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        let mut list =
            if only.is_empty() { Self::new(generated.iter().copied()) } else { Self::new(asked.iter().copied()) };
        // Moves that are asked for by name may be ones that the generator leaves out.
        list.choice = if asked.iter().all(|mv| generated.contains(mv)) { choice } else { PromotionChoice::All };
        let mut after = position.clone();
        list.put_first(|mv| {
            after.make(mv);
            let mated = after.is_checkmate();
            after.unmake();
            mated
        });
        list
    }

    /// Moves of which nothing is known yet. Each counts once.
    pub(crate) fn new(moves: impl IntoIterator<Item = Move>) -> Self {
        let mut list =
            Self { moves: Vec::new(), choice: PromotionChoice::Sensible, depth: 0, first: 0, values_all: false };
        for mv in moves {
            if !list.contains(mv) {
                list.moves.push(RootMove {
                    mv,
                    value: -INFINITE,
                    bound: Bound::Exact,
                    line: vec![mv],
                    seldepth: 0,
                    exact: None,
                    previous: None,
                });
            }
        }
        list
    }

    /// Adds the legal moves of the position that the choice of promotions has left out; false if there are none.
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

    /// The rank of the line that is being searched, from 0.
    pub(crate) fn line_index(&self) -> usize {
        self.first
    }

    /// The move to be searched first now.
    pub(crate) fn front(&self) -> Move {
        self.moves[self.first].mv
    }

    /// Whether a move may be searched now: not one of a better line.
    pub(crate) fn is_searched_now(&self, mv: Move) -> bool {
        self.moves[self.first..].iter().any(|root_move| root_move.mv == mv)
    }

    /// A new iteration begins.
    pub(crate) fn begin_iteration(&mut self, depth: u32) {
        self.depth = depth;
        self.first = 0;
        for root_move in &mut self.moves {
            root_move.previous = root_move.exact.take();
        }
    }

    /// Whether every move gets an exact value from now on, not only the best one.
    pub(crate) fn value_all(&mut self, values_all: bool) {
        self.values_all = values_all;
    }

    /// Whether every move gets an exact value.
    pub(crate) fn values_all(&self) -> bool {
        self.values_all
    }

    /// The line of a rank is to be searched. Returns the exact value of its first move in the last iteration, if there was one.
    pub(crate) fn begin_line(&mut self, first: usize) -> Option<Value> {
        self.first = first;
        self.moves[first].previous.as_ref().map(|line| line.value)
    }

    /// The line is searched with another window: what an earlier one has shown are not values of this one.
    pub(crate) fn begin_window(&mut self) {
        for root_move in &mut self.moves[self.first..] {
            root_move.value = -INFINITE;
        }
    }

    /// A move has been searched in the present window.
    pub(crate) fn note(&mut self, result: &RootMoveResult<'_>) {
        let &RootMoveResult { mv, value, number, window, seldepth, line } = result;
        let best = self.moves[self.first..].iter().map(|root_move| root_move.value).max().unwrap_or(-INFINITE);
        let depth = self.depth;
        let Some(root_move) = self.moves.iter_mut().find(|root_move| root_move.mv == mv) else { return };
        if number > 1 && value <= best.max(window.alpha) {
            // Only known to be no better.
            return;
        }
        root_move.value = value;
        root_move.seldepth = seldepth as u32;
        root_move.line.truncate(1);
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

    /// The window has been searched, or its search was interrupted: what has been found to be better goes to the front. The others keep
    /// the order that they had.
    pub(crate) fn end_window(&mut self) {
        self.moves[self.first..].sort_by_key(|root_move| -root_move.value);
    }

    /// The value of the best move in the present window.
    pub(crate) fn window_value(&self) -> Value {
        self.moves[self.first].value
    }

    /// The line of the present rank has an exact value. A later line may turn out to be the better one.
    pub(crate) fn end_line(&mut self) {
        self.moves[..=self.first]
            .sort_by_key(|root_move| -root_move.exact.as_ref().map_or(-INFINITE, |line| line.value));
    }

    /// The first move that satisfies `wanted` goes before all others.
    pub(crate) fn put_first(&mut self, mut wanted: impl FnMut(Move) -> bool) {
        if let Some(place) = self.moves.iter().position(|root_move| wanted(root_move.mv)) {
            self.moves[..=place].rotate_right(1);
        }
    }

    /// A proven mate by one of the moves goes before all others.
    pub(crate) fn put_mate_first(&mut self, mate: RootLine) {
        self.put_first(|mv| mv == mate.moves[0]);
        self.moves[0].exact = Some(mate);
    }

    /// The first move of the line that is being searched with its value in the present window, and its bound. For
    /// reports of values outside the window.
    pub(crate) fn front_line(&self) -> (RootLine, Bound) {
        let front = &self.moves[self.first];
        (front.line_with_value(self.depth, front.value), front.bound)
    }

    /// The best `count` lines of a completed iteration, best first.
    pub(crate) fn lines(&self, count: usize) -> Vec<RootLine> {
        best_first(self.moves.iter().take(count).filter_map(|root_move| root_move.exact.clone()).collect())
    }

    /// The best line when its search was interrupted: that of a move that beat the one before it, else the line of the last iteration.
    pub(crate) fn interrupted_line(&self, completed: &RootLine) -> RootLine {
        let front = &self.moves[0];
        let stays = front.mv == completed.moves[0];
        let unsearched = front.value == -INFINITE;
        match front.bound {
            _ if unsearched && stays => completed.clone(),
            Bound::Upper if !unsearched => completed.clone(),
            // It has failed high, in this window or in one before it was widened: all that is known is that it is no worse.
            _ if unsearched || front.bound == Bound::Lower => {
                RootLine { moves: front.line.clone(), ..completed.clone() }
            }
            _ => front.line_with_value(self.depth, front.value),
        }
    }
}

impl RootMove {
    /// Its line with this value.
    fn line_with_value(&self, depth: u32, value: Value) -> RootLine {
        RootLine { depth, seldepth: self.seldepth, value, moves: self.line.clone() }
    }
}

/// A line ranked below another gets at most its value: the search of the better one has looked at its move too.
fn best_first(mut lines: Vec<RootLine>) -> Vec<RootLine> {
    let mut most = INFINITE;
    for line in &mut lines {
        line.value = line.value.min(most);
        most = line.value;
    }
    lines
}

#[cfg(test)]
mod tests;
