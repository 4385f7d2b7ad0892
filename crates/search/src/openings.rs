//! Random openings, for games of an engine against itself.

use std::ops::RangeInclusive;

use kiki_board::{Move, Position};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

/// Random legal moves from a position, and the position after them. Each number of moves in `plies`
/// is equally likely, and each legal move. `None` if the game ended before the last move.
///
/// # Panics
/// If `plies` is empty.
pub fn random_opening(
    start: &Position,
    plies: RangeInclusive<u32>,
    random: &mut impl Rng,
) -> Option<(Vec<Move>, Position)> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for _ in 0..random.random_range(plies) {
        let mv = *position.legal_moves().choose(random)?;
        moves.push(mv);
        position.make(mv);
    }
    Some((moves, position))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng as _;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn every_number_of_plies_and_every_move_occurs() {
        let start = Position::startpos();
        let random = &mut StdRng::seed_from_u64(1);
        let openings: Vec<_> = (0..600).filter_map(|_| random_opening(&start, 1..=2, random)).collect();
        assert_eq!(openings.len(), 600);
        let lengths: BTreeSet<usize> = openings.iter().map(|(moves, _)| moves.len()).collect();
        assert_eq!(lengths, BTreeSet::from([1, 2]));
        let first: BTreeSet<String> = openings.iter().map(|(moves, _)| moves[0].to_string()).collect();
        assert_eq!(first.len(), start.legal_moves().len());
        for (moves, position) in openings {
            let mut replayed = start.clone();
            for mv in moves {
                assert!(replayed.legal_moves().contains(&mv), "{mv}");
                replayed.make(mv);
            }
            assert_eq!(replayed.to_sfen(), position.to_sfen());
        }
    }

    #[test]
    fn a_game_that_ends_on_the_way_gives_no_opening() {
        let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
        let random = &mut StdRng::seed_from_u64(1);
        assert!(random_opening(&mated, 1..=1, random).is_none());
        assert!(random_opening(&mated, 0..=0, random).is_some());
    }
}
