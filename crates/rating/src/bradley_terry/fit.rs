//! Ratings by maximum likelihood: Newton's method for the likelihood, which is concave.

use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Result, StatsError};
use nalgebra::DVector;
use serde::Serialize;

use super::classes::{Anchors, Classification, classify, default_anchor, possible_rating};
use super::likelihood::{ComponentGames, Evaluation, ObservedPoints, OutcomeModel};
use super::options::{FitOptions, Scale};
use super::solver::{InformationSolver, SolverMethod};
use super::table::ResultTable;

/// The largest last step of a fit, in Elo.
const TOLERANCE: f64 = 1e-9;

/// Fitted ratings. All methods with a player fail for one who is not rated.
#[derive(Clone, Debug)]
pub struct Fit {
    classification: Classification,
    scale: Scale,
    /// For each player of the table: its strength less the anchor's if it is fixed, in log-odds.
    offsets: Vec<f64>,
    pub(super) games: ComponentGames,
    pub(super) method: SolverMethod,
    pub(super) point: DVector<f64>,
    /// The offset from a strength in Elo to a rating.
    shift: f64,
    ln_likelihood: f64,
    largest_gradient: f64,
}

/// A rated player's games against rated players.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PlayerScore {
    #[serde(rename = "rated_points")]
    pub points: f64,
    #[serde(rename = "rated_games")]
    pub games: f64,
    /// The mean rating of the opponents, each game counted; the player's own rating if it has no
    /// games.
    pub mean_opponent: f64,
}

/// Rates the players of the anchor's strong component, using the games among them: maximum
/// likelihood by Newton's method until the last step is below 1e-9 Elo. Cholesky's method solves
/// the equations of up to 200 players and of long narrow tables, conjugate gradients those of
/// others.
///
/// Refuses an unknown anchor, a table that has none, ratings beyond a million, fixed players that
/// are unknown, named twice or given with a mean, and parameters that the games do not determine.
pub fn fit(table: &ResultTable, options: &FitOptions) -> Result<Fit> {
    fit_by(table, options, None)
}

/// The same, with a given method for the equations.
pub(super) fn fit_by(
    table: &ResultTable,
    options: &FitOptions,
    method: Option<fn(&ComponentGames) -> SolverMethod>,
) -> Result<Fit> {
    let (Scale::Anchor(rating) | Scale::Mean(rating)) = options.scale;
    possible_rating(rating)?;
    let anchor = options.anchor.map_or_else(|| default_anchor(table), Ok)?;
    if matches!(options.scale, Scale::Mean(_)) && !options.fixed.is_empty() {
        let reason = "several ratings are fixed already";
        return Err(StatsError::NotEstimable { what: "a scale with a given mean", reason });
    }
    let anchors = Anchors::new(table, anchor, rating, &options.fixed)?;
    let classification = classify(table, anchor, &anchors.nodes);
    let games = ComponentGames::new(table, &classification.core, &anchors, options);
    if games.encounters.is_empty() && (options.first_move || options.draws) {
        return Err(StatsError::NoGames);
    }
    let method = method.unwrap_or(SolverMethod::suiting)(&games);
    let mut point = DVector::zeros(games.parameters());
    if let Some(index) = games.draws {
        // Among equal players nu / (nu + 2) of the games are drawn.
        let draws = games.observed.draws;
        point[index] = (2.0 * draws / (games.number() - draws)).ln();
    }
    let maximum = maximise(&games, &method, &games.observed, point, TOLERANCE)?;
    let (largest_gradient, ln_likelihood) =
        (maximum.evaluation.gradient.amax() / ELO_SCALE, maximum.evaluation.ln_likelihood);
    let (scale, offsets, point) = (options.scale, anchors.offsets, maximum.point);
    let mut fit =
        Fit { classification, scale, offsets, games, method, point, shift: 0.0, ln_likelihood, largest_gradient };
    fit.shift = fit.shift_of(&fit.point);
    Ok(fit)
}

impl Fit {
    /// Which players are rated, and why the others are not.
    pub fn classification(&self) -> &Classification {
        &self.classification
    }

    /// The rated players in ascending order.
    pub fn players(&self) -> &[usize] {
        &self.classification.core
    }

    pub fn rating(&self, player: usize) -> Result<f64> {
        Ok(self.strength(player)? * ELO_SCALE + self.shift)
    }

    /// The ratings of all players of the table; none for those that are not rated.
    pub fn ratings(&self) -> Vec<Option<f64>> {
        (0..self.offsets.len()).map(|player| self.rating(player).ok()).collect()
    }

    /// The value of the first move in Elo; none if it was not estimated.
    pub fn first_move_advantage(&self) -> Option<f64> {
        self.games.advantage.map(|index| self.point[index] * ELO_SCALE)
    }

    /// The logarithm of the probability of the games among rated players, in their order.
    pub fn ln_likelihood(&self) -> f64 {
        self.ln_likelihood
    }

    /// The largest derivative of the log-likelihood at the fit, per Elo; 0 except for rounding.
    pub fn largest_gradient(&self) -> f64 {
        self.largest_gradient
    }

    /// The expected score of a player against another. `has_first_move` is false, too, if nobody
    /// knows who moves first.
    pub fn expected_score(&self, player: usize, opponent: usize, has_first_move: bool) -> Result<f64> {
        let log_odds = self.log_odds_between(player, opponent, has_first_move)?;
        Ok(OutcomeModel::new(log_odds, self.games.nu_at(&self.point)).expected())
    }

    /// The natural logarithms of the expected scores of both players, as for
    /// [`Fit::expected_score`]. They are exact also where a score is 0 or 1 but for rounding.
    pub(super) fn ln_expected_scores(&self, player: usize, opponent: usize, has_first_move: bool) -> Result<[f64; 2]> {
        let log_odds = self.log_odds_between(player, opponent, has_first_move)?;
        Ok(OutcomeModel::ln_scores(log_odds, self.games.nu_at(&self.point)))
    }

    fn log_odds_between(&self, player: usize, opponent: usize, has_first_move: bool) -> Result<f64> {
        let first = if has_first_move { self.games.advantage_at(&self.point) } else { 0.0 };
        Ok(self.strength(player)? - self.strength(opponent)? + first)
    }

    /// The games of each player of the table against rated players; none for one who is not rated.
    pub fn standings(&self) -> Vec<Option<PlayerScore>> {
        let ratings = self.ratings();
        let no_games = |rating: f64| PlayerScore { points: 0.0, games: 0.0, mean_opponent: rating };
        let mut standings: Vec<_> = ratings.iter().map(|rating| rating.map(no_games)).collect();
        for (encounter, &points) in self.games.encounters.iter().zip(&self.games.observed.points) {
            let ([a, b], games) = (encounter.players, encounter.games);
            for (player, opponent, points) in [(a, b, points), (b, a, games - points)] {
                let (Some(score), Some(opponent)) = (&mut standings[player], ratings[opponent]) else { continue };
                score.points += points;
                score.games += games;
                score.mean_opponent += (opponent - score.mean_opponent) * games / score.games;
            }
        }
        standings
    }

    pub(super) fn solver(&self) -> Result<InformationSolver> {
        InformationSolver::new(&self.games, &self.games.evaluate(&self.games.observed, &self.point), &self.method)
    }

    pub(super) fn position(&self, player: usize) -> Result<usize> {
        self.games.positions.get(player).copied().flatten().ok_or(StatsError::NotRated { player })
    }

    pub(super) fn anchor_position(&self) -> usize {
        self.games.positions[self.classification.anchor].unwrap_or_default()
    }

    /// The strength of a player in log-odds, on the scale of the point.
    fn strength(&self, player: usize) -> Result<f64> {
        Ok(self.point[self.position(player)?] + self.offsets[player])
    }

    /// The rating of a fixed player less that of the anchor, in Elo; 0 for others.
    pub(super) fn offset(&self, player: usize) -> f64 {
        self.offsets[player] * ELO_SCALE
    }

    /// The shifts from strengths to anchored ratings, and to ratings about a mean. On the scale
    /// that was not asked for, the anchor or the mean is 0.
    pub(super) fn shifts(&self) -> [f64; 2] {
        let anchor = -self.point[self.anchor_position()] * ELO_SCALE;
        match self.scale {
            Scale::Anchor(rating) => [rating + anchor, 0.0],
            Scale::Mean(mean) => [anchor, mean],
        }
    }

    /// The shift from the strengths of a point to ratings on the scale.
    pub(super) fn shift_of(&self, point: &DVector<f64>) -> f64 {
        match self.scale {
            Scale::Anchor(rating) => rating - point[self.anchor_position()] * ELO_SCALE,
            Scale::Mean(mean) => mean - point.rows(0, self.games.players.len()).mean() * ELO_SCALE,
        }
    }
}

/// Five to ten rounds usually suffice.
const MAX_ROUNDS: usize = 200;
/// Beyond this the advantage of the first move diverges.
const MAX_ADVANTAGE: f64 = 4000.0;

#[derive(Clone, Debug)]
pub(super) struct Maximum {
    pub(super) point: DVector<f64>,
    evaluation: Evaluation,
}

/// Climbs from a point until no parameter moves by `tolerance` Elo.
pub(super) fn maximise(
    games: &ComponentGames,
    method: &SolverMethod,
    observed: &ObservedPoints,
    start: DVector<f64>,
    tolerance: f64,
) -> Result<Maximum> {
    if games.draws.is_some() && !(observed.draws > 0.0 && observed.draws < games.number()) {
        let reason = "there are no drawn games, or no others";
        return Err(StatsError::NotEstimable { what: "the share of draws", reason });
    }
    let mut maximum = Maximum { evaluation: games.evaluate(observed, &start), point: start };
    let mut last = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        let step = InformationSolver::new(games, &maximum.evaluation, method)?.solve(&maximum.evaluation.gradient)?;
        let largest = step.amax() * ELO_SCALE;
        // Within a hundredth of a point of the maximum the full step is right, and rounding hides
        // whether the likelihood grew.
        let floor = if largest < 0.01 { f64::NEG_INFINITY } else { maximum.evaluation.ln_likelihood };
        // The step is shortened until the likelihood does not fall.
        let mut part = 1.0;
        maximum = loop {
            let point = &maximum.point + part * &step;
            let evaluation = games.evaluate(observed, &point);
            if evaluation.ln_likelihood >= floor || part < 1e-9 {
                break Maximum { point, evaluation };
            }
            part *= 0.5;
        };
        if games.advantage_at(&maximum.point).abs() * ELO_SCALE > MAX_ADVANTAGE {
            let reason = "it has no finite maximum; whoever moved first won too often";
            return Err(StatsError::NotEstimable { what: "the first move's advantage", reason });
        }
        // In a badly conditioned table rounding keeps the steps above the tolerance: they stop
        // shrinking.
        if largest < tolerance || (largest < 1e-6 && largest > 0.5 * last) {
            return Ok(maximum);
        }
        last = largest;
    }
    Err(StatsError::NotConverged { what: "the likelihood of the ratings", iterations: MAX_ROUNDS })
}
