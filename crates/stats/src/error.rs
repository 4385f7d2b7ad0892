//! Errors: why a number cannot be computed.

use std::fmt;

/// Why something cannot be computed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum StatsError {
    /// There are no games.
    #[error("there are no games")]
    NoGames,
    /// Points and games that no match can give.
    #[error("{} points of {} games are no score", Shown(*.points), Shown(*.games))]
    InvalidScore {
        /// The points.
        points: f64,
        /// The games.
        games: f64,
    },
    /// A parameter lies outside its domain.
    #[error("{what} is {}, but must be {domain}", Shown(*.value))]
    OutOfDomain {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        domain: &'static str,
    },
    /// The data do not determine a quantity.
    #[error("{what} cannot be estimated: {reason}")]
    NotEstimable {
        /// The quantity.
        what: &'static str,
        /// What is missing.
        reason: &'static str,
    },
    /// An iteration did not settle.
    #[error("{what} did not converge in {iterations} iterations")]
    NotConverged {
        /// What was computed.
        what: &'static str,
        /// The number of iterations before it gave up.
        iterations: usize,
    },
    /// A computation would take too long; its method is meant for smaller inputs.
    #[error("{what} would take too long; {advice}")]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// A player without a rating in this fit.
    #[error("player {player} is not rated in this table")]
    NotRated {
        /// The player.
        player: usize,
    },
    /// The information matrix of players is not positive definite: they are not one rateable
    /// component.
    #[error("the information matrix is not positive definite; the players are not one component")]
    Singular,
    /// Some columns of a table are linearly dependent, or one is always 0: their weights are
    /// undetermined.
    #[error("{}", dependence(.columns))]
    Dependent {
        /// Their names.
        columns: Vec<String>,
    },
}

fn dependence(columns: &[String]) -> String {
    match columns {
        [one] => format!("the data say nothing about {one}: it has no value but 0"),
        _ => format!("{} depend on each other", columns.join(", ")),
    }
}

/// A number in an error, with an exponent if it would otherwise have many zeros.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-6..1e15).contains(&size) || !size.is_finite() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// The result of a computation that may be impossible.
pub type Result<T> = std::result::Result<T, StatsError>;

/// Returns a finite value inside `domain`, or an error that says what is wrong with it.
pub fn check(what: &'static str, value: f64, allowed: impl Fn(f64) -> bool, domain: &'static str) -> Result<f64> {
    if value.is_finite() && allowed(value) { Ok(value) } else { Err(StatsError::OutOfDomain { what, value, domain }) }
}

/// A number whose products with similar ones stay finite.
pub fn number(what: &'static str, value: f64) -> Result<f64> {
    check(what, value, |value| value.abs() <= 1e50, "from -1e50 to 1e50")
}

/// The same, above 0.
pub fn positive(what: &'static str, value: f64) -> Result<f64> {
    check(what, value, |value| (1e-50..=1e50).contains(&value), "from 1e-50 to 1e50")
}

/// A probability strictly between 0 and 1, such as a confidence level.
pub fn open_probability(what: &'static str, value: f64) -> Result<f64> {
    check(what, value, |value| value > 0.0 && value < 1.0, "between 0 and 1, both excluded")
}

/// A probability.
pub fn probability(what: &'static str, value: f64) -> Result<f64> {
    check(what, value, |value| (0.0..=1.0).contains(&value), "between 0 and 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_numbers_are_told_briefly() {
        for (value, shown) in [
            (0.0, "0"),
            (-2.5, "-2.5"),
            (1e308, "1e308"),
            (3e-300, "3e-300"),
            (f64::NEG_INFINITY, "-inf"),
            (1e12, "1000000000000"),
        ] {
            let error = check("a number", value, |_| false, "another");
            assert_eq!(error.unwrap_err().to_string(), format!("a number is {shown}, but must be another"));
        }
    }
}
