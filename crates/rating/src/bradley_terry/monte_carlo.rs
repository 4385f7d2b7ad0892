//! The errors of ratings, by simulation of all games (Monte-Carlo).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::distr::Distribution;
use rand_distr::Binomial;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Serialize;

use kiki_stats::error::check;
use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

use super::fit::{Fit, maximise};
use super::likelihood::{ComponentGames, ObservedPoints, OutcomeModel};

/// The largest last step of a replicate's fit, in Elo: far below its spread.
const TOLERANCE: f64 = 1e-4;
/// Number of replicates that are kept in memory before they are added up in order.
const CHUNK: u64 = 256;

/// How many replicates, and which to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonteCarloPlan {
    /// Number of times that all games are simulated; 100 to 1000 is usual.
    pub replicates: u64,
    /// Where the random streams start.
    pub seed: u64,
    /// A player whose rating is kept from every replicate, for a histogram.
    pub keep: Option<usize>,
}

/// The spread of one player's rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SimulatedSpread {
    /// The mean of the replicates, in Elo.
    pub mean: f64,
    /// The standard deviation about that mean.
    pub deviation: f64,
    /// The mean minus the estimate: the average error of the method of estimation.
    pub bias: f64,
}

/// Uncertainties by simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct MonteCarlo {
    /// Replicates that were played.
    pub replicates: u64,
    /// Replicates that had finite ratings.
    pub used: u64,
    /// Replicates that were dropped: the players were no longer one strong component, or no maximum
    /// was found. Above 1 % the spreads are too small. With few games between many players all are
    /// dropped.
    pub dropped: u64,
    /// For each player of the table, the spread of ratings relative to the anchor; 0 for the anchor
    /// itself. None for players without a rating, and for everyone with fewer than two used
    /// replicates.
    pub anchored: Vec<Option<SimulatedSpread>>,
    /// For each player of the table, the spread of ratings about their mean; none as above.
    pub centred: Vec<Option<SimulatedSpread>>,
    /// The spread of the first move's advantage, if it is estimated and two replicates are used.
    pub first_move: Option<SimulatedSpread>,
    /// The kept player's rating in every used replicate, on the scale of the fit.
    pub kept: Vec<f64>,
}

impl MonteCarlo {
    /// The relative standard error of the standard deviations, `1 / sqrt(2 (r - 1))` for r used
    /// replicates; none for fewer than two.
    pub fn relative_error(&self) -> Option<f64> {
        (self.used >= 2).then(|| 1.0 / (2.0 * (self.used as f64 - 1.0)).sqrt())
    }
}

/// Assumes that the estimates are true, simulates the games of every pair and rates the players
/// again, many times. The spread of the replicates is the uncertainty of the estimate, with no
/// assumption of many games. Results depend on the seed, not on the number of threads.
///
/// Fractions of games are rounded to whole games. Redrawn games have no draws unless their share
/// was estimated (see [`super::DrawModel::Davidson`]); so the spread is too large where many games
/// are drawn.
///
/// `progress` gets the number of finished replicates, from any thread; if it breaks, the simulation
/// ends with [`StatsError::Cancelled`]. Takes 2 to 1,000,000 replicates. It is no error if all are
/// dropped; `used` is then 0.
pub fn monte_carlo(
    fit: &Fit,
    plan: &MonteCarloPlan,
    progress: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
) -> Result<MonteCarlo> {
    let possible = |number: f64| (2.0..=1e6).contains(&number);
    check("the number of replicates", plan.replicates as f64, possible, "from 2 to 1,000,000")?;
    let keep = plan.keep.map(|player| Ok((fit.position(player)?, fit.offset(player)))).transpose()?;
    let replay = Replay::new(fit)?;
    let mut sums = Sums::new(fit, keep);
    let (done, cancelled) = (AtomicU64::new(0), AtomicBool::new(false));
    let one = |replicate| {
        if cancelled.load(Ordering::Relaxed) {
            return None;
        }
        let strengths = replay.replicate(plan.seed, replicate);
        if progress(done.fetch_add(1, Ordering::Relaxed) + 1).is_break() {
            cancelled.store(true, Ordering::Relaxed);
        }
        strengths
    };
    let mut start = 0;
    while start < plan.replicates {
        let end = (start + CHUNK).min(plan.replicates);
        let chunk: Vec<Option<Replicate>> = (start..end).into_par_iter().map(one).collect();
        if cancelled.load(Ordering::Relaxed) {
            return Err(StatsError::Cancelled);
        }
        chunk.into_iter().flatten().for_each(|replicate| sums.add(&replicate));
        start = end;
    }
    Ok(sums.finish(plan.replicates))
}

/// The ratings of one replicate: strengths of mean 0, and the advantage.
struct Replicate {
    strengths: Vec<f64>,
    advantage: f64,
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
            let outcome = OutcomeModel::new(fit.games.log_odds(encounter, &fit.point), fit.point.ln_nu.exp());
            let draws = binomial(encounter.games, outcome.draw)?;
            let won_of_decided = outcome.win / (outcome.win + outcome.loss);
            let wins = binomial(encounter.games, won_of_decided)?;
            outcomes.push(Redraw { draws, won_of_decided, wins });
        }
        Ok(Self { fit, games, outcomes })
    }

    /// All games played again.
    fn play(&self, random: &mut Pcg64) -> Option<ObservedPoints> {
        let mut observed = ObservedPoints { points: Vec::with_capacity(self.outcomes.len()), draws: 0.0 };
        for (encounter, outcome) in self.games.encounters.iter().zip(&self.outcomes) {
            let draws = if self.games.with_draws { outcome.draws.sample(random) as f64 } else { 0.0 };
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

    /// The ratings of a replicate; none if there are no finite ones.
    fn replicate(&self, seed: u64, replicate: u64) -> Option<Replicate> {
        let mut random = stream(seed, replicate);
        let observed = self.play(&mut random)?;
        if self.games.encounters.is_empty() {
            return Some(Replicate { strengths: vec![0.0], advantage: 0.0 });
        }
        if !self.fit.adjacency.is_strong(&self.games, &observed.points) {
            return None;
        }
        let start = self.fit.point.clone();
        let maximum = maximise(&self.games, &self.fit.adjacency, &observed, start, &self.fit.method, TOLERANCE).ok()?;
        let mut strengths = maximum.point.strengths;
        let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
        strengths.iter_mut().for_each(|strength| *strength -= mean);
        Some(Replicate { strengths, advantage: maximum.point.advantage })
    }
}

fn binomial(games: f64, probability: f64) -> Result<Binomial> {
    let too_many = |_| StatsError::OutOfDomain { what: "the games of a pair", value: games, domain: "fewer" };
    Binomial::new(games as u64, probability).map_err(too_many)
}

/// Mean and sum of squared deviations, updated one by one (Welford 1962), in Elo and relative to
/// the estimate.
#[derive(Clone, Copy, Default)]
struct Moments {
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64, count: f64) {
        let difference = value - self.mean;
        self.mean += difference / count;
        self.squares += difference * (value - self.mean);
    }

    fn spread(self, estimate: f64, count: f64) -> SimulatedSpread {
        SimulatedSpread {
            mean: estimate + self.mean,
            deviation: (self.squares / (count - 1.0)).sqrt(),
            bias: self.mean,
        }
    }
}

/// The running sums over replicates.
struct Sums<'a> {
    fit: &'a Fit,
    /// The position of the kept player, and its rating less the anchor's if it is fixed.
    keep: Option<(usize, f64)>,
    used: u64,
    anchored: Vec<Moments>,
    centred: Vec<Moments>,
    advantage: Moments,
    kept: Vec<f64>,
}

impl<'a> Sums<'a> {
    fn new(fit: &'a Fit, keep: Option<(usize, f64)>) -> Self {
        let moments = vec![Moments::default(); fit.games.players.len()];
        let advantage = Moments::default();
        Self { fit, keep, used: 0, anchored: moments.clone(), centred: moments, advantage, kept: Vec::new() }
    }

    fn add(&mut self, replicate: &Replicate) {
        self.used += 1;
        let count = self.used as f64;
        let anchor = self.fit.anchor_position();
        let estimates = &self.fit.point.strengths;
        let anchor_error = replicate.strengths[anchor] - estimates[anchor];
        for (position, (&strength, &estimate)) in replicate.strengths.iter().zip(estimates).enumerate() {
            let error = strength - estimate;
            self.centred[position].add(error * ELO_SCALE, count);
            self.anchored[position].add((error - anchor_error) * ELO_SCALE, count);
        }
        self.advantage.add((replicate.advantage - self.fit.point.advantage) * ELO_SCALE, count);
        if let Some((position, offset)) = self.keep {
            let strengths = &replicate.strengths;
            self.kept.push(strengths[position] * ELO_SCALE + offset + self.fit.shift_of(strengths));
        }
    }

    fn finish(self, replicates: u64) -> MonteCarlo {
        let fit = self.fit;
        let count = self.used as f64;
        let dropped = replicates - self.used;
        let mut anchored = vec![None; fit.ratings().len()];
        let mut centred = anchored.clone();
        if self.used < 2 {
            let (used, kept) = (self.used, self.kept);
            return MonteCarlo { replicates, used, dropped, anchored, centred, first_move: None, kept };
        }
        let anchor = fit.anchor_position();
        let [to_anchor, to_mean] = fit.shifts();
        for &player in fit.players() {
            let Ok(position) = fit.position(player) else { continue };
            let strength = fit.point.strengths[position] * ELO_SCALE + fit.offset(player);
            anchored[player] = Some(self.anchored[position].spread(strength + to_anchor, count));
            centred[player] = Some(self.centred[position].spread(strength + to_mean, count));
            debug_assert!(position != anchor || self.anchored[position].squares == 0.0);
        }
        let first_move = fit.first_move_advantage().map(|advantage| self.advantage.spread(advantage, count));
        MonteCarlo { replicates, used: self.used, dropped, anchored, centred, first_move, kept: self.kept }
    }
}
