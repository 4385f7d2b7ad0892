//! The chi-square test of two candidates.

use std::cmp::Ordering;

use kiki_stats::normal;

use super::candidate::CandidateRecord;

/// What the chi-square rule says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChiSquare {
    /// Pearson's statistic of the two-by-two table, without continuity correction; 0 if a row or column is empty.
    pub statistic: f64,
    /// The probability that A is the better one.
    pub a_better: f64,
}

/// Pearson's chi-square test of the two-by-two table of wins and losses (1900), read as a probability: with c the distribution function
/// of one degree of freedom at the statistic, the candidate with the better ratio has (1 + c) / 2. One half if a row or column is empty.
#[must_use]
pub fn chi_square(a: &CandidateRecord, b: &CandidateRecord) -> ChiSquare {
    let (statistic, better) = signed_statistic(a, b);
    let root = statistic.sqrt();
    let a_better = match better {
        Ordering::Greater => normal::cdf(root),
        Ordering::Less => normal::cdf(-root),
        Ordering::Equal => 0.5,
    };
    ChiSquare { statistic, a_better }
}

/// The statistic and which candidate has the better ratio, compared by products so that nothing is divided by zero.
pub(super) fn signed_statistic(a: &CandidateRecord, b: &CandidateRecord) -> (f64, Ordering) {
    let total = a.games() + b.games();
    let (wins, losses) = (a.wins() + b.wins(), a.losses() + b.losses());
    if a.games() == 0.0 || b.games() == 0.0 || wins == 0.0 || losses == 0.0 {
        return (0.0, Ordering::Equal);
    }
    // The sum of (observed - expected)^2 / expected over the four cells, simplified; the rows and columns are divided one by one lest
    // the product of four margins overflow.
    let cross = a.wins() * b.losses() - b.wins() * a.losses();
    let statistic = cross / a.games() * (cross / b.games()) * total / wins / losses;
    (statistic, cross.partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_row_or_column_says_nothing() {
        let candidate = |wins, losses| CandidateRecord::new(wins, losses).unwrap();
        for (a, b) in [((0.0, 0.0), (5.0, 3.0)), ((3.0, 0.0), (5.0, 0.0)), ((0.0, 2.0), (0.0, 9.0))] {
            let verdict = chi_square(&candidate(a.0, a.1), &candidate(b.0, b.1));
            assert_eq!(verdict, ChiSquare { statistic: 0.0, a_better: 0.5 });
        }
    }

    #[test]
    fn the_simplified_statistic_is_the_sum_over_cells() {
        let (a, b) = ([37.0, 21.0], [40.5, 44.5]);
        let total: f64 = a.iter().chain(&b).sum();
        let mut sum = 0.0;
        for row in [a, b] {
            for column in 0..2 {
                let expected = (row[0] + row[1]) * (a[column] + b[column]) / total;
                sum += (row[column] - expected).powi(2) / expected;
            }
        }
        let verdict =
            chi_square(&CandidateRecord::new(a[0], a[1]).unwrap(), &CandidateRecord::new(b[0], b[1]).unwrap());
        assert!((verdict.statistic - sum).abs() < 1e-12);
    }
}
