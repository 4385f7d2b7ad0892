//! Rows of a design matrix with few nonzero columns, such as features of positions.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::Result;
use crate::error::check;

/// Number of parts of a sum, whatever the number of threads, so that the result does not depend on
/// it.
const PARTS: usize = 32;
/// Parts for matrices of many columns: fewer, because each part has its own matrix.
const MATRIX_PARTS: usize = 4;
const MANY_COLUMNS: usize = 100;

/// Rows of features: a column and a value each.
#[derive(Clone, Debug)]
pub struct SparseRows {
    columns: usize,
    /// Where each row ends.
    ends: Vec<usize>,
    features: Vec<(u16, f32)>,
}

impl SparseRows {
    /// No rows yet, with features in the columns 0 to `columns - 1`.
    pub fn new(columns: usize) -> Self {
        Self { columns, ends: Vec::new(), features: Vec::new() }
    }

    /// Adds a row. The values of a repeated column are added. A row with an unknown column or a
    /// value that is not finite is refused.
    pub fn push(&mut self, features: &[(u16, f32)]) -> Result<()> {
        for &(column, value) in features {
            check("a column", column.into(), |column| column < self.columns as f64, "one of the columns")?;
            check("a feature", value.into(), |_| true, "a number")?;
        }
        self.features.extend_from_slice(features);
        self.ends.push(self.features.len());
        Ok(())
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The entries `(column, value)` of a row.
    pub fn row(&self, index: usize) -> &[(u16, f32)] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.features[start..self.ends[index]]
    }

    /// The sum of the features of a row, each times the coefficient of its column.
    pub fn dot(&self, index: usize, coefficients: &[f64]) -> f64 {
        dot(self.row(index), coefficients)
    }

    /// The sum of a number for each row.
    pub fn sum(&self, number: impl Fn(usize) -> f64 + Sync) -> f64 {
        let part = |range: Range<usize>| -> f64 { range.map(&number).sum() };
        self.parts(PARTS).map(part).collect::<Vec<f64>>().iter().sum()
    }

    /// The sums over the rows x of `slope x` and of `weight x x'`: a gradient and an information
    /// matrix. `slope_and_weight` gives both for the index of a row.
    pub fn weighted_sums(&self, slope_and_weight: impl Fn(usize) -> (f64, f64) + Sync) -> (DVector<f64>, DMatrix<f64>) {
        let part = |range: Range<usize>| {
            let mut gradient = DVector::zeros(self.columns);
            let mut information = DMatrix::zeros(self.columns, self.columns);
            for index in range {
                let (slope, weight) = slope_and_weight(index);
                let features = self.row(index);
                for &(column, value) in features {
                    gradient[column as usize] += slope * f64::from(value);
                    let weighted = weight * f64::from(value);
                    for &(row, other) in features {
                        information[(row as usize, column as usize)] += weighted * f64::from(other);
                    }
                }
            }
            (gradient, information)
        };
        let parts = if self.columns < MANY_COLUMNS { PARTS } else { MATRIX_PARTS };
        let parts: Vec<_> = self.parts(parts).map(part).collect();
        let zero = (DVector::zeros(self.columns), DMatrix::zeros(self.columns, self.columns));
        parts.into_iter().fold(zero, |(g, h), (gradient, information)| (g + gradient, h + information))
    }

    fn parts(&self, parts: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let (len, size) = (self.count(), self.count().div_ceil(parts).max(1));
        (0..parts).into_par_iter().map(move |part| (part * size).min(len)..((part + 1) * size).min(len))
    }
}

/// The sum of features, each times the coefficient of its column.
pub fn dot(features: &[(u16, f32)], coefficients: &[f64]) -> f64 {
    features.iter().map(|&(column, value)| coefficients[usize::from(column)] * f64::from(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_full_matrix() {
        let mut rows = SparseRows::new(3);
        for features in [&[(0, 1.0), (2, 2.0)][..], &[(1, -1.0)], &[]] {
            rows.push(features).unwrap();
        }
        let (gradient, information) = rows.weighted_sums(|index| (index as f64 + 1.0, 10.0));
        assert_eq!(gradient.as_slice(), [1.0, -2.0, 2.0]);
        assert_eq!(information, DMatrix::from_row_slice(3, 3, &[10.0, 0.0, 20.0, 0.0, 10.0, 0.0, 20.0, 0.0, 40.0]));
        assert_eq!(rows.sum(|index| rows.dot(index, &[1.0, 2.0, 3.0])), 5.0);
    }

    #[test]
    fn a_row_that_is_refused_leaves_nothing() {
        let mut rows = SparseRows::new(1);
        assert!(rows.push(&[(0, 1.0), (1, 1.0)]).is_err() && rows.push(&[(0, f32::NAN)]).is_err());
        assert_eq!((rows.count(), rows.columns()), (0, 1));
        rows.push(&[(0, 3.0)]).unwrap();
        assert_eq!(rows.row(0), [(0, 3.0)]);
    }
}
