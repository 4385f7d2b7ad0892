//! Alpha-beta on small trees whose values and numbers of visited leaves are known: the principle that the search stands on, with the
//! same [`Window`] that the search uses.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::node::Window;
use crate::value::{INFINITE, Value};

/// A game tree: values at the leaves, for the player to move there.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(Value),
    Node(Vec<Tree>),
}

use Tree::{Leaf, Node};

fn minimax(tree: &Tree) -> Value {
    match tree {
        Leaf(value) => *value,
        Node(children) => children.iter().map(|child| -minimax(child)).max().unwrap_or(-INFINITE),
    }
}

/// Fail-soft alpha-beta; the leaves that it looks at are added to `visited`.
fn alphabeta(tree: &Tree, window: Window, visited: &mut Vec<Value>) -> Value {
    let children = match tree {
        Leaf(value) => {
            visited.push(*value);
            return *value;
        }
        Node(children) => children,
    };
    let mut best = -INFINITE;
    for child in children {
        let alpha = window.alpha.max(best);
        best = best.max(-alphabeta(child, Window { alpha, beta: window.beta }.turned(), visited));
        if best >= window.beta {
            break;
        }
    }
    best
}

const OPEN: Window = Window { alpha: -INFINITE, beta: INFINITE };

/// The tree of the articles, three plies; its leaves are values for the maximising player, who does not move there.
fn article_tree(reversed: bool) -> Tree {
    let leaves = [[[500, -200], [700, 100]], [[200, -100], [300, 400]]];
    let order = |mut children: Vec<Tree>| {
        if reversed {
            children.reverse();
        }
        Node(children)
    };
    let pair = |pair: [Value; 2]| order(pair.iter().map(|&value| Leaf(-value)).collect());
    order(leaves.iter().map(|half| order(half.iter().map(|&two| pair(two)).collect())).collect())
}

fn random_tree(random: &mut StdRng, branching: usize, depth: usize) -> Tree {
    if depth == 0 {
        return Leaf(random.random_range(-1_000_000..1_000_000) % INFINITE);
    }
    Node((0..branching).map(|_| random_tree(random, branching, depth - 1)).collect())
}

/// Puts the best child first everywhere.
fn sort(tree: &mut Tree) {
    if let Node(children) = tree {
        children.iter_mut().for_each(sort);
        children.sort_by_key(minimax);
    }
}

fn shuffle(tree: &mut Tree, random: &mut StdRng) {
    if let Node(children) = tree {
        children.iter_mut().for_each(|child| shuffle(child, random));
        children.shuffle(random);
    }
}

#[test]
fn the_tree_of_the_articles_needs_five_leaves_in_good_order_and_all_eight_in_bad() {
    let mut visited = Vec::new();
    assert_eq!(alphabeta(&article_tree(false), OPEN, &mut visited), 500);
    assert_eq!(visited.iter().map(|value| -value).collect::<Vec<_>>(), [500, -200, 700, 200, -100]);
    visited.clear();
    assert_eq!(alphabeta(&article_tree(true), OPEN, &mut visited), 500);
    assert_eq!(visited.len(), 8);
}

#[test]
fn alpha_beta_finds_the_minimax_value_in_any_order_and_bounds_outside_its_window() {
    let mut random = StdRng::seed_from_u64(14);
    for _ in 0..300 {
        let (branching, depth) = (random.random_range(1..5), random.random_range(0..6));
        let mut tree = random_tree(&mut random, branching, depth);
        let value = minimax(&tree);
        for _ in 0..4 {
            shuffle(&mut tree, &mut random);
            assert_eq!(alphabeta(&tree, OPEN, &mut Vec::new()), value);
            let alpha = random.random_range(-INFINITE..INFINITE);
            let answer = alphabeta(&tree, Window::null(alpha), &mut Vec::new());
            assert!(if value > alpha { answer > alpha && answer <= value } else { answer <= alpha && answer >= value });
        }
    }
}

#[test]
fn perfect_order_visits_the_minimal_number_of_leaves() {
    let mut random = StdRng::seed_from_u64(15);
    for depth in 0..8_u32 {
        let mut tree = random_tree(&mut random, 3, depth as usize);
        sort(&mut tree);
        let mut visited = Vec::new();
        alphabeta(&tree, OPEN, &mut visited);
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
            alphabeta(&random_tree(&mut random, 3, depth), OPEN, &mut visited);
        }
        let found = visited.len() as f64 / 1000.0;
        // Both figures are samples: four standard errors of their difference.
        assert!((found - mean).abs() < 4.0 * 1.5 * error, "depth {depth}: {found}");
    }
}
