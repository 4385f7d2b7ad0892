//! The weights under which the differences are most likely, by Fisher's method of scoring (1935).

use nalgebra::{DMatrix, DVector};

use super::{SigmaLink, SigmaSamples};
use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// Steps until a fit is given up.
const MAX_STEPS: usize = 100;
/// A fit is finished when a step gains less than this for each sample, in nats,
const GAIN: f64 = 1e-13;
/// or when so many steps in a row gain less than this in all, in nats: where sigmas of samples leave and reach their least value steps stay
/// short. Weights that are one standard error off lose half a nat.
const SMALL_GAINS: (usize, f64) = (3, 0.01);
/// Halvings of a step until it is taken for none.
const MAX_HALVINGS: usize = 40;
/// No sigma of a fit is taken for less than this part of the root mean square of all differences.
const LEAST_SHARE: f64 = 0.01;
/// The least floor: a pawn's tenth, in centipawns.
const LEAST_FLOOR: f64 = 10.0;
/// The floor is the value below which this part of the training sigmas lies.
const FLOOR_SHARE: f64 = 0.01;

/// The weights under which the differences are most likely.
#[derive(Clone, Debug)]
pub struct SigmaFit {
    /// How sigma follows from the weights.
    pub link: SigmaLink,
    /// One for each column.
    pub weights: Vec<f64>,
    /// Their standard errors: the square roots of the diagonal of the inverse information.
    pub standard_errors: Vec<f64>,
    /// The mean log-likelihood of the samples of the fit, without the ridge.
    pub mean_log_likelihood: f64,
    /// The least sigma that a user should take: the first percentile of the sigmas of the samples, and not below 10.
    pub floor: f64,
    /// How many steps were taken.
    pub steps: usize,
}

/// Fits the weights. `ridge` is the precision, one divided by the variance, of a normal distribution around 0 of which each weight but the
/// constant is thought to come; 0 leaves them free, and then every column must be told apart by the samples.
///
/// # Errors
/// Without samples, if all differences are 0, if the ridge is negative, if weights cannot be told apart, if the steps do not settle.
pub fn fit(samples: &SigmaSamples, link: SigmaLink, ridge: f64) -> Result<SigmaFit> {
    if samples.is_empty() {
        return Err(StatsError::NoGames);
    }
    check("a ridge", ridge, |ridge| ridge >= 0.0, "0 or more")?;
    let square = samples.differences.iter().map(|g| g * g).sum::<f64>() / samples.len() as f64;
    let constant = check("the mean square of the differences", square, |square| square > 0.0, "above 0")?.sqrt();
    let scoring = Scoring { samples, link, ridge, constant };
    let mut weights = scoring.start();
    let mut objective = scoring.objective(&weights);
    let mut small_gains = 0;
    for steps in 1..=MAX_STEPS {
        let (gradient, information) = scoring.derivatives(&weights);
        let step = information.clone().cholesky().ok_or(StatsError::Singular)?.solve(&gradient);
        let (next, gained) = scoring.advance(&weights, &step, objective);
        (weights, objective) = (next, objective + gained);
        small_gains = if gained <= SMALL_GAINS.1 { small_gains + 1 } else { 0 };
        if gained <= GAIN * samples.len() as f64 || small_gains == SMALL_GAINS.0 {
            return scoring.finished(weights, steps);
        }
    }
    Err(StatsError::NotConverged { what: "a fit of sigma", iterations: MAX_STEPS })
}

struct Scoring<'a> {
    samples: &'a SigmaSamples,
    link: SigmaLink,
    ridge: f64,
    /// The root mean square of the differences.
    constant: f64,
}

impl Scoring<'_> {
    /// Least squares of the absolute differences, which have the mean `sigma sqrt(2 / pi)`; the same sigma for all where that gives a sigma
    /// that is not above zero, or with the log link.
    fn start(&self) -> Vec<f64> {
        let samples = self.samples;
        let mut weights = vec![0.0; samples.columns()];
        weights[0] = match self.link {
            SigmaLink::Linear => self.constant,
            SigmaLink::Log => self.constant.ln(),
        };
        if self.link == SigmaLink::Linear {
            let scale = (std::f64::consts::PI / 2.0).sqrt();
            let (sums, products) = samples.rows.weighted_sums(|i| (samples.differences[i].abs() * scale, 1.0));
            let squares = (products + self.precision()).cholesky().map(|factor| factor.solve(&sums));
            let follows = |weights: &DVector<f64>| (0..samples.len()).all(|i| self.sigma(i, weights.as_slice()).1);
            if let Some(squares) = squares.filter(follows) {
                return squares.as_slice().to_vec();
            }
        }
        weights
    }

    /// The ridge as a matrix: nothing holds the constant.
    fn precision(&self) -> DMatrix<f64> {
        let mut diagonal = DVector::from_element(self.samples.columns(), self.ridge);
        diagonal[0] = 0.0;
        DMatrix::from_diagonal(&diagonal)
    }

    /// Sigma, and whether it follows from the weights. Where a linear sum falls too low it does not: the likelihood has no bound where the
    /// sum of a sample without any difference may go to zero.
    fn sigma(&self, sample: usize, weights: &[f64]) -> (f64, bool) {
        let sigma = self.link.sigma(self.samples.rows.dot(sample, weights));
        let least = LEAST_SHARE * self.constant;
        if self.link == SigmaLink::Linear && sigma < least { (least, false) } else { (sigma, true) }
    }

    /// The sum of the log-likelihoods, less what the ridge takes.
    fn objective(&self, weights: &[f64]) -> f64 {
        let likelihood = |i| super::log_likelihood(self.samples.differences[i], self.sigma(i, weights).0);
        let held = self.ridge * weights[1..].iter().map(|weight| weight * weight).sum::<f64>() / 2.0;
        self.samples.rows.sum(likelihood) - held
    }

    /// The gradient of the objective, and Fisher's information: minus the mean of its second derivatives.
    fn derivatives(&self, weights: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let (mut gradient, information) = self.samples.rows.weighted_sums(|i| {
            let (sigma, follows) = self.sigma(i, weights);
            if !follows {
                return (0.0, 0.0);
            }
            let square = (self.samples.differences[i] / sigma).powi(2);
            match self.link {
                SigmaLink::Linear => ((square - 1.0) / sigma, 2.0 / (sigma * sigma)),
                SigmaLink::Log => (square - 1.0, 2.0),
            }
        });
        gradient.iter_mut().zip(weights).skip(1).for_each(|(slope, weight)| *slope -= self.ridge * weight);
        (gradient, information + self.precision())
    }

    /// The weights after a step, halved until the objective does not fall, and what it gained.
    fn advance(&self, weights: &[f64], step: &DVector<f64>, objective: f64) -> (Vec<f64>, f64) {
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let next: Vec<f64> = weights.iter().zip(step.iter()).map(|(weight, step)| weight + length * step).collect();
            let reached = self.objective(&next);
            if reached >= objective {
                return (next, reached - objective);
            }
            length /= 2.0;
        }
        (weights.to_vec(), 0.0)
    }

    fn finished(&self, weights: Vec<f64>, steps: usize) -> Result<SigmaFit> {
        let inverse = self.derivatives(&weights).1.cholesky().ok_or(StatsError::Singular)?.inverse();
        let least = LEAST_SHARE * self.constant;
        let mut sigmas = self.samples.sigmas(&weights, self.link, least);
        let rank = (FLOOR_SHARE * sigmas.len() as f64) as usize;
        let (_, percentile, _) = sigmas.select_nth_unstable_by(rank, f64::total_cmp);
        Ok(SigmaFit {
            link: self.link,
            standard_errors: inverse.diagonal().iter().map(|variance| variance.sqrt()).collect(),
            mean_log_likelihood: self.samples.mean_log_likelihood(&weights, self.link, least)?,
            floor: percentile.max(LEAST_FLOOR),
            weights,
            steps,
        })
    }
}

#[cfg(test)]
mod tests;
