//! The equations of the information matrix, bordered by the parameters besides the strengths.

use rayon::prelude::*;

use kiki_stats::{Result, StatsError};

use super::likelihood::{Adjacency, ComponentGames, LikelihoodEvaluation};
use super::sparse_matrix::{Envelope, LANES, Laplacian, Profile};

/// Up to this number of players the whole triangle is factorised, and the whole covariance is
/// known.
pub(super) const FEW_PLAYERS: usize = 200;
/// Relative residual at which conjugate gradients stop.
const CG_TOLERANCE: f64 = 1e-11;
/// The same for the diagonal of the covariance, whose error is of the order of its square.
const VARIANCE_TOLERANCE: f64 = 1e-6;
/// Conjugate gradients go through the matrix a hundred times or more. Up to this number of
/// multiplications for each entry a factorisation within an envelope is better.
const ENVELOPE_WORK: f64 = 200.0;

#[derive(Clone, Debug)]
pub(super) enum SolverMethod {
    /// Cholesky's within an envelope.
    Envelope(Profile),
    ConjugateGradients,
}

impl SolverMethod {
    /// The quickest method for a table.
    pub(super) fn suiting(adjacency: &Adjacency) -> Self {
        let profile = Profile::new(adjacency);
        let is_narrow = profile.work() <= ENVELOPE_WORK * adjacency.entries() as f64;
        if adjacency.len() <= FEW_PLAYERS || is_narrow { Self::Envelope(profile) } else { Self::ConjugateGradients }
    }
}

/// The information about the strengths, ready to be solved. The matrix L is singular, as a common
/// shift of all strengths changes no game. Its inverse here is the pseudo-inverse, which gives
/// strengths of mean 0.
#[derive(Clone, Debug)]
pub(super) struct InformationSolver {
    information: Information,
    /// Present if the first move's advantage is a parameter.
    border: Option<Border>,
    /// Present if the share of draws is a parameter.
    draws: Option<DrawBorder>,
}

#[derive(Clone, Debug)]
enum Information {
    Envelope(Envelope),
    Laplacian(Laplacian),
}

/// The advantage's row of the information matrix, eliminated.
#[derive(Clone, Debug)]
struct Border {
    /// `u = L^+ c`, where c is the mixed part.
    mixed: Vec<f64>,
    /// `s = d - c' L^+ c`, the information about the advantage that is left: the Schur complement.
    rest: f64,
}

/// The row of ln nu, eliminated after the advantage's: `M c`, where M inverts the information about
/// strengths and advantage and c is the mixed part, and what is left of the information about ln
/// nu.
#[derive(Clone, Debug)]
struct DrawBorder {
    strengths: Vec<f64>,
    advantage: f64,
    rest: f64,
}

#[derive(Clone, Debug)]
pub(super) struct NewtonStep {
    pub(super) strengths: Vec<f64>,
    pub(super) advantage: f64,
    pub(super) ln_nu: f64,
}

impl InformationSolver {
    /// Prepares the equations at an evaluated point.
    pub(super) fn new(
        games: &ComponentGames,
        adjacency: &Adjacency,
        at: &LikelihoodEvaluation,
        method: &SolverMethod,
    ) -> Result<Self> {
        let information = match method {
            SolverMethod::Envelope(profile) => Information::Envelope(Envelope::new(games, profile, &at.weights)?),
            SolverMethod::ConjugateGradients => Information::Laplacian(Laplacian::new(games, adjacency, &at.weights)),
        };
        let mut solver = Self { information, border: None, draws: None };
        if games.with_advantage {
            solver.border = Some(solver.border(games, &at.weights)?);
        }
        if games.with_draws {
            solver.draws = Some(solver.draw_border(games, at)?);
        }
        Ok(solver)
    }

    fn draw_border(&self, games: &ComponentGames, at: &LikelihoodEvaluation) -> Result<DrawBorder> {
        let mut column = vec![0.0; games.players.len()];
        let mut first = 0.0;
        for (encounter, mixed) in games.encounters.iter().zip(&at.mixed) {
            column[encounter.a as usize] += mixed;
            column[encounter.b as usize] -= mixed;
            first += encounter.first * mixed;
        }
        let (strengths, advantage) = self.strengths_and_advantage(&column, first)?;
        let known = dot(&column, &strengths) + first * advantage;
        let rest = at.information_draws - known;
        if rest <= 1e-9 * at.information_draws || at.information_draws == 0.0 {
            let reason = "the games do not tell it from the players' strengths";
            return Err(StatsError::NotEstimable { what: "the share of draws", reason });
        }
        Ok(DrawBorder { strengths, advantage, rest })
    }

    fn border(&self, games: &ComponentGames, weights: &[f64]) -> Result<Border> {
        let mut column = vec![0.0; games.players.len()];
        let mut own = 0.0;
        for (encounter, weight) in games.encounters.iter().zip(weights) {
            column[encounter.a as usize] += encounter.first * weight;
            column[encounter.b as usize] -= encounter.first * weight;
            own += encounter.first * encounter.first * weight;
        }
        let mixed = self.pseudo_inverse_times(column.clone())?;
        let rest = own - dot(&column, &mixed);
        if rest <= 1e-9 * own || own == 0.0 {
            let reason = "the games do not tell it from the players' strengths; both colours must be played";
            return Err(StatsError::NotEstimable { what: "the first move's advantage", reason });
        }
        Ok(Border { mixed, rest })
    }

    /// The Newton step for a gradient.
    pub(super) fn step(&self, at: &LikelihoodEvaluation) -> Result<NewtonStep> {
        let (mut strengths, mut advantage) = self.strengths_and_advantage(&at.gradient, at.gradient_advantage)?;
        let Some(draws) = &self.draws else { return Ok(NewtonStep { strengths, advantage, ln_nu: 0.0 }) };
        let product = dot(&draws.strengths, &at.gradient) + draws.advantage * at.gradient_advantage;
        let ln_nu = (at.gradient_draws - product) / draws.rest;
        for (strength, u) in strengths.iter_mut().zip(&draws.strengths) {
            *strength -= ln_nu * u;
        }
        advantage -= ln_nu * draws.advantage;
        Ok(NewtonStep { strengths, advantage, ln_nu })
    }

    /// Solves for given right-hand sides of the strengths, of sum 0, and of the advantage, at a
    /// fixed share of draws.
    fn strengths_and_advantage(&self, rhs: &[f64], rhs_advantage: f64) -> Result<(Vec<f64>, f64)> {
        let mut strengths = self.pseudo_inverse_times(rhs.to_vec())?;
        let Some(border) = &self.border else { return Ok((strengths, 0.0)) };
        let advantage = (rhs_advantage - dot(&border.mixed, rhs)) / border.rest;
        for (strength, u) in strengths.iter_mut().zip(&border.mixed) {
            *strength -= advantage * u;
        }
        Ok((strengths, advantage))
    }

    /// `L^+ x`, for an x of sum 0.
    fn pseudo_inverse_times(&self, x: Vec<f64>) -> Result<Vec<f64>> {
        let rhs = x.into_iter().map(|value| [value]).collect();
        Ok(self.solve::<1>(rhs, CG_TOLERANCE)?.into_iter().map(|[value]| value).collect())
    }

    /// The same for several right-hand sides at once.
    fn solve<const K: usize>(&self, rhs: Vec<[f64; K]>, tolerance: f64) -> Result<Vec<[f64; K]>> {
        match &self.information {
            Information::Envelope(envelope) => Ok(envelope.solve(&rhs)),
            Information::Laplacian(laplacian) => laplacian.solve(rhs, tolerance),
        }
    }

    pub(super) fn advantage_variance(&self) -> Option<f64> {
        let of_draws = self.draws.as_ref().map_or(0.0, |draws| draws.advantage * draws.advantage / draws.rest);
        self.border.as_ref().map(|border| 1.0 / border.rest + of_draws)
    }

    /// The variance of ln nu.
    pub(super) fn draws_variance(&self) -> Option<f64> {
        self.draws.as_ref().map(|draws| 1.0 / draws.rest)
    }

    /// The covariance of two players' strengths that comes from the uncertain advantage and share
    /// of draws.
    pub(super) fn border_covariance(&self, i: usize, j: usize) -> f64 {
        let of_advantage = self.border.as_ref().map_or(0.0, |border| border.mixed[i] * border.mixed[j] / border.rest);
        let of_draws = |draws: &DrawBorder| draws.strengths[i] * draws.strengths[j] / draws.rest;
        of_advantage + self.draws.as_ref().map_or(0.0, of_draws)
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

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
