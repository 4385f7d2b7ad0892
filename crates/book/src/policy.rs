//! Choosing one of a position's book moves.

use rand::{Rng, RngExt};

use crate::BookMove;

/// Which book moves may be played. Conditions on a value, depth or count that the book does not give for a move are met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookPolicy {
    /// How many centipawns worse than the best move a move may be.
    pub value_difference: i32,
    /// The lowest value for the side to move, in centipawns.
    pub least_value: i32,
    /// The lowest search depth of a move's value, in plies; 0 for any.
    pub least_depth: u32,
    /// Choose moves with probabilities in proportion to their counts.
    pub by_count: bool,
    /// Leave out moves that were played in less than a tenth of the games.
    pub narrow: bool,
}

impl BookPolicy {
    /// Chooses one of the moves that meet all conditions, `None` if none does: in proportion to the counts with `by_count`; otherwise
    /// with equal probabilities if the book gives values, and else among those that were played most often.
    pub fn choose<'a>(&self, moves: &'a [BookMove], random: &mut impl Rng) -> Option<&'a BookMove> {
        let suitable = self.suitable(moves);
        let count = |book_move: &BookMove| book_move.count.unwrap_or(0);
        if self.by_count {
            return by_weight(&suitable, |book_move| count(book_move).max(1), random);
        }
        if suitable.iter().all(|book_move| book_move.value.is_none()) {
            let most = suitable.iter().map(|book_move| count(book_move)).max()?;
            let played: Vec<_> = suitable.into_iter().filter(|book_move| count(book_move) == most).collect();
            return by_weight(&played, |_| 1, random);
        }
        by_weight(&suitable, |_| 1, random)
    }

    /// The moves that meet all conditions.
    fn suitable<'a>(&self, moves: &'a [BookMove]) -> Vec<&'a BookMove> {
        let games: u128 = moves.iter().filter_map(|book_move| book_move.count).map(u128::from).sum();
        let trusted = |book_move: &&BookMove| {
            book_move.depth.is_none_or(|depth| depth >= self.least_depth)
                && (!self.narrow || book_move.count.is_none_or(|count| 10 * u128::from(count) >= games))
        };
        let mut suitable: Vec<&BookMove> = moves.iter().filter(trusted).collect();
        // The best value counts among trusted moves only, so that a shallow value that is too good excludes no other move.
        let best = suitable.iter().filter_map(|book_move| book_move.value).max();
        let least = best.map(|best| best.saturating_sub(self.value_difference).max(self.least_value));
        suitable.retain(|book_move| book_move.value.zip(least).is_none_or(|(value, least)| value >= least));
        suitable
    }
}

/// One of several moves, with probabilities in proportion to their weights.
fn by_weight<'a>(
    moves: &[&'a BookMove],
    weight: impl Fn(&BookMove) -> u64,
    random: &mut impl Rng,
) -> Option<&'a BookMove> {
    // Books hold any counts, whose sum may not fit 64 bits.
    let total: u128 = moves.iter().map(|book_move| u128::from(weight(book_move))).sum();
    let mut ticket = match u64::try_from(total) {
        Ok(0) => return None,
        Ok(total) => random.random_range(0..total).into(),
        Err(_) => random.random_range(0..total),
    };
    moves.iter().copied().find(|book_move| {
        let weight = u128::from(weight(book_move));
        let drawn = ticket < weight;
        ticket = ticket.saturating_sub(weight);
        drawn
    })
}
