//! Sparse observations, their loss under coefficients and its derivatives.

use nalgebra::{DMatrix, DVector};

use crate::Result;
use crate::error::probability;
use crate::logistic::{logistic, softplus};
use crate::sparse_rows::SparseRows;

/// Observations: each has features (a column and a value), an outcome from 0 to 1, and a cluster of observations that hang together.
#[derive(Clone, Debug)]
pub struct Observations {
    rows: SparseRows,
    outcomes: Vec<f32>,
    clusters: Vec<u32>,
}

impl Observations {
    /// None yet, with features in the columns 0 to `columns - 1`.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self { rows: SparseRows::new(columns), outcomes: Vec::new(), clusters: Vec::new() }
    }

    /// Adds one. Observations of a cluster are added one after the other.
    ///
    /// # Errors
    /// An outcome that is none, a column that is not there, a value that is not finite.
    pub fn push(&mut self, features: &[(u16, f32)], outcome: f32, cluster: u32) -> Result<()> {
        probability("an outcome", outcome.into())?;
        self.rows.push(features)?;
        self.outcomes.push(outcome);
        self.clusters.push(cluster);
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The features of an observation.
    #[must_use]
    pub fn features(&self, observation: usize) -> &[(u16, f32)] {
        self.rows.row(observation)
    }

    /// The outcome of an observation.
    #[must_use]
    pub fn outcome(&self, observation: usize) -> f32 {
        self.outcomes[observation]
    }

    /// The cluster of an observation.
    #[must_use]
    pub fn cluster(&self, observation: usize) -> u32 {
        self.clusters[observation]
    }

    /// The log-odds of an observation under coefficients, one for each column.
    #[must_use]
    pub fn log_odds(&self, observation: usize, coefficients: &[f64]) -> f64 {
        self.rows.dot(observation, coefficients)
    }

    /// The sum of the losses of each cluster, in nats (`-ln` of the probability of the outcome), and its number of observations.
    #[must_use]
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
    #[must_use]
    pub fn mean_loss(&self, coefficients: &[f64]) -> f64 {
        self.loss(coefficients) / self.len() as f64
    }

    pub(super) fn loss(&self, coefficients: &[f64]) -> f64 {
        self.rows.sum(|i| loss_of(self.log_odds(i, coefficients), self.outcomes[i].into()))
    }

    /// The first and second derivatives of the loss by the coefficients.
    pub(super) fn derivatives(&self, coefficients: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        self.rows.weighted_sums(|i| {
            let share = logistic(self.log_odds(i, coefficients));
            (share - f64::from(self.outcomes[i]), share * (1.0 - share))
        })
    }

    /// The sum over the clusters of the outer product of their gradients, as seen by the parameters.
    pub(super) fn cluster_products(&self, coefficients: &[f64], jacobian: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
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
