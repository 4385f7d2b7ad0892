//! The ratings.

use crate::logistic::{ELO_SCALE, logistic};
use crate::{Result, StatsError};

use super::classes::{Classification, classify, default_anchor};
use super::covariance::Covariance;
use super::games::{Adjacency, Games, Point};
use super::newton::maximise;
use super::solver::{Method, Solver};
use super::{Residual, Table, residuals};

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

/// How to fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitOptions {
    /// The player whose strong component is rated; [`default_anchor`] if none is named.
    pub anchor: Option<usize>,
    /// Where the scale has its zero.
    pub scale: Scale,
    /// Whether to estimate what the first move is worth, from the results that tell who had it.
    pub first_move: bool,
}

impl FitOptions {
    /// An anchor with a fixed rating.
    #[must_use]
    pub fn anchored(anchor: usize, rating: f64) -> Self {
        Self { anchor: Some(anchor), scale: Scale::Anchor(rating), first_move: false }
    }
}

impl Default for FitOptions {
    /// The default anchor, at 0, and no advantage of the first move.
    fn default() -> Self {
        Self { anchor: None, scale: Scale::Anchor(0.0), first_move: false }
    }
}

/// Fitted ratings.
#[derive(Clone, Debug)]
pub struct Fit {
    classification: Classification,
    pub(super) scale: Scale,
    pub(super) games: Games,
    pub(super) adjacency: Adjacency,
    pub(super) method: Method,
    pub(super) point: Point,
    /// What is added to a strength in Elo to make it a rating.
    pub(super) shift: f64,
    /// By the table's numbers: the position of a player within the component.
    positions: Vec<Option<usize>>,
    ln_likelihood: f64,
    largest_gradient: f64,
    rounds: usize,
}

/// A rated player's games against rated players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// Points.
    pub points: f64,
    /// Games.
    pub games: f64,
    /// The mean rating of the opponents, each game counted; the player's own rating if it has no games.
    pub mean_opponent: f64,
}

/// Rates the players of the anchor's strong component, using the games among them: maximum likelihood by Newton's method until the last
/// step is below 1e-9 Elo. The equations are solved by Cholesky's method for up to 200 players and for long narrow tables, else by
/// conjugate gradients.
///
/// # Errors
/// If the anchor is unknown, no anchor can be chosen, a rating of the scale is not finite, or the advantage of the first move is wanted
/// but not in the data.
pub fn fit(table: &Table, options: &FitOptions) -> Result<Fit> {
    fit_by(table, options, None)
}

/// The same, with a method of choice for the equations.
pub(super) fn fit_by(table: &Table, options: &FitOptions, method: Option<Method>) -> Result<Fit> {
    let (Scale::Anchor(rating) | Scale::Mean(rating)) = options.scale;
    crate::error::check("a rating", rating, |_| true, "a number")?;
    let anchor = match options.anchor {
        Some(anchor) => anchor,
        None => default_anchor(table)?,
    };
    let classification = classify(table, anchor)?;
    let games = Games::new(table, &classification.core, options.first_move);
    let adjacency = Adjacency::new(&games);
    let players = games.players.len();
    let method = method.unwrap_or_else(|| Method::suiting(&adjacency));
    let mut positions = vec![None; table.players()];
    for (position, &player) in classification.core.iter().enumerate() {
        positions[player] = Some(position);
    }
    let start = Point { strengths: vec![0.0; players], advantage: 0.0 };
    let mut fit = Fit {
        classification,
        scale: options.scale,
        games,
        adjacency,
        method,
        point: start.clone(),
        shift: rating,
        positions,
        ln_likelihood: 0.0,
        largest_gradient: 0.0,
        rounds: 0,
    };
    if players > 1 {
        let maximum = maximise(&fit.games, &fit.adjacency, &fit.games.points, start, &fit.method, TOLERANCE)?;
        let gradient = maximum.evaluation.gradient.iter().chain([&maximum.evaluation.gradient_advantage]);
        fit.largest_gradient = gradient.fold(0.0, |most: f64, value| most.max(value.abs())) / ELO_SCALE;
        fit.ln_likelihood = maximum.evaluation.ln_likelihood;
        fit.rounds = maximum.rounds;
        fit.point = maximum.point;
    } else if options.first_move {
        return Err(StatsError::NoGames);
    }
    fit.shift = fit.shift_of(&fit.point.strengths);
    Ok(fit)
}

impl Fit {
    /// Who is rated, and why the others are not.
    #[must_use]
    pub fn classification(&self) -> &Classification {
        &self.classification
    }

    /// The rated players in ascending order.
    #[must_use]
    pub fn players(&self) -> &[usize] {
        &self.games.players
    }

    /// The rating of a player.
    ///
    /// # Errors
    /// If the player is not rated.
    pub fn rating(&self, player: usize) -> Result<f64> {
        Ok(self.rating_at(self.position(player)?))
    }

    /// The ratings of all players of the table; none for those that are not rated.
    #[must_use]
    pub fn ratings(&self) -> Vec<Option<f64>> {
        self.positions.iter().map(|position| position.map(|position| self.rating_at(position))).collect()
    }

    /// What the first move is worth, in Elo; none if it was not estimated.
    #[must_use]
    pub fn first_move_advantage(&self) -> Option<f64> {
        self.games.with_advantage.then_some(self.point.advantage * ELO_SCALE)
    }

    /// The logarithm of the probability of the games among rated players, in their order.
    #[must_use]
    pub fn ln_likelihood(&self) -> f64 {
        self.ln_likelihood
    }

    /// The largest derivative of the log-likelihood at the fit, for one Elo; 0 but for rounding.
    #[must_use]
    pub fn largest_gradient(&self) -> f64 {
        self.largest_gradient
    }

    /// How many rounds Newton's method took.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The expected score of a player against another, if neither or no one knows who moves first.
    ///
    /// # Errors
    /// If one of them is not rated.
    pub fn expected_score(&self, player: usize, opponent: usize) -> Result<f64> {
        Ok(logistic(self.log_odds(player, opponent)?))
    }

    /// The expected score of a player that has the first move.
    ///
    /// # Errors
    /// If one of them is not rated.
    pub fn expected_score_moving_first(&self, player: usize, opponent: usize) -> Result<f64> {
        Ok(logistic(self.log_odds(player, opponent)? + self.point.advantage))
    }

    fn log_odds(&self, player: usize, opponent: usize) -> Result<f64> {
        let (player, opponent) = (self.position(player)?, self.position(opponent)?);
        Ok(self.point.strengths[player] - self.point.strengths[opponent])
    }

    /// A rated player's games against rated players.
    ///
    /// # Errors
    /// If the player is not rated.
    pub fn standing(&self, player: usize) -> Result<Standing> {
        let position = self.position(player)?;
        let (mut points, mut games, mut ratings) = (0.0, 0.0, 0.0);
        for &(opponent, number, is_a) in self.adjacency.of(position) {
            let played = self.games.encounters[number as usize].games;
            let of_a = self.games.points[number as usize];
            points += if is_a { of_a } else { played - of_a };
            games += played;
            ratings += played * self.rating_at(opponent as usize);
        }
        let mean_opponent = if games > 0.0 { ratings / games } else { self.rating_at(position) };
        Ok(Standing { points, games, mean_opponent })
    }

    /// What every pair of rated players scored, beside what was to be expected.
    #[must_use]
    pub fn residuals(&self) -> Vec<Residual> {
        residuals::residuals(self)
    }

    /// The covariance of the ratings by the Fisher information. For more than 200 players this solves one system of equations for each
    /// of them, in parallel.
    ///
    /// # Errors
    /// If the information matrix is singular, which a strong component excludes but for rounding.
    pub fn covariance(&self) -> Result<Covariance<'_>> {
        Covariance::new(self)
    }

    /// The information matrix at the fit.
    pub(super) fn solver(&self) -> Result<Solver> {
        let evaluation = self.games.evaluate(&self.games.points, &self.point);
        Solver::new(&self.games, &self.adjacency, &evaluation, &self.method)
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

    fn rating_at(&self, position: usize) -> f64 {
        self.point.strengths[position] * ELO_SCALE + self.shift
    }

    /// What turns strengths into ratings that are anchored, and into ratings about a mean. Of the scale that was not asked for only the
    /// zero is known: the anchor is 0 then, or the mean.
    pub(super) fn shifts(&self) -> [f64; 2] {
        let anchor = -self.point.strengths[self.anchor_position()] * ELO_SCALE;
        match self.scale {
            Scale::Anchor(rating) => [rating + anchor, 0.0],
            Scale::Mean(mean) => [anchor, mean],
        }
    }

    /// What turns strengths of mean 0 into ratings of the scale.
    pub(super) fn shift_of(&self, strengths: &[f64]) -> f64 {
        match self.scale {
            Scale::Anchor(rating) => rating - strengths[self.anchor_position()] * ELO_SCALE,
            Scale::Mean(mean) => mean - strengths.iter().sum::<f64>() / strengths.len() as f64 * ELO_SCALE,
        }
    }
}
