//! Positions of games between players who move at random.

use kiki_board::{GameRepetition, Move, Position};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::placement::Placement;

/// The `position` command after so many random plies from the start, all of them legal: nobody is mated and nothing has occurred four times.
/// Such games are soon lost for one side.
pub(crate) fn playout(seed: u64, plies: usize) -> Placement {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut position = Position::startpos();
    let mut command = "position startpos moves".to_owned();
    for _ in 0..plies {
        let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
        moves.shuffle(&mut random);
        let goes_on = |position: &mut Position, mv: Move| {
            position.make(mv);
            let goes_on = !position.legal_moves().is_empty() && position.game_repetition() == GameRepetition::None;
            position.unmake();
            goes_on
        };
        let Some(&mv) = moves.iter().find(|&&mv| goes_on(&mut position, mv)) else { break };
        position.make(mv);
        command.push_str(&format!(" {mv}"));
    }
    Placement { command, position, may_be_lost: true }
}

/// So many positions from all parts of games, the same ones every time.
pub(crate) fn random_positions(count: usize) -> Vec<Placement> {
    let mut random = Pcg64::seed_from_u64(1);
    (0..count as u64).map(|seed| playout(seed, random.random_range(1..150))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playouts_are_long_legal_and_different() {
        let long = playout(7, 512);
        assert_eq!(long.position.moves_made(), 512);
        assert_eq!(Placement::new(&long.command).position.to_sfen(), long.position.to_sfen());
        let several = random_positions(20);
        assert!(several.iter().any(|placement| placement.position.in_check()));
        assert_ne!(several[0].command, several[1].command);
    }
}
