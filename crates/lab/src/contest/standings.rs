//! The results so far.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kiki_stats::sprt::Counts;
use kiki_stats::tally::Tally;

use super::game::{Game, Reason, Verdict};
use super::pending::Pending;
use super::schedule::{Fixture, Schedule};

/// The level of all intervals that a contest shows.
pub(crate) const LEVEL: f64 = 0.95;

/// Results of a pairing, from the view of its first engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pairing {
    pub(crate) tally: Tally,
    /// Pairs of games by the first engine's points: 0, 1/2, 1, 3/2, 2.
    pub(crate) pairs: [u64; 5],
}

impl Pairing {
    /// How many games have no result of their pair's other game yet. Estimates leave them out once there is a pair.
    pub(crate) fn unpaired(&self) -> u64 {
        self.tally.games() - 2 * self.pairs.iter().sum::<u64>()
    }

    /// What estimates rest on: pairs of games if there are any, else single games.
    pub(crate) fn counts(&self) -> Counts {
        if self.pairs == [0; 5] {
            return Counts::Trinomial([self.tally.losses, self.tally.draws, self.tally.wins]);
        }
        Counts::Pentanomial(self.pairs)
    }
}

/// What one engine did besides winning and losing.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Habits {
    pub(crate) tally: Tally,
    /// Its faults by their reasons.
    pub(crate) faults: BTreeMap<Reason, u64>,
    /// Games that were voided for its faults, which are not among the others.
    pub(crate) voided: u64,
    pub(crate) moves: u64,
    pub(crate) milliseconds: u64,
    pub(crate) nodes: u64,
    /// The sum of the depths of the moves that had one, and their number.
    pub(crate) depths: (u64, u64),
}

/// The results of a contest.
#[derive(Clone, Debug)]
pub(crate) struct Standings {
    names: Vec<String>,
    schedule: Schedule,
    /// By place in the schedule. A schedule may be far longer than what was played of it.
    results: HashMap<usize, Verdict>,
    /// How often a game was voided, by its place.
    voided: HashMap<usize, u32>,
    pairings: Vec<Pairing>,
    habits: Vec<Habits>,
    reasons: BTreeMap<Reason, u64>,
    plies: u64,
    /// Hashes of the moves of each game: 100,000 games take a megabyte, and the chance that two different ones meet is 3e-10.
    lines: HashSet<u64>,
    duplicates: usize,
}

impl Standings {
    pub(crate) fn new(names: Vec<String>, schedule: Schedule) -> Self {
        Self {
            results: HashMap::new(),
            voided: HashMap::new(),
            pairings: vec![Pairing::default(); schedule.pairings().len()],
            habits: vec![Habits::default(); names.len()],
            reasons: BTreeMap::new(),
            plies: 0,
            lines: HashSet::new(),
            duplicates: 0,
            names,
            schedule,
        }
    }

    /// Counts a game of the schedule. One that was voided only counts as that.
    ///
    /// # Errors
    /// It is not the game that stands at its place, or was counted before.
    pub(crate) fn add(&mut self, game: &Game) -> Result<(), String> {
        let (number, fixture) = self.fixture(game)?;
        if self.results.contains_key(&number) {
            return Err(format!("game {} was played twice", game.game));
        }
        if game.voided {
            *self.voided.entry(number).or_default() += 1;
            for engine in [fixture.black, fixture.white] {
                self.habits[engine].voided += u64::from(game.loser() == Some(&self.names[engine]));
            }
            return Ok(());
        }
        self.results.insert(number, game.result);
        self.plies += game.moves.len() as u64;
        *self.reasons.entry(game.reason).or_default() += 1;
        self.duplicates += usize::from(!self.lines.insert(hash_of_moves(game)));
        for (side, engine) in [fixture.black, fixture.white].into_iter().enumerate() {
            self.habits[engine].add(game, side);
        }
        self.count_result(number, game.result);
        Ok(())
    }

    /// The place of a game in the schedule, from 0, and what stands there.
    fn fixture(&self, game: &Game) -> Result<(usize, Fixture), String> {
        let number = game.game.wrapping_sub(1);
        let known = number < self.schedule.len();
        let fixture =
            known.then(|| self.schedule.game(number)).ok_or_else(|| format!("there is no game {}", game.game))?;
        let expected = [&self.names[fixture.black], &self.names[fixture.white]];
        if expected != [&game.black, &game.white] {
            return Err(format!(
                "game {} is {} against {}, not {} against {}",
                game.game, expected[0], expected[1], game.black, game.white
            ));
        }
        Ok((number, fixture))
    }

    fn count_result(&mut self, number: usize, result: Verdict) {
        let pairing = number / 2 % self.pairings.len();
        let of_first = first_view(number, result);
        count(&mut self.pairings[pairing].tally, of_first);
        if let Some([first, second]) = self.pair(number / 2) {
            self.pairings[pairing].pairs[first + second] += 1;
        }
    }

    /// Twice the points of the first engine in each game of a pair, if both have been played. Pairs are counted from 0.
    pub(crate) fn pair(&self, pair: usize) -> Option<[usize; 2]> {
        let points = |number: usize| {
            let result = *self.results.get(&number)?;
            Some((2.0 * first_view(number, result)) as usize)
        };
        Some([points(2 * pair)?, points(2 * pair + 1)?])
    }

    /// The games that have not been played.
    pub(crate) fn pending(&self) -> Pending {
        Pending::new(self.schedule.len(), self.results.keys().copied().collect())
    }

    /// How often each game was voided, by its place in the schedule.
    pub(crate) fn voided(&self) -> &HashMap<usize, u32> {
        &self.voided
    }

    pub(crate) fn played(&self) -> usize {
        self.results.len()
    }

    pub(crate) fn scheduled(&self) -> usize {
        self.schedule.len()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Each pairing, as indices of engines, with its results.
    pub(crate) fn pairings(&self) -> impl Iterator<Item = ((usize, usize), &Pairing)> {
        self.schedule.pairings().iter().copied().zip(&self.pairings)
    }

    pub(crate) fn habits(&self) -> &[Habits] {
        &self.habits
    }

    pub(crate) fn reasons(&self) -> &BTreeMap<Reason, u64> {
        &self.reasons
    }

    /// Games whose moves are those of an earlier one.
    pub(crate) fn duplicates(&self) -> usize {
        self.duplicates
    }

    pub(crate) fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.played().max(1) as f64
    }
}

/// The points of the engine that plays Black in the even games of a pairing.
fn first_view(number: usize, result: Verdict) -> f64 {
    let points = result.points_of_black();
    if number.is_multiple_of(2) { points } else { 1.0 - points }
}

/// Counts a result by its points.
fn count(tally: &mut Tally, points: f64) {
    match points {
        1.0 => tally.wins += 1,
        0.0 => tally.losses += 1,
        _ => tally.draws += 1,
    }
}

fn hash_of_moves(game: &Game) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&game.root, &game.moves).hash(&mut hasher);
    hasher.finish()
}

impl Habits {
    fn add(&mut self, game: &Game, side: usize) {
        let points = game.result.points_of_black();
        count(&mut self.tally, if side == 0 { points } else { 1.0 - points });
        let name = if side == 0 { &game.black } else { &game.white };
        if game.reason.is_fault() && game.loser() == Some(name) {
            *self.faults.entry(game.reason).or_default() += 1;
        }
        for index in game.columns_of(side) {
            self.moves += 1;
            self.milliseconds += game.times[index];
            self.nodes += game.nodes[index].unwrap_or(0);
            if let Some(depth) = game.depths[index] {
                self.depths.0 += u64::from(depth);
                self.depths.1 += 1;
            }
        }
    }
}
