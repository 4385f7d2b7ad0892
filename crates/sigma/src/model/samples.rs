//! Positions by their features, with the error of their shallow value.

use super::{SigmaLink, log_likelihood};
use kiki_stats::error::check;
use kiki_stats::sparse_rows::SparseRows;
use kiki_stats::{Result, StatsError};

/// Samples: each has features (a column and a value), and the difference between a deep and a shallow value. Column 0 is the constant, which
/// each sample has with the value 1.
#[derive(Clone, Debug)]
pub struct SigmaSamples {
    pub(super) rows: SparseRows,
    pub(super) differences: Vec<f64>,
}

impl SigmaSamples {
    /// None yet, with features in the columns 1 to `columns - 1`.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self { rows: SparseRows::new(columns.max(1)), differences: Vec::new() }
    }

    /// Adds one.
    ///
    /// # Errors
    /// A difference or a value that is not finite, a column that is not there or is that of the constant.
    pub fn push(&mut self, features: &[(u16, f32)], difference: f64) -> Result<()> {
        check("a difference", difference, |_| true, "a number")?;
        for &(column, _) in features {
            check("a column", column.into(), |column| column >= 1.0, "1 or more: 0 is the constant")?;
        }
        let row: Vec<(u16, f32)> = std::iter::once((0, 1.0)).chain(features.iter().copied()).collect();
        self.rows.push(&row)?;
        self.differences.push(difference);
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.differences.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// How many columns there are, with that of the constant.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.rows.columns()
    }

    /// The differences.
    #[must_use]
    pub fn differences(&self) -> &[f64] {
        &self.differences
    }

    /// The features of a sample, the constant first.
    #[must_use]
    pub fn features(&self, sample: usize) -> &[(u16, f32)] {
        self.rows.row(sample)
    }

    /// The sigma of each sample under weights, one for each column, but at least `floor`.
    #[must_use]
    pub fn sigmas(&self, weights: &[f64], link: SigmaLink, floor: f64) -> Vec<f64> {
        (0..self.len()).map(|sample| link.sigma(self.rows.dot(sample, weights)).max(floor)).collect()
    }

    /// The mean log-likelihood of the differences under weights.
    ///
    /// # Errors
    /// Without samples, and where a sigma is not above zero.
    pub fn mean_log_likelihood(&self, weights: &[f64], link: SigmaLink, floor: f64) -> Result<f64> {
        if self.is_empty() {
            return Err(StatsError::NoGames);
        }
        let sigma = |sample| link.sigma(self.rows.dot(sample, weights)).max(floor);
        let sum = self.rows.sum(|sample| log_likelihood(self.differences[sample], sigma(sample)));
        check("a sigma", sum, |_| true, "above 0 everywhere")?;
        Ok(sum / self.len() as f64)
    }
}
