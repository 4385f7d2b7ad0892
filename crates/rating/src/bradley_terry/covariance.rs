//! The errors of ratings, by the curvature of the likelihood (Fisher information).

use kiki_stats::error::check;
use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Result, normal};
use nalgebra::DVector;
use rayon::prelude::*;

use super::fit::Fit;
use super::likelihood::DrawShare;
use super::solver::{FEW_PLAYERS, InformationSolver};

/// The covariance of fitted ratings, in Elo: the inverse of the Fisher information, in the limit of
/// many games.
///
/// A rating has an error only in relation to something. *Anchored* errors are those of the
/// difference to the anchor, and depend on who it is; *centred* ones are those of the difference to
/// the mean of all rated players. Players with fixed ratings have the anchor's errors, and count as
/// one player in the mean. All methods fail for a player who is not rated.
#[derive(Clone, Debug)]
pub struct Covariance<'a> {
    fit: &'a Fit,
    solver: InformationSolver,
    /// The centred covariances in log-odds squared; empty for many players, whose columns are
    /// solved on demand.
    columns: Vec<DVector<f64>>,
    /// The centred variance of every rated player, log-odds squared.
    variances: Vec<f64>,
    /// The centred covariance of every rated player with the anchor.
    with_anchor: DVector<f64>,
    /// The variances of the first move's advantage and of ln nu, if they are estimated.
    extra: [Option<f64>; 2],
}

impl<'a> Covariance<'a> {
    /// The covariance of the ratings by the Fisher information: one system of equations for each
    /// player, in parallel.
    pub fn new(fit: &'a Fit) -> Result<Self> {
        let (solver, players) = (fit.solver()?, fit.games.players.len());
        let (columns, variances) = if players <= FEW_PLAYERS {
            let columns = (0..players).into_par_iter().map(|player| solver.covariance_column(player));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let variances = columns.iter().enumerate().map(|(player, column)| column[player]).collect();
            (columns, variances)
        } else {
            (Vec::new(), solver.variances()?)
        };
        let with_anchor = solver.covariance_column(fit.anchor_position())?;
        let variance = |parameter: usize| Ok(solver.covariance_column(parameter)?[parameter]);
        let extra = |parameter: Option<usize>| parameter.map(variance).transpose();
        let extra = [extra(fit.games.advantage)?, extra(fit.games.draws)?];
        Ok(Self { fit, solver, columns, variances, with_anchor, extra })
    }

    /// The standard error of a rating in relation to the anchor; 0 for the anchor.
    pub fn anchored_error(&self, player: usize) -> Result<f64> {
        let position = self.fit.position(player)?;
        Ok(elo(self.anchored_at(self.variances[position], position, position)))
    }

    /// The standard error of a rating in relation to the mean of all rated players.
    pub fn centred_error(&self, player: usize) -> Result<f64> {
        Ok(elo(self.variances[self.fit.position(player)?]))
    }

    /// The covariance of two anchored ratings, Elo squared.
    pub fn anchored(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.fit.position(a)?, self.fit.position(b)?);
        Ok(self.anchored_at(self.centred_at(a, b)?, a, b) * ELO_SCALE * ELO_SCALE)
    }

    /// The standard error of the difference of two ratings, whatever the anchor. For more than 200
    /// players each call solves a system of equations.
    pub fn difference_error(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.fit.position(a)?, self.fit.position(b)?);
        if a == b {
            return Ok(0.0);
        }
        Ok(elo(self.variances[a] + self.variances[b] - 2.0 * self.centred_at(a, b)?))
    }

    /// The probability that a player is better than another one, by the normal distribution of the
    /// difference. Refuses a comparison of a player with itself.
    pub fn probability_better(&self, player: usize, other: usize) -> Result<f64> {
        let error = self.difference_error(player, other)?;
        check("an opponent", other as f64, |_| player != other, "another player")?;
        let difference = self.fit.rating(player)? - self.fit.rating(other)?;
        if error == 0.0 {
            // Both ratings are fixed.
            return Ok(if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) });
        }
        Ok(normal::cdf(difference / error))
    }

    /// The standard error of the first move's advantage; none if it was not estimated.
    pub fn first_move_error(&self) -> Option<f64> {
        self.extra[0].map(elo)
    }

    /// The share of draws; none if it was not estimated.
    pub fn draw_share(&self) -> Option<DrawShare> {
        self.extra[1].map(|variance| DrawShare::new(self.fit.games.nu_at(&self.fit.point), variance))
    }

    fn centred_at(&self, a: usize, b: usize) -> Result<f64> {
        Ok(match self.columns.get(b) {
            Some(column) => column[a],
            None if a == b => self.variances[a],
            None if b == self.fit.anchor_position() => self.with_anchor[a],
            None => self.solver.covariance_column(b)?[a],
        })
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

/// A standard error in Elo from a variance in log-odds, which rounding may leave slightly below 0.
fn elo(variance: f64) -> f64 {
    variance.max(0.0).sqrt() * ELO_SCALE
}
