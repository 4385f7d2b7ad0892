//! The errors of ratings, by simulation of all games (Monte-Carlo).

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::DVector;
use rand::distr::Distribution;
use rand_distr::Binomial;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Serialize;

use kiki_stats::error::check;
use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

use super::classes::is_strong;
use super::fit::{Fit, maximise};
use super::likelihood::{ComponentGames, ObservedPoints, OutcomeModel};

/// The largest last step of a replicate's fit, in Elo: far below its spread.
const TOLERANCE: f64 = 1e-4;
/// Number of replicates that are kept in memory before they are added up in order.
const CHUNK: u64 = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonteCarloPlan {
    /// Number of times that all games are simulated; 100 to 1000 is usual.
    pub replicates: u64,
    pub seed: u64,
    /// A player whose rating is kept from every replicate, for a histogram.
    pub keep: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SimulatedSpread {
    pub mean: f64,
    /// The standard deviation about that mean.
    pub deviation: f64,
    /// The mean minus the estimate: the average error of the method of estimation.
    pub bias: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MonteCarlo {
    pub replicates: u64,
    /// Replicates that had finite ratings.
    pub used: u64,
    /// Replicates that were dropped: the players were no longer one strong component, or no maximum
    /// was found. Above 1 % the spreads are too small. With few games between many players all are
    /// dropped.
    pub dropped: u64,
    /// The relative standard error of the standard deviations, `1 / sqrt(2 (r - 1))` for r used
    /// replicates; none for fewer than two.
    pub relative_error: Option<f64>,
    /// The spread of the first move's advantage, if it is estimated and two replicates are used.
    pub first_move: Option<SimulatedSpread>,
    /// For each player of the table, the spread of ratings relative to the anchor; 0 for the anchor
    /// itself. None for players without a rating, and for everyone with fewer than two used
    /// replicates.
    #[serde(skip)]
    pub anchored: Vec<Option<SimulatedSpread>>,
    /// For each player of the table, the spread of ratings about their mean; none as above.
    #[serde(skip)]
    pub centred: Vec<Option<SimulatedSpread>>,
    /// The kept player's rating in every used replicate, on the scale of the fit.
    #[serde(skip)]
    pub kept: Vec<f64>,
}

/// Assumes that the estimates are true, simulates the games of every pair and rates the players
/// again, many times. The spread of the replicates is the uncertainty of the estimate, with no
/// assumption of many games. Results depend on the seed, not on the number of threads.
///
/// Fractions of games are rounded to whole games. Redrawn games have no draws unless their share
/// was estimated (see [`super::FitOptions::draws`]); so the spread is too large where many games
/// are drawn.
///
/// `progress` gets the number of finished replicates, from any thread. Takes 2 to 1,000,000
/// replicates. It is no error if all are dropped; `used` is then 0.
pub fn monte_carlo(fit: &Fit, plan: &MonteCarloPlan, progress: &(dyn Fn(u64) + Sync)) -> Result<MonteCarlo> {
    let possible = |number: f64| (2.0..=1e6).contains(&number);
    check("the number of replicates", plan.replicates as f64, possible, "from 2 to 1,000,000")?;
    let keep = plan.keep.map(|player| Ok((fit.position(player)?, fit.offset(player)))).transpose()?;
    let replay = Replay::new(fit)?;
    let done = AtomicU64::new(0);
    let one = |replicate| {
        let point = replay.replicate(plan.seed, replicate);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        point
    };
    let (mut anchored, mut centred) = (Moments::new(&fit.point), Moments::new(&fit.point));
    let (mut used, mut kept) = (0, Vec::new());
    for start in (0..plan.replicates).step_by(CHUNK as usize) {
        let end = (start + CHUNK).min(plan.replicates);
        let chunk: Vec<Option<DVector<f64>>> = (start..end).into_par_iter().map(one).collect();
        for point in chunk.into_iter().flatten() {
            used += 1;
            let mut error = (&point - &fit.point) * ELO_SCALE;
            centred.add(&error, used as f64);
            error.add_scalar_mut(-error[fit.anchor_position()]);
            anchored.add(&error, used as f64);
            kept.extend(keep.map(|(position, offset)| point[position] * ELO_SCALE + offset + fit.shift_of(&point)));
        }
    }
    let count = used as f64;
    let spreads = |moments: &Moments, shift: f64| -> Vec<Option<SimulatedSpread>> {
        let spread = |player: usize| {
            let position = fit.position(player).ok().filter(|_| used >= 2)?;
            let estimate = fit.point[position] * ELO_SCALE + fit.offset(player) + shift;
            Some(moments.spread(position, estimate, count))
        };
        (0..fit.games.positions.len()).map(spread).collect()
    };
    let [to_anchor, to_mean] = fit.shifts();
    let first_move = fit.games.advantage.filter(|_| used >= 2);
    Ok(MonteCarlo {
        replicates: plan.replicates,
        used,
        dropped: plan.replicates - used,
        relative_error: (used >= 2).then(|| 1.0 / (2.0 * (count - 1.0)).sqrt()),
        first_move: first_move.map(|index| centred.spread(index, fit.point[index] * ELO_SCALE, count)),
        anchored: spreads(&anchored, to_anchor),
        centred: spreads(&centred, to_mean),
        kept,
    })
}

/// The state that redraws and refits.
struct Replay<'a> {
    fit: &'a Fit,
    /// The component with whole numbers of games.
    games: ComponentGames,
    outcomes: Vec<Redraw>,
}

/// The distribution of an encounter's games: the number of draws, and a's share of the decided
/// games.
struct Redraw {
    draws: Binomial,
    won_of_decided: f64,
    /// The wins of a if no game is drawn.
    wins: Binomial,
}

impl<'a> Replay<'a> {
    fn new(fit: &'a Fit) -> Result<Self> {
        let mut games = fit.games.clone();
        let mut outcomes = Vec::with_capacity(games.encounters.len());
        for encounter in &mut games.encounters {
            encounter.games = encounter.games.round();
            let outcome = OutcomeModel::new(fit.games.log_odds(encounter, &fit.point), fit.games.nu_at(&fit.point));
            let draws = binomial(encounter.games, outcome.draw)?;
            let won_of_decided = outcome.win / (outcome.win + outcome.loss);
            let wins = binomial(encounter.games, won_of_decided)?;
            outcomes.push(Redraw { draws, won_of_decided, wins });
        }
        Ok(Self { fit, games, outcomes })
    }

    fn play(&self, random: &mut Pcg64) -> Option<ObservedPoints> {
        let mut observed = ObservedPoints { points: Vec::with_capacity(self.outcomes.len()), draws: 0.0 };
        for (encounter, outcome) in self.games.encounters.iter().zip(&self.outcomes) {
            let draws = if self.games.draws.is_some() { outcome.draws.sample(random) as f64 } else { 0.0 };
            let wins = if draws == 0.0 {
                outcome.wins.sample(random) as f64
            } else {
                binomial(encounter.games - draws, outcome.won_of_decided).ok()?.sample(random) as f64
            };
            observed.points.push(wins + 0.5 * draws);
            observed.draws += draws;
        }
        Some(observed)
    }

    /// The parameters of a replicate; none if the ratings are not finite.
    fn replicate(&self, seed: u64, replicate: u64) -> Option<DVector<f64>> {
        let observed = self.play(&mut stream(seed, replicate))?;
        let results = self.games.encounters.iter().zip(&observed.points);
        let results = results.map(|(encounter, &won)| (encounter.a, encounter.b, [won, encounter.games - won]));
        if !is_strong(self.games.players.len(), results) {
            return None;
        }
        let maximum = maximise(&self.games, &self.fit.method, &observed, self.fit.point.clone(), TOLERANCE);
        let mut point = maximum.ok()?.point;
        let mut strengths = point.rows_mut(0, self.games.players.len());
        strengths.add_scalar_mut(-strengths.mean());
        Some(point)
    }
}

fn binomial(games: f64, probability: f64) -> Result<Binomial> {
    let too_many = |_| StatsError::OutOfDomain { what: "the games of a pair", value: games, domain: "fewer" };
    Binomial::new(games as u64, probability).map_err(too_many)
}

/// Means and sums of squared deviations of all parameters, updated one by one (Welford 1962), in
/// Elo and relative to the estimates.
struct Moments {
    means: DVector<f64>,
    squares: DVector<f64>,
}

impl Moments {
    fn new(point: &DVector<f64>) -> Self {
        Self { means: DVector::zeros(point.len()), squares: DVector::zeros(point.len()) }
    }

    /// Adds the errors of a replicate, the one with this number from 1.
    fn add(&mut self, errors: &DVector<f64>, count: f64) {
        let difference = errors - &self.means;
        self.means += &difference / count;
        self.squares += difference.component_mul(&(errors - &self.means));
    }

    fn spread(&self, parameter: usize, estimate: f64, count: f64) -> SimulatedSpread {
        let (bias, squares) = (self.means[parameter], self.squares[parameter]);
        SimulatedSpread { mean: estimate + bias, deviation: (squares / (count - 1.0)).sqrt(), bias }
    }
}
