//! Ratings by maximum likelihood: Newton's method for the likelihood, which is concave.

use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Result, StatsError};
use serde::Serialize;

use super::classes::{Anchors, Classification, classify, default_anchor, possible_rating};
use super::equations::{InformationSolver, NewtonStep, SolverMethod};
use super::likelihood::{
    Adjacency, ComponentGames, DrawShare, ExtraParameters, LikelihoodEvaluation, ObservedPoints, OutcomeModel,
    PairGames, ParameterPoint,
};
use super::table::ResultTable;

/// The largest last step of a fit, in Elo.
const TOLERANCE: f64 = 1e-9;

/// Where the scale has its zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// The anchor has this rating.
    Anchor(f64),
    /// The mean of all rated players is this.
    Mean(f64),
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DrawModel {
    /// Half a win and half a loss, two decided halves of a game. Where many games are drawn the
    /// errors are too large.
    #[default]
    Halves,
    /// An outcome of its own, by the model of Davidson (1970): a win, a draw and a loss have the
    /// odds 1, `nu exp(-t/2)` and `exp(-t)`, where t is the difference in strength and nu is
    /// estimated. A difference of 400 Elo means ten wins for each loss; draws move the expected
    /// score towards one half.
    Davidson,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FitOptions {
    /// The player whose strong component is rated; [`default_anchor`] if none is named.
    pub anchor: Option<usize>,
    pub scale: Scale,
    /// Further players with known ratings, on the scale of [`Scale::Anchor`].
    pub fixed: Vec<(usize, f64)>,
    /// Whether to estimate what the first move is worth, from the results that record who had it.
    pub first_move: bool,
    pub draws: DrawModel,
}

impl FitOptions {
    /// An anchor with a fixed rating.
    pub fn anchored(anchor: usize, rating: f64) -> Self {
        Self { anchor: Some(anchor), scale: Scale::Anchor(rating), ..Self::default() }
    }
}

impl Default for FitOptions {
    /// The default anchor, at 0, no advantage of the first move, and draws as halves.
    fn default() -> Self {
        let scale = Scale::Anchor(0.0);
        Self { anchor: None, scale, fixed: Vec::new(), first_move: false, draws: DrawModel::Halves }
    }
}

/// Fitted ratings. All methods with a player fail for one who is not rated.
#[derive(Clone, Debug)]
pub struct Fit {
    classification: Classification,
    pub(super) scale: Scale,
    anchors: Anchors,
    pub(super) games: ComponentGames,
    pub(super) adjacency: Adjacency,
    pub(super) method: SolverMethod,
    pub(super) point: ParameterPoint,
    /// The offset from a strength in Elo to a rating.
    pub(super) shift: f64,
    /// For each player of the table, its position within the component.
    positions: Vec<Option<usize>>,
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
pub(super) fn fit_by(table: &ResultTable, options: &FitOptions, method: Option<SolverMethod>) -> Result<Fit> {
    let (Scale::Anchor(rating) | Scale::Mean(rating)) = options.scale;
    possible_rating(rating)?;
    let anchor = match options.anchor {
        Some(anchor) => anchor,
        None => default_anchor(table)?,
    };
    if matches!(options.scale, Scale::Mean(_)) && !options.fixed.is_empty() {
        let reason = "several ratings are fixed already";
        return Err(StatsError::NotEstimable { what: "a scale with a given mean", reason });
    }
    let anchors = Anchors::new(table, anchor, rating, &options.fixed)?;
    let classification = classify(table, anchor, &anchors);
    let extras = ExtraParameters { advantage: options.first_move, draws: options.draws == DrawModel::Davidson };
    let games = ComponentGames::new(table, &classification.core, &anchors, extras);
    let adjacency = Adjacency::new(&games);
    let players = games.players.len();
    let method = method.unwrap_or_else(|| SolverMethod::suiting(&adjacency));
    let mut positions = vec![None; table.players()];
    for (position, &player) in games.players.iter().enumerate() {
        positions[player] = Some(position);
    }
    for &player in &classification.core {
        positions[player] = positions[anchors.node(player)];
    }
    // Among equal players nu / (nu + 2) of the games are drawn.
    let (draws, number) = (games.observed.draws, games.number());
    let ln_nu = if extras.draws { (2.0 * draws / (number - draws)).ln() } else { f64::NEG_INFINITY };
    let start = ParameterPoint { strengths: vec![0.0; players], advantage: 0.0, ln_nu };
    let mut fit = Fit {
        classification,
        scale: options.scale,
        anchors,
        games,
        adjacency,
        method,
        point: start.clone(),
        shift: rating,
        positions,
        ln_likelihood: 0.0,
        largest_gradient: 0.0,
    };
    if !fit.games.encounters.is_empty() {
        let maximum = maximise(&fit.games, &fit.adjacency, &fit.games.observed, start, &fit.method, TOLERANCE)?;
        let others = [&maximum.evaluation.gradient_advantage, &maximum.evaluation.gradient_draws];
        let gradient = maximum.evaluation.gradient.iter().chain(others);
        fit.largest_gradient = gradient.fold(0.0, |most: f64, value| most.max(value.abs())) / ELO_SCALE;
        fit.ln_likelihood = maximum.evaluation.ln_likelihood;
        fit.point = maximum.point;
    } else if options.first_move || extras.draws {
        return Err(StatsError::NoGames);
    }
    fit.shift = fit.shift_of(&fit.point.strengths);
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
        (0..self.positions.len()).map(|player| self.rating(player).ok()).collect()
    }

    /// The value of the first move in Elo; none if it was not estimated.
    pub fn first_move_advantage(&self) -> Option<f64> {
        self.games.with_advantage.then_some(self.point.advantage * ELO_SCALE)
    }

    /// The share of draws; none if it was not estimated.
    pub fn draw_share(&self) -> Result<Option<DrawShare>> {
        if !self.games.with_draws {
            return Ok(None);
        }
        let variance = self.solver()?.draws_variance();
        Ok(variance.map(|variance| DrawShare::new(self.point.ln_nu, variance)))
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
        let first = if has_first_move { self.point.advantage } else { 0.0 };
        let log_odds = self.strength(player)? - self.strength(opponent)? + first;
        Ok(OutcomeModel::new(log_odds, self.point.ln_nu.exp()).expected())
    }

    /// A rated player's games against rated players.
    pub fn standing(&self, player: usize) -> Result<PlayerScore> {
        let mut standing = PlayerScore { points: 0.0, games: 0.0, mean_opponent: 0.0 };
        for number in self.encounters_of(self.position(player)?) {
            let PairGames { players: [a, b], games, .. } = self.games.encounters[number];
            let of_a = self.games.observed.points[number];
            let (opponent, points) = match player {
                player if player == a => (b, of_a),
                player if player == b => (a, games - of_a),
                // A game of another fixed player, who shares the position.
                _ => continue,
            };
            standing.points += points;
            standing.games += games;
            standing.mean_opponent += games * self.rating(opponent)?;
        }
        standing.mean_opponent =
            if standing.games > 0.0 { standing.mean_opponent / standing.games } else { self.rating(player)? };
        Ok(standing)
    }

    /// The indices of the encounters of the player at a position.
    fn encounters_of(&self, position: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.adjacency.of(position).iter().map(|entry| entry.1 as usize).collect();
        let is_among_fixed = |&number: &usize| {
            let PairGames { a, b, .. } = self.games.encounters[number];
            a == b
        };
        if position == self.anchor_position() && self.games.players.len() < self.classification.core.len() {
            numbers.extend((0..self.games.encounters.len()).filter(is_among_fixed));
        }
        numbers
    }

    /// The information matrix at the fit.
    pub(super) fn solver(&self) -> Result<InformationSolver> {
        let evaluation = self.games.evaluate(&self.games.observed, &self.point);
        InformationSolver::new(&self.games, &self.adjacency, &evaluation, &self.method)
    }

    /// The position of a player within the component.
    pub(super) fn position(&self, player: usize) -> Result<usize> {
        match self.positions.get(player) {
            Some(Some(position)) => Ok(*position),
            Some(None) => Err(StatsError::NotRated { player }),
            None => Err(StatsError::UnknownPlayer { player, players: self.positions.len() }),
        }
    }

    /// The anchor's position within the component.
    pub(super) fn anchor_position(&self) -> usize {
        self.positions[self.classification.anchor].unwrap_or_default()
    }

    /// The strength of a player in log-odds, on the scale of the point.
    fn strength(&self, player: usize) -> Result<f64> {
        Ok(self.point.strengths[self.position(player)?] + self.anchors.offset(player))
    }

    /// The rating of a fixed player less that of the anchor, in Elo; 0 for others.
    pub(super) fn offset(&self, player: usize) -> f64 {
        self.anchors.offset(player) * ELO_SCALE
    }

    /// The shifts from strengths to anchored ratings, and to ratings about a mean. On the scale
    /// that was not asked for, the anchor or the mean is 0.
    pub(super) fn shifts(&self) -> [f64; 2] {
        let anchor = -self.point.strengths[self.anchor_position()] * ELO_SCALE;
        match self.scale {
            Scale::Anchor(rating) => [rating + anchor, 0.0],
            Scale::Mean(mean) => [anchor, mean],
        }
    }

    /// The shift from strengths of mean 0 to ratings on the scale.
    pub(super) fn shift_of(&self, strengths: &[f64]) -> f64 {
        match self.scale {
            Scale::Anchor(rating) => rating - strengths[self.anchor_position()] * ELO_SCALE,
            Scale::Mean(mean) => mean - strengths.iter().sum::<f64>() / strengths.len() as f64 * ELO_SCALE,
        }
    }
}

/// Five to ten rounds usually suffice.
const MAX_ROUNDS: usize = 200;
/// Beyond this the advantage of the first move diverges.
const MAX_ADVANTAGE: f64 = 4000.0;

/// The maximum and what is known there.
#[derive(Clone, Debug)]
pub(super) struct Maximum {
    pub(super) point: ParameterPoint,
    pub(super) evaluation: LikelihoodEvaluation,
}

/// Climbs from a point until no parameter moves by `tolerance` Elo. Steps are halved until the
/// likelihood does not fall.
pub(super) fn maximise(
    games: &ComponentGames,
    adjacency: &Adjacency,
    observed: &ObservedPoints,
    start: ParameterPoint,
    method: &SolverMethod,
    tolerance: f64,
) -> Result<Maximum> {
    if games.with_draws && !(observed.draws > 0.0 && observed.draws < games.number()) {
        let reason = "there are no drawn games, or no others";
        return Err(StatsError::NotEstimable { what: "the share of draws", reason });
    }
    let mut evaluation = games.evaluate(observed, &start);
    let mut point = start;
    let mut last = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        let step = InformationSolver::new(games, adjacency, &evaluation, method)?.step(&evaluation)?;
        let others = step.advantage.abs().max(step.ln_nu.abs());
        let largest = step.strengths.iter().fold(others, |most, step| most.max(step.abs())) * ELO_SCALE;
        let (taken, next) = shortened(games, observed, &point, &step, &evaluation, largest);
        point = taken;
        evaluation = next;
        if point.advantage.abs() * ELO_SCALE > MAX_ADVANTAGE {
            let reason = "it has no finite maximum; whoever moved first won too often";
            return Err(StatsError::NotEstimable { what: "the first move's advantage", reason });
        }
        // In a badly conditioned table rounding keeps the steps above the tolerance: they stop
        // shrinking.
        if largest < tolerance || (largest < 1e-6 && largest > 0.5 * last) {
            return Ok(Maximum { point, evaluation });
        }
        last = largest;
    }
    Err(StatsError::NotConverged { what: "the likelihood of the ratings", iterations: MAX_ROUNDS })
}

/// The point after the step, which is shortened until the likelihood does not fall.
fn shortened(
    games: &ComponentGames,
    observed: &ObservedPoints,
    from: &ParameterPoint,
    step: &NewtonStep,
    evaluation: &LikelihoodEvaluation,
    largest: f64,
) -> (ParameterPoint, LikelihoodEvaluation) {
    // Within a hundredth of a point of the maximum the full step is right, and rounding hides
    // whether the likelihood grew.
    let floor = if largest < 0.01 { f64::NEG_INFINITY } else { evaluation.ln_likelihood };
    let mut part = 1.0;
    loop {
        let moved = |(from, step): (&f64, &f64)| from + part * step;
        let point = ParameterPoint {
            strengths: from.strengths.iter().zip(&step.strengths).map(moved).collect(),
            advantage: from.advantage + part * step.advantage,
            ln_nu: from.ln_nu + part * step.ln_nu,
        };
        let next = games.evaluate(observed, &point);
        if next.ln_likelihood >= floor || part < 1e-9 {
            return (point, next);
        }
        part *= 0.5;
    }
}
