//! Perft: counts the positions at a depth, to test move generation and making of moves.

use crate::{Move, MoveList, Position, PromotionChoice};

/// Plies below the nodes at which `stop` is called. They take less than a millisecond; a call at
/// every leaf would slow the count.
const PLIES_BELOW_QUESTION: u32 = 2;

/// The result of a count that may be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftCount {
    /// The sequences of legal moves counted so far.
    pub nodes: u64,
    /// Whether these are all of them; false if the count was interrupted.
    pub complete: bool,
}

/// The number of sequences of `depth` legal moves. The last ply is counted without being played.
#[must_use]
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    perft_until(position, depth, || false).nodes
}

/// Like [`perft`], but ends when `stop` returns true. Leaves the position as it was in either case.
///
/// ```
/// use kiki_board::{PerftCount, Position, perft_until};
///
/// let mut position = Position::startpos();
/// assert_eq!(perft_until(&mut position, 3, || false), PerftCount { nodes: 25_470, complete: true });
/// assert_eq!(perft_until(&mut position, 30, || true), PerftCount { nodes: 0, complete: false });
/// ```
#[must_use]
pub fn perft_until(position: &mut Position, depth: u32, stop: impl FnMut() -> bool) -> PerftCount {
    let mut counter = Perft::<1, _>::new(stop);
    let nodes = counter.count(position, depth);
    PerftCount { nodes, complete: !counter.stopped }
}

/// The same number as [`perft`], but the moves of the last ply are also made and unmade.
#[must_use]
pub fn perft_by_making(position: &mut Position, depth: u32) -> u64 {
    Perft::<0, _>::new(|| false).count(position, depth)
}

/// Calls `visit` with each legal move, in the order of their USI texts, and the count below it;
/// returns the sum. When `stop` returns true, the count ends, and the move being counted is not
/// visited.
pub fn divide(
    position: &mut Position,
    depth: u32,
    stop: impl FnMut() -> bool,
    mut visit: impl FnMut(Move, u64),
) -> PerftCount {
    let mut moves: Vec<Move> = position.legal_moves().to_vec();
    moves.sort_by_key(ToString::to_string);
    let mut counter = Perft::<1, _>::new(stop);
    let mut nodes = 0;
    for mv in moves {
        position.make(mv);
        let below = counter.count(position, depth.saturating_sub(1));
        position.unmake();
        nodes += below;
        if counter.stopped {
            break;
        }
        visit(mv, below);
    }
    PerftCount { nodes, complete: !counter.stopped }
}

/// Counts sequences of moves; the last `BULK` plies (0 or 1) are counted without making their
/// moves.
struct Perft<const BULK: u32, Stop> {
    moves: MoveList,
    stop: Stop,
    stopped: bool,
}

impl<const BULK: u32, Stop: FnMut() -> bool> Perft<BULK, Stop> {
    fn new(stop: Stop) -> Self {
        Self { moves: MoveList::new(), stop, stopped: false }
    }

    fn count(&mut self, position: &mut Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == BULK {
            return position.count_legal_moves();
        }
        if depth == PLIES_BELOW_QUESTION && (self.stop)() {
            self.stopped = true;
            return 0;
        }
        let start = self.moves.len();
        position.all_moves(&mut self.moves, PromotionChoice::All);
        let mut total = 0;
        for i in start..self.moves.len() {
            position.make(self.moves[i]);
            total += self.count(position, depth - 1);
            position.unmake();
            if self.stopped {
                break;
            }
        }
        self.moves.truncate(start);
        total
    }
}
