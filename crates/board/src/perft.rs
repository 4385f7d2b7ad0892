//! Perft: counting the positions at a depth, the test of every way of making moves.

use std::ops::ControlFlow;

use crate::{Choice, Move, MoveList, Position};

/// The number of sequences of `depth` legal moves. The last ply is counted without being played.
#[must_use]
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    Perft::<1>::new().count(position, depth)
}

/// The same number, every move of the last ply being played and taken back too.
#[must_use]
pub fn perft_by_making(position: &mut Position, depth: u32) -> u64 {
    Perft::<0>::new().count(position, depth)
}

/// The bulk count below each legal move, in the order of their USI texts. `visit` may stop it.
pub fn divide(position: &mut Position, depth: u32, mut visit: impl FnMut(Move, u64) -> ControlFlow<()>) {
    let mut moves: Vec<Move> = position.legal_moves().to_vec();
    moves.sort_by_key(ToString::to_string);
    for mv in moves {
        position.make(mv);
        let count = perft(position, depth.saturating_sub(1));
        position.unmake();
        if visit(mv, count).is_break() {
            return;
        }
    }
}

/// Counts, from `BULK` plies before the end without playing.
struct Perft<const BULK: u32> {
    moves: MoveList,
}

impl<const BULK: u32> Perft<BULK> {
    fn new() -> Self {
        Self { moves: MoveList::new() }
    }

    fn count(&mut self, position: &mut Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == BULK {
            return position.count_legal_moves();
        }
        let start = self.moves.len();
        position.all_moves(&mut self.moves, Choice::All);
        let mut total = 0;
        for i in start..self.moves.len() {
            position.make(self.moves[i]);
            total += self.count(position, depth - 1);
            position.unmake();
        }
        self.moves.truncate(start);
        total
    }
}
