//! The schedule of a contest (who plays whom, from which opening, with which colour) and the
//! results so far.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use kiki_play::game::PlayedGame;
use kiki_play::pool::WorkQueue;
use kiki_record::{EndReason, GameOutcome};
use kiki_stats::sprt::Counts;
use kiki_stats::tally::Tally;
use serde::{Deserialize, Serialize};
use shogi_core::Color;

/// Which engines play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PairingFormat {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// A game of the schedule. It follows from its number alone, so a contest can resume after any
/// interruption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScheduledGame {
    pub(crate) number: usize,
    pub(crate) black: usize,
    pub(crate) white: usize,
    pub(crate) opening: usize,
}

/// All games: in each round each pairing plays the round's opening twice, with colours exchanged.
/// Games follow from their numbers, so a schedule of any length needs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    /// Indices of engines, the smaller one first.
    pub(crate) pairings: Vec<(usize, usize)>,
    pub(crate) games: usize,
    openings: usize,
}

impl Schedule {
    /// Refuses more games than can be counted.
    pub(crate) fn new(format: PairingFormat, engines: usize, rounds: usize, openings: usize) -> Result<Self> {
        let all = (0..engines).flat_map(|first| (first + 1..engines).map(move |second| (first, second)));
        let pairings: Vec<_> = all.filter(|&(first, _)| format == PairingFormat::RoundRobin || first == 0).collect();
        let games = pairings.len().checked_mul(2).and_then(|round| round.checked_mul(rounds));
        let too_many = || format!("{rounds} rounds of {} pairings are more games than can be counted", pairings.len());
        Ok(Self { games: games.with_context(too_many)?, pairings, openings })
    }

    pub(crate) fn game(&self, number: usize) -> ScheduledGame {
        let (first, second) = self.pairings[number / 2 % self.pairings.len()];
        let opening = number / (2 * self.pairings.len()) % self.openings;
        let (black, white) = if number.is_multiple_of(2) { (first, second) } else { (second, first) };
        ScheduledGame { number, black, white, opening }
    }
}

pub const LEVEL: f64 = 0.95;

/// Results of a pairing, from the view of its first engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PairingScore {
    pub(crate) tally: Tally,
    /// Pairs of games by the first engine's points: 0, 1/2, 1, 3/2, 2.
    pub(crate) pairs: [u64; 5],
}

impl PairingScore {
    /// Number of games whose pair is incomplete. Estimates leave them out once there is a complete
    /// pair.
    pub(crate) fn unpaired(&self) -> u64 {
        self.tally.games() - 2 * self.pairs.iter().sum::<u64>()
    }

    /// Whether a pair of games is complete.
    pub(crate) fn has_pairs(&self) -> bool {
        self.pairs != [0; 5]
    }

    /// Results behind estimates: pairs of games if there are any, else single games.
    pub(crate) fn counts(&self) -> Counts {
        if !self.has_pairs() {
            return Counts::Trinomial([self.tally.losses, self.tally.draws, self.tally.wins]);
        }
        Counts::Pentanomial(self.pairs)
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct EngineStatistics {
    pub(crate) tally: Tally,
    /// Games lost by a fault, by reason.
    pub(crate) faults: BTreeMap<EndReason, u64>,
    /// Games voided because its process failed; not among the others.
    pub(crate) voided: u64,
    pub(crate) moves: u64,
    pub(crate) time: Duration,
    pub(crate) nodes: u64,
    /// Time and nodes of the moves that measure its speed; see [`PlayedGame::measured_search`].
    pub(crate) measured: (Duration, u64),
    /// Sum of the depths of the moves that had one, and their number.
    pub(crate) depths: (u64, u64),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Standings {
    pub(crate) names: Vec<String>,
    pub(crate) schedule: Schedule,
    /// Results by index in the schedule, which may be far longer.
    results: HashMap<usize, GameOutcome>,
    /// How often games were voided, by index in the schedule.
    pub(crate) voided: HashMap<usize, u32>,
    pairings: Vec<PairingScore>,
    /// In the order of the names.
    pub(crate) engines: Vec<EngineStatistics>,
    /// Number of games by the reason of their end.
    pub(crate) reasons: BTreeMap<EndReason, u64>,
    plies: u64,
    /// Hashes of the moves of each game: 100,000 games need a megabyte and collide with a
    /// probability of 3e-10.
    move_hashes: HashSet<u64>,
    /// Number of games with the moves of an earlier one.
    pub(crate) duplicates: usize,
    /// Engines with numbers of nodes or milliseconds that were left out, as no search reaches them.
    pub(crate) impossible_counts: BTreeSet<String>,
}

impl Standings {
    pub(crate) fn new(names: Vec<String>, schedule: Schedule) -> Self {
        let pairings = vec![PairingScore::default(); schedule.pairings.len()];
        let engines = vec![EngineStatistics::default(); names.len()];
        Self { names, schedule, pairings, engines, ..Self::default() }
    }

    /// Counts a game of the schedule. A void game counts only as void.
    /// Refuses a game that the schedule lacks, a repeated one, and one without a result.
    pub(crate) fn add(&mut self, game: &PlayedGame) -> Result<()> {
        let scheduled = self.scheduled_game(game)?;
        let number = scheduled.number;
        ensure!(!self.results.contains_key(&number), "game {} was played twice", game.game);
        if game.voided {
            *self.voided.entry(number).or_default() += 1;
            for engine in [scheduled.black, scheduled.white] {
                self.engines[engine].voided += u64::from(game.loser() == Some(&self.names[engine]));
            }
            return Ok(());
        }
        let points =
            points_of_first(number, game.outcome).with_context(|| format!("game {} has no result", game.game))?;
        self.results.insert(number, game.outcome);
        self.plies += game.moves.len() as u64;
        *self.reasons.entry(game.reason).or_default() += 1;
        self.impossible_counts.extend(game.impossible_counts.iter().cloned());
        self.duplicates += usize::from(!self.move_hashes.insert(hash_of_moves(game)));
        for (side, engine) in [(Color::Black, scheduled.black), (Color::White, scheduled.white)] {
            self.engines[engine].add(game, side);
        }
        let pairing = number / 2 % self.pairings.len();
        count(&mut self.pairings[pairing].tally, points);
        if let Some([first, second]) = self.pair(number / 2) {
            self.pairings[pairing].pairs[first + second] += 1;
        }
        Ok(())
    }

    fn scheduled_game(&self, game: &PlayedGame) -> Result<ScheduledGame> {
        let number = game.game.wrapping_sub(1);
        ensure!(number < self.schedule.games, "there is no game {}", game.game);
        let scheduled = self.schedule.game(number);
        let [black, white] = [&self.names[scheduled.black], &self.names[scheduled.white]];
        ensure!(
            [black, white] == [&game.black, &game.white],
            "game {} is {black} against {white}, not {} against {}",
            game.game,
            game.black,
            game.white
        );
        Ok(scheduled)
    }

    /// Twice the points of the first engine in each game of a pair, if both were played. Pairs
    /// count from 0.
    pub(crate) fn pair(&self, pair: usize) -> Option<[usize; 2]> {
        let points = |number: usize| {
            let result = *self.results.get(&number)?;
            Some((2.0 * points_of_first(number, result)?) as usize)
        };
        Some([points(2 * pair)?, points(2 * pair + 1)?])
    }

    pub(crate) fn queue(&self) -> WorkQueue {
        WorkQueue::new(self.schedule.games, self.results.keys().copied().collect())
    }

    pub(crate) fn played(&self) -> usize {
        self.results.len()
    }

    /// Each pairing (indices of engines) with its results.
    pub(crate) fn pairings(&self) -> impl Iterator<Item = ((usize, usize), &PairingScore)> {
        self.schedule.pairings.iter().copied().zip(&self.pairings)
    }

    pub(crate) fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.played().max(1) as f64
    }
}

/// Points of the engine that plays Black in the even games of a pairing; `None` without a result.
fn points_of_first(number: usize, outcome: GameOutcome) -> Option<f64> {
    let points = outcome.points_of_black()?;
    Some(if number.is_multiple_of(2) { points } else { 1.0 - points })
}

fn count(tally: &mut Tally, points: f64) {
    match points {
        1.0 => tally.wins += 1,
        0.0 => tally.losses += 1,
        _ => tally.draws += 1,
    }
}

fn hash_of_moves(game: &PlayedGame) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&game.root, &game.moves).hash(&mut hasher);
    hasher.finish()
}

impl EngineStatistics {
    /// Nodes per second of the time measured from outside; `None` if no time was long enough.
    pub(crate) fn speed(&self) -> Option<u64> {
        let (time, nodes) = self.measured;
        (!time.is_zero()).then(|| (nodes as f64 / time.as_secs_f64()) as u64)
    }

    /// Mean time of a move; `None` without moves.
    pub(crate) fn mean_time(&self) -> Option<Duration> {
        (self.moves > 0).then(|| self.time.div_f64(self.moves as f64))
    }

    fn add(&mut self, game: &PlayedGame, side: Color) {
        let (name, winner) = (if side == Color::Black { &game.black } else { &game.white }, game.outcome.winner());
        count(&mut self.tally, winner.map_or(0.5, |winner| if winner == side { 1.0 } else { 0.0 }));
        if game.reason.is_fault() && game.loser() == Some(name) {
            *self.faults.entry(game.reason).or_default() += 1;
        }
        for index in game.columns_of(side) {
            self.moves += 1;
            self.time += game.times[index];
            self.nodes += game.nodes[index].unwrap_or(0);
            if let Some(depth) = game.depths[index] {
                self.depths.0 += u64::from(depth);
                self.depths.1 += 1;
            }
        }
        let (time, nodes) = game.measured_search(side);
        self.measured = (self.measured.0 + time, self.measured.1 + nodes);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn everybody_meets_everybody_with_both_colours_from_every_opening() {
        let schedule = Schedule::new(PairingFormat::RoundRobin, 4, 5, 3).unwrap();
        assert_eq!(schedule.games, 60);
        let mut met: HashMap<(usize, usize, usize), usize> = HashMap::new();
        for game in (0..schedule.games).map(|number| schedule.game(number)) {
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
        assert_eq!(schedule.pairings, [(0, 1), (0, 2)]);
        for pair in 0..schedule.games / 2 {
            let [first, second] = [schedule.game(2 * pair), schedule.game(2 * pair + 1)];
            assert_eq!((first.black, first.white, first.opening), (second.white, second.black, second.opening));
        }
    }

    #[test]
    fn any_number_of_games_that_can_be_counted_is_a_schedule() {
        let schedule = Schedule::new(PairingFormat::RoundRobin, 2, usize::MAX / 2, 3).unwrap();
        assert_eq!((schedule.games, schedule.game(schedule.games - 1).black), (usize::MAX - 1, 1));
        let error = Schedule::new(PairingFormat::RoundRobin, 3, usize::MAX / 2, 3).unwrap_err();
        assert!(error.to_string().contains("of 3 pairings are more games than can be counted"), "{error}");
    }
}
