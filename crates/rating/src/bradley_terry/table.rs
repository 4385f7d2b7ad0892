//! The table of results: points of every pair of players.

use std::collections::BTreeMap;

use kiki_stats::Result;
use kiki_stats::error::check;

/// All results of a set of players, who are numbers from 0 on.
///
/// Points may be halves. Results of one pair add up. Results may record who moved first. An
/// estimate of the first move's advantage needs this; everything else ignores it.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultTable {
    players: usize,
    /// Points of the first and of the second of a pair. If it is not known who moved first, the
    /// lower number comes first.
    results: BTreeMap<PairOrder, [f64; 2]>,
    /// Drawn games, where that is known; they are in the points as halves.
    draws: BTreeMap<PairOrder, f64>,
}

/// Two players, in the order of the moves if that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PairOrder {
    /// The player who moved first, or the lower number.
    pub(super) a: usize,
    pub(super) b: usize,
    /// Whether a moved first; otherwise it is not known who did.
    pub(super) a_first: bool,
}

/// The points of two players against each other, in both orders of moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairResult {
    /// The two players, the lower number first.
    pub players: [usize; 2],
    pub points: [f64; 2],
}

impl ResultTable {
    pub fn new(players: usize) -> Self {
        Self { players, results: BTreeMap::new(), draws: BTreeMap::new() }
    }

    pub fn players(&self) -> usize {
        self.players
    }

    /// Adds points of `a` and `b` against each other, each game being worth one point in all.
    /// Refuses unknown players, a player against itself, and points that are negative or not
    /// finite.
    pub fn add(&mut self, a: usize, b: usize, points_a: f64, points_b: f64) -> Result<()> {
        self.add_games([a, b], false, [points_a, points_b], 0.0)
    }

    /// Adds the points of decided games of two players, and drawn games, which count half a point
    /// each and are known as draws. If `first_moves` is true, the first player moved first in all
    /// of them; otherwise it is not known who did. Refuses what [`ResultTable::add`] refuses.
    pub fn add_games(&mut self, players: [usize; 2], first_moves: bool, points: [f64; 2], draws: f64) -> Result<()> {
        let is_turned = !first_moves && players[0] > players[1];
        let ([a, b], points) =
            if is_turned { ([players[1], players[0]], [points[1], points[0]]) } else { (players, points) };
        let pairing = PairOrder { a, b, a_first: first_moves };
        self.check(a)?;
        self.check(b)?;
        check("an opponent", b as f64, |_| a != b, "another player")?;
        for value in [points[0], points[1], draws] {
            check("the points of a result", value, |points| points >= 0.0, "0 or more")?;
        }
        // A row of 0 to 0 is no game.
        if points[0] + points[1] + draws > 0.0 {
            let sum = self.results.entry(pairing).or_default();
            *sum = [sum[0] + points[0] + 0.5 * draws, sum[1] + points[1] + 0.5 * draws];
        }
        if draws > 0.0 {
            *self.draws.entry(pairing).or_default() += draws;
        }
        Ok(())
    }

    /// Refuses a player that the table does not have.
    pub(super) fn check(&self, player: usize) -> Result<f64> {
        check("a player", player as f64, |_| player < self.players, "one of the table")
    }

    /// Every pairing with games, and the points of its two players.
    pub(super) fn results(&self) -> impl Iterator<Item = (PairOrder, [f64; 2])> {
        self.results.iter().map(|(&pairing, &points)| (pairing, points))
    }

    /// Every pairing with drawn games that are known as such, and their number.
    pub(super) fn draws(&self) -> impl Iterator<Item = (PairOrder, f64)> {
        self.draws.iter().map(|(&pairing, &games)| (pairing, games))
    }

    /// The drawn games of a pairing that are known as such.
    pub(super) fn draws_of(&self, pairing: PairOrder) -> f64 {
        self.draws.get(&pairing).copied().unwrap_or(0.0)
    }

    /// Every pair with games, in the order of the players' numbers.
    pub fn pairs(&self) -> Vec<PairResult> {
        let mut pairs: BTreeMap<[usize; 2], [f64; 2]> = BTreeMap::new();
        for (PairOrder { a, b, .. }, [points_a, points_b]) in self.results() {
            let (players, points) = if a < b { ([a, b], [points_a, points_b]) } else { ([b, a], [points_b, points_a]) };
            let sum = pairs.entry(players).or_default();
            *sum = [sum[0] + points[0], sum[1] + points[1]];
        }
        pairs.into_iter().map(|(players, points)| PairResult { players, points }).collect()
    }
}
