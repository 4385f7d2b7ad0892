//! Random numbers and random openings.

use kiki_board::Position;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::settings::SelfPlaySettings;
use crate::random::mix;

/// The random numbers of a game.
pub(super) fn random_numbers(seed: u64, game: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(mix(seed) ^ game))
}

/// The position after a random number of random moves from the start of the game; `None` if the game ended before.
pub(super) fn random_opening(settings: &SelfPlaySettings, random: &mut Pcg64) -> Option<Position> {
    let plies = random.random_range(settings.min_random_plies..=settings.max_random_plies);
    let mut position = Position::startpos();
    for _ in 0..plies {
        let mv = *position.legal_moves().choose(random)?;
        position.make(mv);
    }
    Some(position)
}
