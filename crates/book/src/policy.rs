//! Which of a position's book moves to play.

use rand::{Rng, RngExt};

use crate::BookMove;

/// What a user wants of a book move. A move whose value, depth or count the book does not tell passes what asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookPolicy {
    /// Centipawns by which a move may be worse than the best.
    pub value_difference: i32,
    /// The least value for the side to move, in centipawns.
    pub least_value: i32,
    /// The least depth of its value, in plies; 0 for any.
    pub least_depth: u32,
    /// Choose by how often moves were played.
    pub by_count: bool,
    /// Leave out moves that were played in less than a tenth of the games.
    pub narrow: bool,
}

impl BookPolicy {
    /// Chooses a move. Among those that suit: by count if that is asked for; else, if the book tells values, any of them alike; else
    /// the one that was played most, as a frequency below the highest is no merit.
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

    /// The moves that meet every wish.
    fn suitable<'a>(&self, moves: &'a [BookMove]) -> Vec<&'a BookMove> {
        let games: u64 = moves.iter().filter_map(|book_move| book_move.count).sum();
        let trusted = |book_move: &&BookMove| {
            book_move.depth.is_none_or(|depth| depth >= self.least_depth)
                && (!self.narrow || book_move.count.is_none_or(|count| count.saturating_mul(10) >= games))
        };
        let mut suitable: Vec<&BookMove> = moves.iter().filter(trusted).collect();
        // The best of those that are trusted: a shallow value that is too good puts no other move in the shade.
        let best = suitable.iter().filter_map(|book_move| book_move.value).max();
        let least = best.map(|best| best.saturating_sub(self.value_difference).max(self.least_value));
        suitable.retain(|book_move| book_move.value.zip(least).is_none_or(|(value, least)| value >= least));
        suitable
    }
}

/// One of several, each as likely as its weight says.
fn by_weight<'a>(
    moves: &[&'a BookMove],
    weight: impl Fn(&BookMove) -> u64,
    random: &mut impl Rng,
) -> Option<&'a BookMove> {
    let total: u64 = moves.iter().map(|book_move| weight(book_move)).sum();
    if total == 0 {
        return None;
    }
    let mut ticket = random.random_range(0..total);
    moves.iter().copied().find(|book_move| {
        let weight = weight(book_move);
        let drawn = ticket < weight;
        ticket = ticket.saturating_sub(weight);
        drawn
    })
}
