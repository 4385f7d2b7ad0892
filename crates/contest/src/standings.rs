//! The results so far.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use kiki_play::game::PlayedGame;
use kiki_play::pool::WorkQueue;
use kiki_record::{EndReason, GameOutcome};
use kiki_stats::sprt::Counts;
use kiki_stats::tally::Tally;
use shogi_core::Color;

use super::schedule::{Schedule, ScheduledGame};

/// The level of all intervals that a contest shows.
pub const LEVEL: f64 = 0.95;

/// The results of a pairing, from the view of its first engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairingScore {
    /// Wins, draws and losses.
    pub tally: Tally,
    /// Pairs of games by the first engine's points: 0, 1/2, 1, 3/2, 2.
    pub pairs: [u64; 5],
}

impl PairingScore {
    /// How many games have no result of their pair's other game yet. Estimates leave them out once there is a pair.
    pub fn unpaired(&self) -> u64 {
        self.tally.games() - 2 * self.pairs.iter().sum::<u64>()
    }

    /// What estimates rest on: pairs of games if there are any, else single games.
    pub fn counts(&self) -> Counts {
        if self.pairs == [0; 5] {
            return Counts::Trinomial([self.tally.losses, self.tally.draws, self.tally.wins]);
        }
        Counts::Pentanomial(self.pairs)
    }
}

/// Results and search statistics of one engine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineStatistics {
    /// Wins, draws and losses.
    pub tally: Tally,
    /// Games that it lost by a fault, by reason.
    pub faults: BTreeMap<EndReason, u64>,
    /// Games that were voided because its process failed; not among the others.
    pub voided: u64,
    /// Number of moves.
    pub moves: u64,
    /// Time spent on these moves.
    pub time: Duration,
    /// Nodes searched for these moves.
    pub nodes: u64,
    /// The time and the nodes of the moves that tell its speed; see [`PlayedGame::measured_search`].
    pub measured: (Duration, u64),
    /// The sum of the depths of the moves that had one, and their number.
    pub depths: (u64, u64),
}

/// The results of a contest.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    schedule: Schedule,
    /// By index in the schedule, which may be far longer than what was played of it.
    results: HashMap<usize, GameOutcome>,
    /// How often a game was voided, by its index.
    voided: HashMap<usize, u32>,
    pairings: Vec<PairingScore>,
    engines: Vec<EngineStatistics>,
    reasons: BTreeMap<EndReason, u64>,
    plies: u64,
    /// Hashes of the moves of each game: 100,000 games take a megabyte, and the chance of a collision is 3e-10.
    move_hashes: HashSet<u64>,
    duplicates: usize,
}

impl Standings {
    /// The standings before the first game.
    pub fn new(names: Vec<String>, schedule: Schedule) -> Self {
        Self {
            results: HashMap::new(),
            voided: HashMap::new(),
            pairings: vec![PairingScore::default(); schedule.pairings().len()],
            engines: vec![EngineStatistics::default(); names.len()],
            reasons: BTreeMap::new(),
            plies: 0,
            move_hashes: HashSet::new(),
            duplicates: 0,
            names,
            schedule,
        }
    }

    /// Counts a game of the schedule. Of a voided one only that is counted.
    ///
    /// # Errors
    /// It is not the game with its number, it was counted before, or it has no result.
    pub fn add(&mut self, game: &PlayedGame) -> Result<(), String> {
        let (number, scheduled_game) = self.scheduled_game(game)?;
        if self.results.contains_key(&number) {
            return Err(format!("game {} was played twice", game.game));
        }
        if game.voided {
            *self.voided.entry(number).or_default() += 1;
            for engine in [scheduled_game.black, scheduled_game.white] {
                self.engines[engine].voided += u64::from(game.loser() == Some(&self.names[engine]));
            }
            return Ok(());
        }
        let points =
            points_of_first(number, game.outcome).ok_or_else(|| format!("game {} has no result", game.game))?;
        self.results.insert(number, game.outcome);
        self.plies += game.moves.len() as u64;
        *self.reasons.entry(game.reason).or_default() += 1;
        self.duplicates += usize::from(!self.move_hashes.insert(hash_of_moves(game)));
        for (side, engine) in [(Color::Black, scheduled_game.black), (Color::White, scheduled_game.white)] {
            self.engines[engine].add(game, side);
        }
        self.count_result(number, points);
        Ok(())
    }

    /// The index of a game in the schedule, and the game that is scheduled there.
    fn scheduled_game(&self, game: &PlayedGame) -> Result<(usize, ScheduledGame), String> {
        let number = game.game.wrapping_sub(1);
        let known = number < self.schedule.len();
        let scheduled_game =
            known.then(|| self.schedule.game(number)).ok_or_else(|| format!("there is no game {}", game.game))?;
        let expected = [&self.names[scheduled_game.black], &self.names[scheduled_game.white]];
        if expected != [&game.black, &game.white] {
            return Err(format!(
                "game {} is {} against {}, not {} against {}",
                game.game, expected[0], expected[1], game.black, game.white
            ));
        }
        Ok((number, scheduled_game))
    }

    fn count_result(&mut self, number: usize, points: f64) {
        let pairing = number / 2 % self.pairings.len();
        count(&mut self.pairings[pairing].tally, points);
        if let Some([first, second]) = self.pair(number / 2) {
            self.pairings[pairing].pairs[first + second] += 1;
        }
    }

    /// Twice the points of the first engine in each game of a pair, if both have been played. Pairs are counted from 0.
    pub fn pair(&self, pair: usize) -> Option<[usize; 2]> {
        let points = |number: usize| {
            let result = *self.results.get(&number)?;
            Some((2.0 * points_of_first(number, result)?) as usize)
        };
        Some([points(2 * pair)?, points(2 * pair + 1)?])
    }

    /// The games that have not been played.
    pub fn queue(&self) -> WorkQueue {
        WorkQueue::new(self.schedule.len(), self.results.keys().copied().collect())
    }

    /// How often each game was voided, by its index in the schedule.
    pub fn voided(&self) -> &HashMap<usize, u32> {
        &self.voided
    }

    /// Number of games played.
    pub fn played(&self) -> usize {
        self.results.len()
    }

    /// Number of games in the schedule.
    pub fn scheduled(&self) -> usize {
        self.schedule.len()
    }

    /// The names of the engines.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Each pairing, as indices of engines, with its results.
    pub fn pairings(&self) -> impl Iterator<Item = ((usize, usize), &PairingScore)> {
        self.schedule.pairings().iter().copied().zip(&self.pairings)
    }

    /// The statistics of the engines, in the order of their names.
    pub fn engines(&self) -> &[EngineStatistics] {
        &self.engines
    }

    /// Number of games by the reason for which they ended.
    pub fn reasons(&self) -> &BTreeMap<EndReason, u64> {
        &self.reasons
    }

    /// Games whose moves are those of an earlier one.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Mean length of a game, in plies.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.played().max(1) as f64
    }
}

/// The points of the engine that plays Black in the even games of a pairing; none without a result.
fn points_of_first(number: usize, outcome: GameOutcome) -> Option<f64> {
    let points = outcome.points_of_black()?;
    Some(if number.is_multiple_of(2) { points } else { 1.0 - points })
}

/// Counts a result by its points.
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
    /// Nodes a second of the time that was measured from outside; none where no time was long enough to tell.
    pub fn speed(&self) -> Option<u64> {
        let (time, nodes) = self.measured;
        (!time.is_zero()).then(|| (nodes as f64 / time.as_secs_f64()) as u64)
    }

    /// The mean time of a move; none without moves.
    pub fn mean_time(&self) -> Option<Duration> {
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
