//! The errors of ratings, by the curvature of the likelihood (Fisher information).

use nalgebra::DMatrix;

use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Result, StatsError, normal};

use super::fit::Fit;
use super::solver::InformationSolver;

/// The covariance of fitted ratings, in Elo: the inverse of the Fisher information, in the limit of many games.
///
/// A rating has an error only in relation to something. *Anchored* errors are those of the difference to the anchor, and depend on who
/// it is; *centred* ones are those of the difference to the mean of all rated players. Players with fixed ratings have the anchor's
/// errors, and count as one player in the mean.
#[derive(Clone, Debug)]
pub struct Covariance<'a> {
    fit: &'a Fit,
    /// The inverse matrix for few players, equations to be solved for many.
    known: CovarianceSource,
    /// The centred variance of every rated player, log-odds squared.
    variances: Vec<f64>,
    /// The centred covariance of every rated player with the anchor.
    with_anchor: Vec<f64>,
    advantage_variance: Option<f64>,
}

#[derive(Clone, Debug)]
enum CovarianceSource {
    Matrix(DMatrix<f64>),
    Equations(Box<InformationSolver>),
}

impl<'a> Covariance<'a> {
    /// The covariance of the ratings by the Fisher information. For more than 200 players this solves one system of equations for each of
    /// them, in parallel.
    ///
    /// # Errors
    /// If the information matrix is singular, which a strong component excludes but for rounding.
    pub fn new(fit: &'a Fit) -> Result<Self> {
        let players = fit.games.players.len();
        let anchor = fit.anchor_position();
        if fit.games.encounters.is_empty() {
            let known = CovarianceSource::Matrix(DMatrix::zeros(1, 1));
            return Ok(Self { fit, known, variances: vec![0.0], with_anchor: vec![0.0], advantage_variance: None });
        }
        let solver = fit.solver()?;
        let advantage_variance = solver.advantage_variance();
        let (known, variances, with_anchor) = match solver.covariance() {
            Some(matrix) => {
                let variances = matrix.diagonal().as_slice().to_vec();
                let with_anchor = matrix.column(anchor).as_slice().to_vec();
                (CovarianceSource::Matrix(matrix), variances, with_anchor)
            }
            None => {
                let variances = solver.variances(players)?;
                let with_anchor = solver.covariance_column(anchor, players)?;
                (CovarianceSource::Equations(Box::new(solver)), variances, with_anchor)
            }
        };
        Ok(Self { fit, known, variances, with_anchor, advantage_variance })
    }

    /// The standard error of a rating in relation to the anchor; 0 for the anchor.
    ///
    /// # Errors
    /// If the player is not rated.
    pub fn anchored_error(&self, player: usize) -> Result<f64> {
        let position = self.fit.position(player)?;
        Ok(elo(self.anchored_at(self.variances[position], position, position)))
    }

    /// The standard error of a rating in relation to the mean of all rated players.
    ///
    /// # Errors
    /// If the player is not rated.
    pub fn centred_error(&self, player: usize) -> Result<f64> {
        Ok(elo(self.variances[self.fit.position(player)?]))
    }

    /// The covariance of two anchored ratings, Elo squared.
    ///
    /// # Errors
    /// If one of the players is not rated.
    pub fn anchored(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.fit.position(a)?, self.fit.position(b)?);
        Ok(self.anchored_at(self.centred_at(a, b)?, a, b) * ELO_SCALE * ELO_SCALE)
    }

    /// The covariance of two centred ratings, Elo squared.
    ///
    /// # Errors
    /// If one of the players is not rated.
    pub fn centred(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.fit.position(a)?, self.fit.position(b)?);
        Ok(self.centred_at(a, b)? * ELO_SCALE * ELO_SCALE)
    }

    /// The standard error of the difference of two ratings, whatever the anchor. For more than 200 players each call solves a system of
    /// equations.
    ///
    /// # Errors
    /// If one of the players is not rated.
    pub fn difference_error(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.fit.position(a)?, self.fit.position(b)?);
        if a == b {
            return Ok(0.0);
        }
        Ok(elo(self.variances[a] + self.variances[b] - 2.0 * self.centred_at(a, b)?))
    }

    /// The probability that a player is better than another, by the normal distribution of the difference.
    ///
    /// # Errors
    /// If one of the players is not rated, or both are one.
    pub fn probability_better(&self, player: usize, other: usize) -> Result<f64> {
        let error = self.difference_error(player, other)?;
        if player == other {
            return Err(StatsError::SelfPlay { player });
        }
        let difference = self.fit.rating(player)? - self.fit.rating(other)?;
        if error == 0.0 {
            // Both ratings are fixed.
            return Ok(if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) });
        }
        Ok(normal::cdf(difference / error))
    }

    /// The standard error of the first move's advantage; none if it was not estimated.
    pub fn first_move_error(&self) -> Option<f64> {
        self.advantage_variance.map(elo)
    }

    fn centred_at(&self, a: usize, b: usize) -> Result<f64> {
        match &self.known {
            CovarianceSource::Matrix(matrix) => Ok(matrix[(a, b)]),
            CovarianceSource::Equations(_) if a == b => Ok(self.variances[a]),
            CovarianceSource::Equations(_) if b == self.fit.anchor_position() => Ok(self.with_anchor[a]),
            CovarianceSource::Equations(solver) => Ok(solver.covariance_column(b, self.variances.len())?[a]),
        }
    }

    /// The covariance of the differences to the anchor, from that of the differences to the mean.
    fn anchored_at(&self, centred: f64, a: usize, b: usize) -> f64 {
        let anchor = self.fit.anchor_position();
        if a == anchor || b == anchor {
            return 0.0;
        }
        centred - self.with_anchor[a] - self.with_anchor[b] + self.with_anchor[anchor]
    }
}

/// A standard error in Elo from a variance in log-odds; rounding may leave a zero a little below it.
fn elo(variance: f64) -> f64 {
    variance.max(0.0).sqrt() * ELO_SCALE
}
