//! Simulation of whole tests: their error rates where there are draws and pairs.

use rand::RngExt;
use rayon::prelude::*;

use crate::error::{check, probability};
use crate::logistic::{ELO_SCALE, expected_score};
use crate::random::stream;
use crate::{Result, StatsError};

use super::counts::{CountKind, Counts};
use super::hypotheses::{Decision, EloModel};
use super::llr::effect;
use super::sequential_test::Sprt;

/// A player whose strength against its opponent is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TruePlayer {
    /// The probabilities of loss, draw and win.
    outcomes: [f64; 3],
}

impl TruePlayer {
    /// A player that is `elo` better, in the Elo of `model`, and draws a share of its games.
    ///
    /// # Errors
    /// If the share is no probability, or so large that the score cannot be reached with the rest.
    pub fn new(model: EloModel, elo: f64, draw_ratio: f64) -> Result<Self> {
        probability("the share of draws", draw_ratio)?;
        check("a rating difference", elo, |_| true, "a number")?;
        let score = match model {
            EloModel::Logistic => expected_score(elo)?,
            EloModel::Normalized => {
                let t = effect(elo, 1);
                0.5 + t * ((1.0 - draw_ratio) / 4.0 / (1.0 + t * t)).sqrt()
            }
        };
        let (win, loss) = (score - 0.5 * draw_ratio, 1.0 - score - 0.5 * draw_ratio);
        // Rounding may leave a zero a little below it.
        if win < -1e-12 || loss < -1e-12 {
            let domain = "at most twice the smaller of the two players' expected scores";
            return Err(StatsError::OutOfDomain { what: "the share of draws", value: draw_ratio, domain });
        }
        Ok(Self { outcomes: [loss.max(0.0), draw_ratio, win.max(0.0)] })
    }

    /// The probabilities of loss, draw and win.
    #[must_use]
    pub fn outcomes(&self) -> [f64; 3] {
        self.outcomes
    }

    /// The logistic Elo of the expected score.
    #[must_use]
    pub fn logistic_elo(&self) -> f64 {
        let [loss, draw, win] = self.outcomes;
        ELO_SCALE * ((win + 0.5 * draw) / (loss + 0.5 * draw)).ln()
    }

    /// Plays a game: 0 for a loss, 1 for a draw, 2 for a win.
    fn play(&self, random: &mut impl rand::Rng) -> usize {
        let ticket: f64 = random.random();
        let [loss, draw, _] = self.outcomes;
        usize::from(ticket >= loss) + usize::from(ticket >= loss + draw)
    }

    /// One observation, as an index of [`Counts`]; the games of a pair are independent.
    fn observe(&self, kind: CountKind, random: &mut impl rand::Rng) -> usize {
        match kind {
            CountKind::Bernoulli => loop {
                match self.play(random) {
                    1 => {}
                    outcome => break outcome / 2,
                }
            },
            CountKind::Trinomial => self.play(random),
            CountKind::Pentanomial => self.play(random) + self.play(random),
        }
    }
}

/// The results of simulated tests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SprtSimulation {
    /// Tests that were simulated.
    pub replicates: u64,
    /// Tests that accepted H0.
    pub accepted_h0: u64,
    /// Tests that accepted H1.
    pub accepted_h1: u64,
    /// Tests that were broken off undecided.
    pub undecided: u64,
    /// The mean number of games, those broken off included.
    pub mean_games: f64,
    /// The standard deviation of the number of games between tests; 0 for a single test.
    pub sd_games: f64,
}

/// The most tests that are simulated.
const MOST_TESTS: u64 = 100_000;

/// Simulates `replicates` whole tests of a player, with a decision after every observation, each broken off after `most_games` games.
/// With [`CountKind::Bernoulli`] drawn games are neither counted nor numbered.
///
/// # Errors
/// If the ratio cannot be computed, there are no replicates or more than 100,000, or draws are all that the player can do where draws do not count.
pub fn simulate(
    sprt: &Sprt,
    player: &TruePlayer,
    kind: CountKind,
    most_games: u64,
    replicates: u64,
    seed: u64,
) -> Result<SprtSimulation> {
    check(
        "the number of replicates",
        replicates as f64,
        |_| (1..=MOST_TESTS).contains(&replicates),
        "from 1 to 100,000",
    )?;
    if kind == CountKind::Bernoulli && player.outcomes[1] == 1.0 {
        return Err(StatsError::NotEstimable { what: "a test without draws", reason: "every game is drawn" });
    }
    let tests: Vec<(Decision, u64)> = (0..replicates)
        .into_par_iter()
        .map(|replicate| one_test(sprt, player, kind, most_games, &mut stream(seed, replicate)))
        .collect::<Result<_>>()?;
    let count = |decision| tests.iter().filter(|test| test.0 == decision).count() as u64;
    let number = replicates as f64;
    let mean = tests.iter().map(|test| test.1 as f64).sum::<f64>() / number;
    let squares: f64 = tests.iter().map(|test| (test.1 as f64 - mean).powi(2)).sum();
    Ok(SprtSimulation {
        replicates,
        accepted_h0: count(Decision::AcceptH0),
        accepted_h1: count(Decision::AcceptH1),
        undecided: count(Decision::Continue),
        mean_games: mean,
        sd_games: (squares / (number - 1.0).max(1.0)).sqrt(),
    })
}

/// One test from its first game to its decision: the decision and the number of games.
fn one_test(
    sprt: &Sprt,
    player: &TruePlayer,
    kind: CountKind,
    most_games: u64,
    random: &mut impl rand::Rng,
) -> Result<(Decision, u64)> {
    let mut counts = Counts::empty(kind);
    while counts.games() + counts.games_each() <= most_games {
        counts.record(player.observe(kind, random));
        match sprt.decide(&counts)? {
            Decision::Continue => {}
            decision => return Ok((decision, counts.games())),
        }
    }
    Ok((Decision::Continue, counts.games()))
}
