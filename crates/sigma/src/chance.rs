//! Gambling moves (勝負手) choose the best chance instead of the best value.
//!
//! A value with the uncertainty sigma turns out positive with the probability `Phi(value / sigma)`.
//! The side that is behind prefers an uncertain value, the side that is ahead a sure one.

use kiki_stats::binomial::Binomial;
use kiki_stats::error::{number, positive};
use kiki_stats::normal::cdf;
use kiki_stats::tally::some_games;
use kiki_stats::{Result, StatsError};

/// The probability that a value turns out positive, for a sigma above 0.
pub(crate) fn chance(value: f64, sigma: f64) -> Result<f64> {
    number("a value", value)?;
    positive("sigma", sigma)?;
    Ok(cdf(value / sigma))
}

/// A game tree with uncertain leaves. Values are for the side to move at each node (negamax).
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum UncertainTree {
    /// End of a line: a value and its sigma.
    Leaf(f64, f64),
    /// A choice among moves. A player without a move has lost.
    Node(Vec<UncertainTree>),
}

use UncertainTree::{Leaf, Node};

impl UncertainTree {
    /// Value by minimax.
    pub(crate) fn value(&self) -> f64 {
        match self {
            Leaf(value, _) => *value,
            Node(children) => children.iter().map(|child| -child.value()).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Chance by minimax of chances: each player chooses the likeliest move to turn out well.
    pub(crate) fn chance(&self) -> Result<f64> {
        match self {
            Leaf(value, sigma) => chance(*value, *sigma),
            Node(children) => {
                let of_child = |best: f64, child: &Self| Ok(best.max(1.0 - child.chance()?));
                children.iter().try_fold(0.0, of_child)
            }
        }
    }
}

/// Tests whether gains and losses are equally frequent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SignTest {
    /// Difference in standard errors, `(gains - losses) / sqrt(gains + losses)`.
    pub(crate) z: f64,
    /// Probability of a difference at least as great in either direction, by the exact binomial
    /// distribution.
    pub(crate) two_sided: f64,
}

impl SignTest {
    /// Tests the numbers of changes, at least one; unchanged results do not count.
    pub(crate) fn new(gains: u64, losses: u64) -> Result<Self> {
        let changes = gains.saturating_add(losses);
        if changes == 0 {
            return Err(StatsError::NotEstimable { what: "the sign test", reason: "nothing changed" });
        }
        let z = (gains as f64 - losses as f64) / some_games(changes)?.sqrt();
        let tail = Binomial::new(changes, 0.5)?.cdf(gains.min(losses));
        Ok(Self { z, two_sided: (2.0 * tail).min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hope_grows_with_uncertainty_only_for_who_is_behind() {
        assert!(chance(-300.0, 400.0).unwrap() > chance(-200.0, 150.0).unwrap());
        assert!(chance(200.0, 100.0).unwrap() > chance(300.0, 400.0).unwrap());
        assert_eq!(chance(0.0, 10.0), Ok(0.5));
        assert!(chance(1.0, 0.0).is_err() && chance(f64::NAN, 1.0).is_err());
    }

    #[test]
    fn a_player_without_a_move_has_no_chance() {
        assert_eq!((Node(vec![]).chance(), Node(vec![]).value()), (Ok(0.0), f64::NEG_INFINITY));
        assert_eq!(Node(vec![Node(vec![])]).chance(), Ok(1.0));
        assert!(Node(vec![Leaf(1.0, -1.0)]).chance().is_err());
    }

    #[test]
    fn a_sign_test_of_equal_numbers_says_nothing() {
        assert_eq!(SignTest::new(7, 7), Ok(SignTest { z: 0.0, two_sided: 1.0 }));
        // 0 of 5: 2 / 32.
        assert!((SignTest::new(5, 0).unwrap().two_sided - 0.0625).abs() < 1e-15);
        assert_eq!(SignTest::new(5, 0).unwrap().two_sided, SignTest::new(0, 5).unwrap().two_sided);
        assert!(SignTest::new(0, 0).is_err());
        for huge in [u64::MAX, 9_000_000_000_000_000_000] {
            assert!(matches!(SignTest::new(huge, huge), Err(StatsError::OutOfDomain { .. })));
        }
    }
}
