//! Who plays whom, from which opening and with which colour.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PairingFormat {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// One game of the schedule. It follows from its number alone, so that a contest can be resumed after any interruption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its index in the schedule, from 0.
    pub number: usize,
    /// The index of the engine that plays Black.
    pub black: usize,
    pub white: usize,
    /// The index of the opening.
    pub opening: usize,
}

/// All games: round after round, each pairing plays the round's opening twice, with colours exchanged. No list of games is kept: each is
/// computed from its number, so that a schedule of any length takes no memory.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    games: usize,
    openings: usize,
}

impl Schedule {
    /// # Errors
    /// More games than can be counted.
    pub fn new(format: PairingFormat, engines: usize, rounds: usize, openings: usize) -> Result<Self> {
        let all = (0..engines).flat_map(|first| (first + 1..engines).map(move |second| (first, second)));
        let pairings: Vec<_> = all.filter(|&(first, _)| format == PairingFormat::RoundRobin || first == 0).collect();
        let games = pairings.len().checked_mul(2).and_then(|round| round.checked_mul(rounds));
        let too_many = || format!("{rounds} rounds of {} pairings are more games than can be counted", pairings.len());
        Ok(Self { games: games.with_context(too_many)?, pairings, openings })
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.games
    }

    /// The pairings: indices of engines, the first one below the second.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    pub fn game(&self, number: usize) -> ScheduledGame {
        let (first, second) = self.pairings[number / 2 % self.pairings.len()];
        let opening = number / (2 * self.pairings.len()) % self.openings;
        let (black, white) = if number.is_multiple_of(2) { (first, second) } else { (second, first) };
        ScheduledGame { number, black, white, opening }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn everybody_meets_everybody_with_both_colours_from_every_opening() {
        let schedule = Schedule::new(PairingFormat::RoundRobin, 4, 5, 3).unwrap();
        assert_eq!(schedule.len(), 60);
        let mut met: HashMap<(usize, usize, usize), usize> = HashMap::new();
        for game in (0..schedule.len()).map(|number| schedule.game(number)) {
            *met.entry((game.black, game.white, game.opening)).or_default() += 1;
        }
        assert_eq!(met.len(), 4 * 3 * 3);
        for ((_, _, opening), times) in met {
            assert_eq!(times, if opening < 2 { 2 } else { 1 });
        }
    }

    #[test]
    fn two_games_in_succession_are_a_pair() {
        let schedule = Schedule::new(PairingFormat::Gauntlet, 3, 2, 9).unwrap();
        assert_eq!(schedule.pairings(), [(0, 1), (0, 2)]);
        for pair in 0..schedule.len() / 2 {
            let [first, second] = [schedule.game(2 * pair), schedule.game(2 * pair + 1)];
            assert_eq!((first.black, first.white, first.opening), (second.white, second.black, second.opening));
        }
    }

    #[test]
    fn any_number_of_games_that_can_be_counted_is_a_schedule() {
        let schedule = Schedule::new(PairingFormat::RoundRobin, 2, usize::MAX / 2, 3).unwrap();
        assert_eq!((schedule.len(), schedule.game(schedule.len() - 1).black), (usize::MAX - 1, 1));
        let error = Schedule::new(PairingFormat::RoundRobin, 3, usize::MAX / 2, 3).unwrap_err();
        assert!(error.to_string().contains("of 3 pairings are more games than can be counted"), "{error}");
    }
}
