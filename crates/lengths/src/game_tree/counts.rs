//! How many leaves alpha-beta looks at, by the order of moves.

use rand::{Rng, RngExt as _};
use rayon::prelude::*;

use kiki_stats::error::check;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

/// A uniform tree: every node that is no leaf has as many moves, and every leaf lies as deep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeShape {
    /// The moves of a node.
    branching: u32,
    /// The plies from the root to the leaves.
    depth: u32,
}

/// All trees of a simulation together have no more leaves; alpha-beta looks at a part of them.
const MOST_LEAVES: f64 = 2e8;

/// The mean of a simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeanLeaves {
    /// The mean number of leaves.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl TreeShape {
    /// # Errors
    /// If a node has no move, or there are more leaves than `u128` counts.
    pub fn new(branching: u32, depth: u32) -> Result<Self> {
        check("the number of moves", f64::from(branching), |moves| moves >= 1.0, "1 or more")?;
        if u128::from(branching).checked_pow(depth).is_none() {
            return Err(StatsError::TooLarge { what: "the number of leaves", advice: "take fewer moves or plies" });
        }
        Ok(Self { branching, depth })
    }

    /// The leaves of the whole tree, b^d: what minimax looks at, and alpha-beta too where the worst move always comes first.
    #[must_use]
    pub fn all_leaves(&self) -> u128 {
        self.power(self.depth)
    }

    /// The leaves that alpha-beta looks at where the best move always comes first, b^ceil(d/2) + b^floor(d/2) - 1 (Knuth and Moore 1975).
    #[must_use]
    pub fn least_leaves(&self) -> u128 {
        self.power(self.depth.div_ceil(2)) + self.power(self.depth / 2) - 1
    }

    /// 2 b^(d/2), the rule of thumb for the same.
    #[must_use]
    pub fn rule_of_thumb(&self) -> f64 {
        2.0 * f64::from(self.branching).powf(f64::from(self.depth) / 2.0)
    }

    fn power(&self, plies: u32) -> u128 {
        u128::from(self.branching).pow(plies)
    }

    /// The mean over trees whose leaves have independent values, uniform between 0 and 1, so that the order of moves is random. A leaf gets its
    /// value when it is looked at. Each tree has a random stream of its own.
    ///
    /// # Errors
    /// For fewer than two trees or more than a million, or if all trees together have more than 200 million leaves.
    pub fn random_order(&self, trees: u32, seed: u64) -> Result<MeanLeaves> {
        check("the number of trees", f64::from(trees), |trees| (2.0..=1e6).contains(&trees), "from 2 to 1,000,000")?;
        if f64::from(trees) * self.all_leaves() as f64 > MOST_LEAVES {
            return Err(StatsError::TooLarge {
                what: "the search of a tree",
                advice: "take fewer trees, moves or plies",
            });
        }
        let leaves = |tree: u32| {
            let mut visit = Visit { shape: *self, random: stream(seed, u64::from(tree)), leaves: 0 };
            visit.value(self.depth, f64::NEG_INFINITY, f64::INFINITY);
            visit.leaves as f64
        };
        let leaves: Vec<f64> = (0..trees).into_par_iter().map(leaves).collect();
        let count = f64::from(trees);
        let mean = leaves.iter().sum::<f64>() / count;
        let squares: f64 = leaves.iter().map(|leaves| (leaves - mean).powi(2)).sum();
        Ok(MeanLeaves { mean, standard_error: (squares / (count - 1.0) / count).sqrt() })
    }
}

/// An alpha-beta search of a tree that grows as it is looked at.
struct Visit<R> {
    shape: TreeShape,
    random: R,
    leaves: u64,
}

impl<R: Rng> Visit<R> {
    /// The value for the side to move (negamax), fail-soft.
    fn value(&mut self, depth: u32, alpha: f64, beta: f64) -> f64 {
        if depth == 0 {
            self.leaves += 1;
            return self.random.random();
        }
        let mut best = f64::NEG_INFINITY;
        for _ in 0..self.shape.branching {
            best = best.max(-self.value(depth - 1, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_decides_between_the_least_and_all_leaves() {
        for (branching, depth) in [(1, 9), (2, 7), (3, 0), (3, 1), (3, 6), (40, 3)] {
            let shape = TreeShape::new(branching, depth).unwrap();
            let random = shape.random_order(300, 1).unwrap();
            assert!(
                random.mean >= shape.least_leaves() as f64 && random.mean <= shape.all_leaves() as f64,
                "{shape:?}"
            );
        }
        // Nothing can be left out of a single ply.
        let one = TreeShape::new(5, 1).unwrap().random_order(10, 1).unwrap();
        assert_eq!((one.mean, one.standard_error), (5.0, 0.0));
    }

    #[test]
    fn the_mean_does_not_depend_on_the_number_of_threads() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| TreeShape::new(3, 5).unwrap().random_order(200, 4).unwrap())
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn trees_beyond_counting_are_refused() {
        assert!(TreeShape::new(0, 3).is_err() && TreeShape::new(80, 40).is_err());
        let large = TreeShape::new(80, 12).unwrap();
        assert_eq!(large.least_leaves(), 2 * 80_u128.pow(6) - 1);
        assert!(TreeShape::new(3, 3).unwrap().random_order(u32::MAX, 1).is_err());
        assert!(large.random_order(10, 1).is_err() && TreeShape::new(3, 3).unwrap().random_order(1, 1).is_err());
    }
}
