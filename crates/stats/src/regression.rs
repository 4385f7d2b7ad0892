//! Logistic regression on many sparse observations: the parameters that make the results most
//! likely (Berkson 1944), by Levenberg-Marquardt damped Newton steps. The errors allow for
//! dependence within clusters of observations (Liang and Zeger 1986).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::error::probability;
use crate::logistic::{logistic, softplus};
use crate::sparse_rows::SparseRows;
use crate::{Result, StatsError};

/// Observations. Each has features (columns with values), an outcome from 0 to 1, and a cluster of
/// dependent observations.
#[derive(Clone, Debug)]
pub struct Observations {
    rows: SparseRows,
    outcomes: Vec<f32>,
    clusters: Vec<u32>,
}

impl Observations {
    /// No observations yet, with features in the columns 0 to `columns - 1`.
    pub fn new(columns: usize) -> Self {
        Self { rows: SparseRows::new(columns), outcomes: Vec::new(), clusters: Vec::new() }
    }

    /// Adds an observation. Those of one cluster must be added consecutively. Refuses an outcome
    /// that is not from 0 to 1, and what [`SparseRows::push`] refuses.
    pub fn push(&mut self, features: &[(u16, f32)], outcome: f32, cluster: u32) -> Result<()> {
        probability("an outcome", outcome.into())?;
        self.rows.push(features)?;
        self.outcomes.push(outcome);
        self.clusters.push(cluster);
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there are no observations.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The features of an observation.
    pub fn features(&self, observation: usize) -> &[(u16, f32)] {
        self.rows.row(observation)
    }

    /// The outcome of an observation.
    pub fn outcome(&self, observation: usize) -> f32 {
        self.outcomes[observation]
    }

    /// The cluster of an observation.
    pub fn cluster(&self, observation: usize) -> u32 {
        self.clusters[observation]
    }

    /// The log-odds of an observation for coefficients, one per column.
    pub fn log_odds(&self, observation: usize, coefficients: &[f64]) -> f64 {
        self.rows.dot(observation, coefficients)
    }

    /// The sum of the losses of each cluster, in nats (`-ln` of the probability of the outcome),
    /// and its number of observations.
    pub fn cluster_losses(&self, coefficients: &[f64]) -> Vec<(f64, usize)> {
        let mut losses: Vec<(f64, usize)> = Vec::new();
        for observation in 0..self.len() {
            if observation == 0 || self.clusters[observation] != self.clusters[observation - 1] {
                losses.push((0.0, 0));
            }
            if let Some((loss, count)) = losses.last_mut() {
                *loss += loss_of(self.log_odds(observation, coefficients), self.outcomes[observation].into());
                *count += 1;
            }
        }
        losses
    }

    /// The mean loss in nats; NaN without observations.
    pub fn mean_loss(&self, coefficients: &[f64]) -> f64 {
        self.loss(coefficients) / self.len() as f64
    }

    fn loss(&self, coefficients: &[f64]) -> f64 {
        self.rows.sum(|i| loss_of(self.log_odds(i, coefficients), self.outcomes[i].into()))
    }

    /// The first and second derivatives of the loss with respect to the coefficients.
    fn derivatives(&self, coefficients: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        self.rows.weighted_sums(|i| {
            let share = logistic(self.log_odds(i, coefficients));
            (share - f64::from(self.outcomes[i]), share * (1.0 - share))
        })
    }

    /// The sum over clusters of the outer product of their gradients with respect to the
    /// parameters.
    fn cluster_products(&self, coefficients: &[f64], jacobian: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
        let parameters = jacobian.ncols();
        let (mut products, mut clusters) = (DMatrix::zeros(parameters, parameters), 0);
        let mut gradient = DVector::zeros(self.rows.columns());
        for i in 0..self.len() {
            let error = logistic(self.log_odds(i, coefficients)) - f64::from(self.outcomes[i]);
            self.features(i).iter().for_each(|&(column, value)| gradient[column as usize] += error * f64::from(value));
            if i + 1 == self.len() || self.clusters[i + 1] != self.clusters[i] {
                let seen = jacobian.tr_mul(&gradient);
                products.ger(1.0, &seen, &seen, 1.0);
                gradient.fill(0.0);
                clusters += 1;
            }
        }
        (products, clusters)
    }
}

fn loss_of(log_odds: f64, outcome: f64) -> f64 {
    softplus(log_odds) - outcome * log_odds
}

/// Steps before a fit gives up.
const MAX_STEPS: usize = 100;
/// A fit ends when a step improves the loss by less than this share.
const GAIN: f64 = 1e-10;

/// Computes the coefficients of the columns from the fitted parameters.
pub trait CoefficientMap: Sync {
    /// A coefficient for each column.
    fn coefficients(&self, parameters: &[f64]) -> Vec<f64>;

    /// The derivatives of the coefficients (rows) by the parameters (columns).
    fn jacobian(&self, parameters: &[f64]) -> DMatrix<f64>;

    /// The name of a parameter, for errors.
    fn name(&self, parameter: usize) -> String {
        format!("parameter {parameter}")
    }
}

/// Each parameter is a coefficient.
#[derive(Clone, Copy, Debug)]
pub struct Identity;

impl CoefficientMap for Identity {
    fn coefficients(&self, parameters: &[f64]) -> Vec<f64> {
        parameters.to_vec()
    }

    fn jacobian(&self, parameters: &[f64]) -> DMatrix<f64> {
        DMatrix::identity(parameters.len(), parameters.len())
    }
}

/// The parameters that make the outcomes most likely.
#[derive(Clone, Debug)]
pub struct RegressionFit {
    /// The parameters.
    pub parameters: Vec<f64>,
    /// Their covariance, robust against dependence within clusters. A fixed parameter has none.
    pub covariance: DMatrix<f64>,
    /// The mean loss in nats.
    pub loss: f64,
    /// How many clusters there were.
    pub clusters: usize,
    /// How many steps were taken.
    pub steps: usize,
}

impl RegressionFit {
    /// The standard error of a parameter; 0 for a fixed one.
    pub fn standard_error(&self, parameter: usize) -> f64 {
        self.covariance[(parameter, parameter)].sqrt()
    }
}

/// A pivot below this share of its diagonal is a rounding error.
const LEAST_PIVOT: f64 = 1e-12;
/// A column takes part in a dependence if it makes up more than this share of the dependent column,
/// in squares.
const LEAST_SHARE: f64 = 1e-12;

/// The Cholesky factor of an information matrix, whose columns have names. Fails with the names of
/// linearly dependent columns.
pub fn cholesky(information: &DMatrix<f64>, name: impl Fn(usize) -> String) -> Result<Cholesky<f64, Dyn>> {
    let diagonal = information.diagonal();
    let factor = Cholesky::new_unchecked(information.clone());
    let lower = factor.l_dirty();
    // A pivot that is not a number fails, too.
    let stands = |&column: &usize| lower[(column, column)].powi(2) > LEAST_PIVOT * diagonal[column];
    let Some(column) = (0..diagonal.len()).find(|column| !stands(column)) else { return Ok(factor) };
    // The factor is valid in the columns before the first pivot that fails, and so is the row of
    // that pivot up to it.
    let mut shares = lower.view((column, 0), (1, column)).transpose();
    lower.view((0, 0), (column, column)).tr_solve_lower_triangular_mut(&mut shares);
    let follows = |&other: &usize| shares[other].powi(2) * diagonal[other] > LEAST_SHARE * diagonal[column];
    Err(StatsError::Dependent { columns: (0..column).filter(follows).chain([column]).map(name).collect() })
}

/// Fits the parameters of a map. `precision` pulls each parameter towards its start, like a normal
/// prior around it: 0 leaves a parameter free, infinity fixes it. Fails without observations, and
/// if they do not determine a parameter.
pub fn fit(
    observations: &Observations,
    map: &impl CoefficientMap,
    start: &[f64],
    precision: &[f64],
) -> Result<RegressionFit> {
    if observations.is_empty() {
        return Err(StatsError::NoGames);
    }
    let free: Vec<usize> = (0..start.len()).filter(|&parameter| precision[parameter].is_finite()).collect();
    let prior = DVector::from_iterator(free.len(), free.iter().map(|&parameter| precision[parameter]));
    let total = |parameters: &[f64]| {
        let held: f64 = free.iter().map(|&i| precision[i] * (parameters[i] - start[i]).powi(2)).sum();
        observations.loss(&map.coefficients(parameters)) + held / 2.0
    };
    let derivatives = |parameters: &[f64]| {
        let (gradient, information) = observations.derivatives(&map.coefficients(parameters));
        let jacobian = map.jacobian(parameters).select_columns(&free);
        let shift = DVector::from_iterator(free.len(), free.iter().map(|&i| precision[i] * (parameters[i] - start[i])));
        let information = jacobian.tr_mul(&(information * &jacobian)) + DMatrix::from_diagonal(&prior);
        (jacobian.tr_mul(&gradient) + shift, information)
    };
    let (mut parameters, mut damping) = (start.to_vec(), 1e-6);
    let mut loss = total(&parameters);
    for steps in 1..=MAX_STEPS {
        let (gradient, information) = derivatives(&parameters);
        let (next, gained) = loop {
            let damped = &information + DMatrix::from_diagonal(&(information.diagonal() * damping));
            let step = cholesky(&damped, |place| map.name(free[place]))?.solve(&gradient);
            let mut next = parameters.clone();
            free.iter().zip(step.iter()).for_each(|(&parameter, step)| next[parameter] -= step);
            let gained = loss - total(&next);
            if gained >= 0.0 {
                damping = f64::max(damping / 10.0, 1e-12);
                break (next, gained);
            }
            damping *= 10.0;
            if damping > 1e9 {
                break (parameters.clone(), 0.0);
            }
        };
        (parameters, loss) = (next, loss - gained);
        if gained <= GAIN * loss {
            return finished(observations, map, parameters, &free, &derivatives, steps);
        }
    }
    Err(StatsError::NotConverged { what: "a logistic regression", iterations: MAX_STEPS })
}

/// The fit of the found parameters. Their covariance is `A^-1 B A^-1`, with the information `A` and
/// the cluster products `B`.
fn finished(
    observations: &Observations,
    map: &impl CoefficientMap,
    parameters: Vec<f64>,
    free: &[usize],
    derivatives: &impl Fn(&[f64]) -> (DVector<f64>, DMatrix<f64>),
    steps: usize,
) -> Result<RegressionFit> {
    let coefficients = map.coefficients(&parameters);
    let jacobian = map.jacobian(&parameters).select_columns(free);
    let (products, clusters) = observations.cluster_products(&coefficients, &jacobian);
    let inverse = cholesky(&derivatives(&parameters).1, |place| map.name(free[place]))?.inverse();
    let correction = clusters as f64 / (clusters.max(2) - 1) as f64;
    let robust = &inverse * products * &inverse * correction;
    let mut covariance = DMatrix::zeros(parameters.len(), parameters.len());
    for (i, &row) in free.iter().enumerate() {
        for (j, &column) in free.iter().enumerate() {
            covariance[(row, column)] = robust[(i, j)];
        }
    }
    Ok(RegressionFit { loss: observations.mean_loss(&coefficients), parameters, covariance, clusters, steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logistic::logistic;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// Games of ten positions each, whose results follow from the coefficients and, with `shock`, a
    /// common shock of the game.
    fn synthetic(truth: &[f64], games: u32, shock: f64, seed: u64) -> Observations {
        let mut random = StdRng::seed_from_u64(seed);
        let mut observations = Observations::new(truth.len());
        for game in 0..games {
            let common = shock * (random.random::<f64>() - 0.5);
            for _ in 0..10 {
                let features: Vec<(u16, f32)> =
                    (0..truth.len() as u16).map(|column| (column, random.random::<f32>() * 2.0 - 1.0)).collect();
                let odds: f64 = features.iter().map(|&(i, x)| truth[usize::from(i)] * f64::from(x)).sum();
                let won = random.random::<f64>() < logistic(odds + common);
                observations.push(&features, if won { 1.0 } else { 0.0 }, game).unwrap();
            }
        }
        observations
    }

    #[test]
    fn known_coefficients_are_found_within_their_errors() {
        let truth = [1.5, -0.7, 0.0, 3.0];
        let fit = fit(&synthetic(&truth, 2000, 0.0, 1), &Identity, &[0.0; 4], &[0.0; 4]).unwrap();
        for (i, known) in truth.iter().enumerate() {
            let error = fit.covariance[(i, i)].sqrt();
            assert!((fit.parameters[i] - known).abs() < 3.5 * error && error < 0.1, "{i}: {fit:?}");
        }
        assert_eq!(fit.clusters, 2000);
    }

    /// A product of two parameters, such as a value and a discount.
    struct Product;

    impl CoefficientMap for Product {
        fn coefficients(&self, parameters: &[f64]) -> Vec<f64> {
            vec![parameters[0], parameters[0] * (1.0 - parameters[1])]
        }

        fn jacobian(&self, parameters: &[f64]) -> DMatrix<f64> {
            DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 1.0 - parameters[1], -parameters[0]])
        }
    }

    #[test]
    fn parameters_behind_a_map_are_found_and_those_of_infinite_precision_stay() {
        let observations = synthetic(&[2.0, 1.8], 3000, 0.0, 2);
        let found = fit(&observations, &Product, &[1.0, 0.0], &[0.0; 2]).unwrap();
        assert!((found.parameters[0] - 2.0).abs() < 0.1 && (found.parameters[1] - 0.1).abs() < 0.05, "{found:?}");
        let held = fit(&observations, &Product, &[1.0, 0.0], &[0.0, f64::INFINITY]).unwrap();
        assert_eq!(held.parameters[1], 0.0);
        assert!(held.loss > found.loss && held.covariance[(1, 1)] == 0.0);
    }

    /// The spread of the estimates over many samples matches the covariance from one, even if each
    /// game has its own shock.
    #[test]
    fn errors_allow_for_dependence_within_clusters() {
        let fits: Vec<_> = (0..60)
            .map(|seed| {
                let mut observations = Observations::new(1);
                let mut random = StdRng::seed_from_u64(seed);
                for game in 0..200 {
                    // Ten positions with the same feature and the same result count as one.
                    let x: f32 = random.random::<f32>() * 2.0 - 1.0;
                    let won = random.random::<f64>() < logistic(f64::from(x));
                    (0..10).for_each(|_| observations.push(&[(0, x)], u8::from(won).into(), game).unwrap());
                }
                let fit = fit(&observations, &Identity, &[0.0], &[0.0]).unwrap();
                (fit.parameters[0], fit.covariance[(0, 0)].sqrt())
            })
            .collect();
        let mean = fits.iter().map(|fit| fit.0).sum::<f64>() / 60.0;
        let spread = (fits.iter().map(|fit| (fit.0 - mean).powi(2)).sum::<f64>() / 59.0).sqrt();
        let foretold = fits.iter().map(|fit| fit.1).sum::<f64>() / 60.0;
        assert!((0.7..1.4).contains(&(spread / foretold)), "{spread} and {foretold}");
        assert!((mean - 1.0).abs() < 4.0 * spread / 60f64.sqrt(), "{mean}");
    }

    #[test]
    fn what_cannot_be_fitted_is_told() {
        let mut observations = Observations::new(2);
        assert!(matches!(fit(&observations, &Identity, &[0.0; 2], &[0.0; 2]), Err(StatsError::NoGames)));
        assert!(observations.push(&[(2, 1.0)], 1.0, 0).is_err());
        assert!(observations.push(&[(1, f32::NAN)], 1.0, 0).is_err());
        assert!(observations.push(&[(1, 1.0)], 1.5, 0).is_err());
        observations.push(&[(0, 1.0)], 1.0, 0).unwrap();
        observations.push(&[(0, -1.0)], 0.5, 1).unwrap();
        let fault = |observations: &Observations| {
            let refused = fit(observations, &Identity, &[0.0; 2], &[0.0; 2]).map(drop).unwrap_err();
            assert!(matches!(refused, StatsError::Dependent { .. }), "{refused}");
            refused.to_string()
        };
        // No observation has a value in the second column, or all have twice that of the first.
        assert_eq!(fault(&observations), "the data say nothing about parameter 1: it has no value but 0");
        let mut twice = Observations::new(2);
        for (number, result) in [(0.1, 1.0), (0.7, 0.0), (-0.3, 1.0), (0.2, 0.0)] {
            twice.push(&[(0, number), (1, 2.0 * number)], result, 0).unwrap();
        }
        assert_eq!(fault(&twice), "parameter 0, parameter 1 depend on each other");
    }
}
