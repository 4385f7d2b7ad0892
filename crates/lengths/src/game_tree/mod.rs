//! Minimax and alpha-beta on explicit game trees, counting the leaves that are looked at: what alpha-beta saves, and how much of it
//! depends on the order of moves (Knuth and Moore 1975).

mod counts;

pub use counts::{MeanLeaves, TreeShape};

/// A game tree. Values are for the player who is to move at the node in question (negamax).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameTree {
    /// The end of a line.
    Leaf(i32),
    /// A choice among moves. Without any the player has lost: `-i32::MAX`.
    Node(Vec<GameTree>),
}

use GameTree::{Leaf, Node};

impl GameTree {
    /// The value by minimax.
    #[must_use]
    pub fn minimax(&self) -> i32 {
        match self {
            Leaf(value) => *value,
            Node(children) => children.iter().map(|child| -child.minimax()).max().unwrap_or(-i32::MAX),
        }
    }

    /// The value by alpha-beta within `alpha < beta`, fail-soft: exact inside the window, a bound outside it. The leaves that are
    /// looked at are added to `visited` in order. Neither bound may be `i32::MIN`.
    ///
    /// ```
    /// use kiki_lengths::game_tree::GameTree::{Leaf, Node};
    ///
    /// let tree = Node(vec![Node(vec![Leaf(3), Leaf(5)]), Node(vec![Leaf(2), Leaf(9)])]);
    /// let mut visited = Vec::new();
    /// assert_eq!(tree.alpha_beta(-i32::MAX, i32::MAX, &mut visited), 3);
    /// assert_eq!(visited, [3, 5, 2]);
    /// ```
    pub fn alpha_beta(&self, alpha: i32, beta: i32, visited: &mut Vec<i32>) -> i32 {
        let children = match self {
            Leaf(value) => {
                visited.push(*value);
                return *value;
            }
            Node(children) => children,
        };
        let mut best = -i32::MAX;
        for child in children {
            best = best.max(-child.alpha_beta(-beta, -alpha.max(best), visited));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Puts the best child first everywhere.
    pub fn sort_best_first(&mut self) {
        if let Node(children) = self {
            children.iter_mut().for_each(GameTree::sort_best_first);
            children.sort_by_key(GameTree::minimax);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    const MOST: i32 = i32::MAX;

    /// The tree of the articles, three plies; its leaves are values for the maximising player, who does not move there.
    fn article_tree(reversed: bool) -> GameTree {
        let leaves = [[[500, -200], [700, 100]], [[200, -100], [300, 400]]];
        let order = |mut children: Vec<GameTree>| {
            if reversed {
                children.reverse();
            }
            Node(children)
        };
        let pair = |pair: [i32; 2]| order(pair.iter().map(|&value| Leaf(-value)).collect());
        order(leaves.iter().map(|half| order(half.iter().map(|&two| pair(two)).collect())).collect())
    }

    fn random_tree(random: &mut StdRng, branching: usize, depth: usize) -> GameTree {
        if depth == 0 {
            return Leaf(random.random_range(-30_000..30_000));
        }
        Node((0..branching).map(|_| random_tree(random, branching, depth - 1)).collect())
    }

    fn shuffle(tree: &mut GameTree, random: &mut StdRng) {
        if let Node(children) = tree {
            children.iter_mut().for_each(|child| shuffle(child, random));
            children.shuffle(random);
        }
    }

    #[test]
    fn the_tree_of_the_articles_needs_five_leaves_in_good_order_and_all_eight_in_bad() {
        let mut visited = Vec::new();
        assert_eq!(article_tree(false).alpha_beta(-MOST, MOST, &mut visited), 500);
        assert_eq!(visited.iter().map(|value| -value).collect::<Vec<_>>(), [500, -200, 700, 200, -100]);
        visited.clear();
        assert_eq!(article_tree(true).alpha_beta(-MOST, MOST, &mut visited), 500);
        assert_eq!(visited.len(), 8);
    }

    #[test]
    fn alpha_beta_finds_the_minimax_value_in_any_order_and_bounds_outside_its_window() {
        let mut random = StdRng::seed_from_u64(14);
        for _ in 0..300 {
            let (branching, depth) = (random.random_range(1..5), random.random_range(0..6));
            let mut tree = random_tree(&mut random, branching, depth);
            let value = tree.minimax();
            for _ in 0..4 {
                shuffle(&mut tree, &mut random);
                assert_eq!(tree.alpha_beta(-MOST, MOST, &mut Vec::new()), value);
                let alpha = random.random_range(-30_000..30_000);
                let answer = tree.alpha_beta(alpha, alpha + 1, &mut Vec::new());
                assert!(if value > alpha {
                    answer > alpha && answer <= value
                } else {
                    answer <= alpha && answer >= value
                });
            }
        }
    }

    #[test]
    fn perfect_order_visits_the_minimal_number_of_leaves() {
        let mut random = StdRng::seed_from_u64(15);
        for depth in 0..8_u32 {
            let mut tree = random_tree(&mut random, 3, depth as usize);
            tree.sort_best_first();
            let mut visited = Vec::new();
            tree.alpha_beta(-MOST, MOST, &mut visited);
            // b^ceil(d/2) + b^floor(d/2) - 1 (Knuth and Moore 1975).
            let minimal = 3_usize.pow(depth.div_ceil(2)) + 3_usize.pow(depth / 2) - 1;
            assert_eq!(visited.len(), minimal, "depth {depth}");
        }
    }

    #[test]
    fn random_order_visits_the_known_mean_number_of_leaves() {
        // Mean over 1,000 trees with three branches and independent uniform leaves, with its standard error.
        for (depth, mean, error) in [(2, 7.47, 0.04), (4, 45.23, 0.28), (6, 248.73, 1.59)] {
            let mut random = StdRng::seed_from_u64(16);
            let mut visited = Vec::new();
            for _ in 0..1000 {
                random_tree(&mut random, 3, depth).alpha_beta(-MOST, MOST, &mut visited);
            }
            let found = visited.len() as f64 / 1000.0;
            // Both figures are samples: four standard errors of their difference.
            assert!((found - mean).abs() < 4.0 * 1.5 * error, "depth {depth}: {found}");
        }
    }
}
