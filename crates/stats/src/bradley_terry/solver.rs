//! Equations of the information matrix, dense for few players and sparse for many.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rayon::prelude::*;

use crate::{Result, StatsError};

use super::envelope::{Envelope, Profile};
use super::games::{Adjacency, Evaluation, Games};
use super::laplacian::{LANES, Laplacian};

/// Up to so many players the matrix is dense.
pub(super) const DENSE_PLAYERS: usize = 200;
/// To what part of the right-hand side conjugate gradients go on.
const CG_TOLERANCE: f64 = 1e-11;

/// Conjugate gradients go through the matrix a hundred times or more; a factorisation within an envelope may take as many
/// multiplications for each entry before they are the better choice.
const ENVELOPE_WORK: f64 = 200.0;

/// Which method solves the equations.
#[derive(Clone, Debug)]
pub(super) enum Method {
    /// Cholesky's of the whole matrix.
    Dense,
    /// Cholesky's within an envelope.
    Envelope(Profile),
    /// Conjugate gradients.
    Sparse,
}

impl Method {
    /// The quickest one for a table.
    pub(super) fn suiting(adjacency: &Adjacency) -> Self {
        if adjacency.len() <= DENSE_PLAYERS {
            return Self::Dense;
        }
        let profile = Profile::new(adjacency);
        if profile.work() <= ENVELOPE_WORK * adjacency.entries() as f64 {
            Self::Envelope(profile)
        } else {
            Self::Sparse
        }
    }
}

/// The information about the strengths, ready to be solved. The matrix L is singular, as a common shift of all strengths changes no
/// game; what is meant by its inverse is the pseudo-inverse, which gives strengths of mean 0.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    information: Information,
    /// Present if the first move's advantage is a parameter.
    border: Option<Border>,
}

#[derive(Clone, Debug)]
enum Information {
    /// Of L with a constant added to every entry, which makes it positive definite and changes nothing for right-hand sides of sum 0.
    Dense {
        cholesky: Cholesky<f64, Dyn>,
        added: f64,
    },
    Envelope(Envelope),
    Sparse(Laplacian),
}

/// The advantage's row of the information matrix, eliminated.
#[derive(Clone, Debug)]
struct Border {
    /// `u = L^+ c`, where c is the mixed part.
    mixed: Vec<f64>,
    /// `s = d - c' L^+ c`, the information about the advantage that is left: the Schur complement.
    rest: f64,
}

impl Solver {
    /// Factorises, or arranges, the information at an evaluated point.
    pub(super) fn new(games: &Games, adjacency: &Adjacency, at: &Evaluation, method: &Method) -> Result<Self> {
        let information = match method {
            Method::Dense => dense(games, &at.weights)?,
            Method::Envelope(profile) => Information::Envelope(Envelope::new(games, profile, &at.weights)?),
            Method::Sparse => Information::Sparse(Laplacian::new(games, adjacency, &at.weights)),
        };
        let mut solver = Self { information, border: None };
        if games.with_advantage {
            solver.border = Some(solver.border(games, &at.weights)?);
        }
        Ok(solver)
    }

    fn border(&self, games: &Games, weights: &[f64]) -> Result<Border> {
        let mut column = vec![0.0; games.players.len()];
        let mut own = 0.0;
        for (encounter, weight) in games.encounters.iter().zip(weights) {
            column[encounter.a as usize] += encounter.first * weight;
            column[encounter.b as usize] -= encounter.first * weight;
            own += encounter.first * encounter.first * weight;
        }
        let mixed = self.pseudo_inverse_times(column.clone())?;
        let rest = own - column.iter().zip(&mixed).map(|(c, u)| c * u).sum::<f64>();
        if rest <= 1e-9 * own || own == 0.0 {
            let reason = "the games do not tell it from the players' strengths; both colours must be played";
            return Err(StatsError::NotEstimable { what: "the first move's advantage", reason });
        }
        Ok(Border { mixed, rest })
    }

    /// The Newton step for a gradient: for the strengths and for the advantage.
    pub(super) fn step(&self, at: &Evaluation) -> Result<(Vec<f64>, f64)> {
        let mut strengths = self.pseudo_inverse_times(at.gradient.clone())?;
        let Some(border) = &self.border else { return Ok((strengths, 0.0)) };
        let product: f64 = border.mixed.iter().zip(&at.gradient).map(|(u, g)| u * g).sum();
        let advantage = (at.gradient_advantage - product) / border.rest;
        for (strength, u) in strengths.iter_mut().zip(&border.mixed) {
            *strength -= advantage * u;
        }
        Ok((strengths, advantage))
    }

    /// `L^+ x`, for an x of sum 0.
    fn pseudo_inverse_times(&self, x: Vec<f64>) -> Result<Vec<f64>> {
        if let Information::Dense { cholesky, .. } = &self.information {
            return Ok(cholesky.solve(&DVector::from_vec(x)).as_slice().to_vec());
        }
        let rhs = x.into_iter().map(|value| [value]).collect();
        Ok(self.solve::<1>(rhs, CG_TOLERANCE)?.into_iter().map(|[value]| value).collect())
    }

    /// The same for several right-hand sides at once.
    fn solve<const K: usize>(&self, rhs: Vec<[f64; K]>, tolerance: f64) -> Result<Vec<[f64; K]>> {
        match &self.information {
            Information::Envelope(envelope) => Ok(envelope.solve(&rhs)),
            Information::Sparse(laplacian) => laplacian.solve(rhs, tolerance),
            // Only matrices that are too large to be dense are solved for several sides.
            Information::Dense { .. } => Err(StatsError::Singular),
        }
    }

    /// The variance of the advantage.
    pub(super) fn advantage_variance(&self) -> Option<f64> {
        self.border.as_ref().map(|border| 1.0 / border.rest)
    }

    /// What the uncertainty of the advantage adds to the covariance of two players' strengths.
    pub(super) fn border_covariance(&self, i: usize, j: usize) -> f64 {
        self.border.as_ref().map_or(0.0, |border| border.mixed[i] * border.mixed[j] / border.rest)
    }

    /// The whole covariance of the strengths about their mean, if the matrix is dense.
    pub(super) fn covariance(&self) -> Option<DMatrix<f64>> {
        let Information::Dense { cholesky, added } = &self.information else { return None };
        let mut covariance = cholesky.inverse();
        let n = covariance.nrows();
        let constant = 1.0 / (added * (n * n) as f64);
        for i in 0..n {
            for j in 0..n {
                covariance[(i, j)] += self.border_covariance(i, j) - constant;
            }
        }
        Some(covariance)
    }

    /// One column of the covariance of the strengths about their mean.
    pub(super) fn covariance_column(&self, player: usize, players: usize) -> Result<Vec<f64>> {
        let mut unit = vec![-1.0 / players as f64; players];
        unit[player] += 1.0;
        let mut column = self.pseudo_inverse_times(unit)?;
        for (other, value) in column.iter_mut().enumerate() {
            *value += self.border_covariance(player, other);
        }
        Ok(column)
    }

    /// The variances of the strengths about their mean: one equation for each player, in parallel.
    pub(super) fn variances(&self, players: usize) -> Result<Vec<f64>> {
        if let Some(covariance) = self.covariance() {
            return Ok(covariance.diagonal().as_slice().to_vec());
        }
        let blocks = players.div_ceil(LANES);
        let variances: Vec<[f64; LANES]> = (0..blocks)
            .into_par_iter()
            .map(|block| {
                let first = block * LANES;
                let mean = 1.0 / players as f64;
                let mut rhs = vec![[-mean; LANES]; players];
                // The lanes beyond the last player repeat it.
                let player = |lane: usize| (first + lane).min(players - 1);
                for lane in 0..LANES {
                    rhs[player(lane)][lane] += 1.0;
                }
                let solution = self.solve(rhs, VARIANCE_TOLERANCE)?;
                Ok(std::array::from_fn(|lane| solution[player(lane)][lane]))
            })
            .collect::<Result<_>>()?;
        let mut variances: Vec<f64> = variances.into_iter().flatten().take(players).collect();
        for (player, variance) in variances.iter_mut().enumerate() {
            *variance += self.border_covariance(player, player);
        }
        Ok(variances)
    }
}

/// The error of a diagonal entry is of the order of the square of this.
const VARIANCE_TOLERANCE: f64 = 1e-6;

/// Factorises the dense matrix.
fn dense(games: &Games, weights: &[f64]) -> Result<Information> {
    let n = games.players.len();
    let total: f64 = weights.iter().sum();
    // As large as a usual entry, so that it spoils neither end of the spectrum.
    let added = 2.0 * total / (n * n) as f64;
    let mut matrix = DMatrix::from_element(n, n, added);
    for (encounter, &weight) in games.encounters.iter().zip(weights) {
        let (a, b) = (encounter.a as usize, encounter.b as usize);
        matrix[(a, a)] += weight;
        matrix[(b, b)] += weight;
        matrix[(a, b)] -= weight;
        matrix[(b, a)] -= weight;
    }
    let cholesky = Cholesky::new(matrix).ok_or(StatsError::Singular)?;
    Ok(Information::Dense { cholesky, added })
}
