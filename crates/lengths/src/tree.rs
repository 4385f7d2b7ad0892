//! `kiki-lab tree`: how many leaves alpha-beta looks at.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::ensure_usage;
use kiki_run::output::{print_json, table};
use kiki_run::say;
use kiki_stats::error::check;
use kiki_stats::numeric::{mean, variance};
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};
use rand::{Rng, RngExt as _};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Examples:
  kiki-lab tree --moves 3 --depth 20 --plot tree.svg
  kiki-lab tree --moves 3 --depth 20 --trees 20 --largest 4e9
  kiki-lab tree --values '[[[500,-200],[700,100]],[[200,-100],[300,400]]]'

Best order: alpha-beta looks at b^ceil(d/2) + b^floor(d/2) - 1 leaves, about 2 b^(d/2); worst order: at all b^d.";

/// How many leaves of a game tree alpha-beta looks at: best, random and worst order of moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct TreeArgs {
    /// Look at one tree instead: nested lists of values for the player at the root
    #[arg(long, value_name = "JSON", conflicts_with_all = ["moves", "depth", "trees", "largest", "seed", "plot"])]
    values: Option<String>,
    /// The moves of a node; in shogi some 80
    #[arg(long, value_name = "B", default_value_t = 3)]
    moves: u32,
    /// The greatest depth in plies
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: u32,
    /// Trees with random values for the random order
    #[arg(long, value_name = "N", default_value_t = 1000)]
    trees: u32,
    /// Search trees in random order up to this number of leaves; alpha-beta looks at a small part
    /// of a large tree
    #[arg(long, value_name = "LEAVES", default_value_t = 100_000.0)]
    largest: f64,
    /// The seed of the random values
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the numbers over the depth (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

struct TreeRow {
    depth: u32,
    shape: TreeShape,
    random: Option<MeanLeaves>,
}

pub fn run(arguments: &TreeArgs) -> anyhow::Result<()> {
    if let Some(values) = &arguments.values {
        return show_orders(&GameTree::parse(values).context("--values")?, arguments.json);
    }
    ensure_usage!(arguments.largest >= 0.0, "--largest {}: expected a number of leaves", arguments.largest);
    // The deepest tree first: if it is too large, nothing is searched.
    let rows = (1..=arguments.depth).rev().map(|depth| row(arguments, depth));
    let mut rows: Vec<TreeRow> = rows.collect::<Result<_>>()?;
    rows.reverse();
    if let Some(path) = &arguments.plot {
        chart(arguments, &rows).write(path)?;
    }
    if arguments.json {
        let row = |row: &TreeRow| {
            json!({
                "depth": row.depth,
                "best_order": row.shape.least_leaves().to_string(),
                "rule_of_thumb": row.shape.rule_of_thumb(),
                "random_order": row.random,
                "worst_order": row.shape.all_leaves().to_string(),
            })
        };
        return print_json(&json!({ "moves": arguments.moves, "rows": rows.iter().map(row).collect::<Vec<_>>() }));
    }
    let cells = |row: &TreeRow| {
        let random = row
            .random
            .map_or_else(|| "-".to_owned(), |found| format!("{:.1} ± {:.1}", found.mean, found.standard_error));
        let [best, all] = [row.shape.least_leaves(), row.shape.all_leaves()].map(|leaves| leaves.to_string());
        vec![row.depth.to_string(), best, format!("{:.1}", row.shape.rule_of_thumb()), random, all]
    };
    say!(
        "{}",
        table(&["depth", "best order", "2 b^(d/2)", "random order", "worst order, b^d"], rows.iter().map(cells))
    );
    say!("leaves that alpha-beta looks at with {} moves everywhere; ±: standard errors", arguments.moves);
    Ok(())
}

/// Prints the number of leaves that alpha-beta visits in a tree as given, in reverse order, and
/// with the best move first.
fn show_orders(tree: &GameTree, as_json: bool) -> anyhow::Result<()> {
    let (mut reversed, mut sorted) = (tree.clone(), tree.clone());
    reversed.reverse();
    sorted.sort_best_first();
    let orders = [("as given", tree), ("reversed", &reversed), ("best move first", &sorted)].map(|(order, tree)| {
        let mut visited = Vec::new();
        (order, tree.alpha_beta(-i32::MAX, i32::MAX, &mut visited), visited)
    });
    let leaves = tree.leaves();
    if as_json {
        let order = |(order, value, visited): &(&str, i32, Vec<i32>)| json!({ "order": order, "value": value, "visited": visited });
        return print_json(&json!({ "leaves": leaves, "orders": orders.iter().map(order).collect::<Vec<_>>() }));
    }
    let cells = orders.iter().map(|(order, value, visited)| {
        let list = visited.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
        vec![(*order).to_owned(), value.to_string(), format!("{} of {leaves}", visited.len()), list]
    });
    say!("{}", table(&["order", "value", "leaves", "looked at"], cells));
    Ok(())
}

fn row(arguments: &TreeArgs, depth: u32) -> Result<TreeRow> {
    let shape = TreeShape::new(arguments.moves, depth)?;
    let small = shape.all_leaves() as f64 <= arguments.largest;
    let random = if small { Some(shape.random_order(arguments.trees, arguments.seed)?) } else { None };
    Ok(TreeRow { depth, shape, random })
}

/// The numbers as powers of ten.
fn chart(arguments: &TreeArgs, rows: &[TreeRow]) -> LineChart {
    let line = |name: &str, style, color, leaves: &dyn Fn(&TreeRow) -> Option<f64>| {
        ChartLine::new(
            name,
            rows.iter().filter_map(|row| Some((f64::from(row.depth), leaves(row)?.log10()))).collect(),
            style,
            color,
        )
    };
    LineChart::new(
        format!("Leaves that alpha-beta looks at, {} moves everywhere", arguments.moves),
        "depth in plies",
        "leaves, as a power of ten",
        vec![
            line("worst order: all", CurveStyle::Solid, 1, &|row| Some(row.shape.all_leaves() as f64)),
            line("random order", CurveStyle::Dots, 2, &|row| row.random.map(|random| random.mean)),
            line("best order", CurveStyle::Solid, 0, &|row| Some(row.shape.least_leaves() as f64)),
            line("2 b^(d/2)", CurveStyle::Dashed, 3, &|row| Some(row.shape.rule_of_thumb())),
        ],
    )
}

/// A uniform tree: every inner node has the same number of moves, and every leaf the same depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeShape {
    branching: u32,
    depth: u32,
}

/// The most leaves that alpha-beta looks at in all trees of a simulation together: about half a
/// minute.
const MOST_VISITS: f64 = 4e9;

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MeanLeaves {
    pub mean: f64,
    pub standard_error: f64,
}

impl TreeShape {
    /// Refuses 0 moves, and more leaves than `u128` counts.
    pub fn new(branching: u32, depth: u32) -> Result<Self> {
        check("the number of moves", f64::from(branching), |moves| moves >= 1.0, "1 or more")?;
        if u128::from(branching).checked_pow(depth).is_none() {
            return Err(StatsError::TooLarge { what: "the number of leaves", advice: "take fewer moves or plies" });
        }
        Ok(Self { branching, depth })
    }

    /// The leaves of the whole tree, b^d: what minimax looks at, and alpha-beta too where the worst
    /// move always comes first.
    pub fn all_leaves(&self) -> u128 {
        self.power(self.depth)
    }

    /// The leaves that alpha-beta looks at where the best move always comes first, b^ceil(d/2) +
    /// b^floor(d/2) - 1 (Knuth and Moore 1975).
    pub fn least_leaves(&self) -> u128 {
        self.power(self.depth.div_ceil(2)) + self.power(self.depth / 2) - 1
    }

    /// 2 b^(d/2), the rule of thumb for the same.
    pub fn rule_of_thumb(&self) -> f64 {
        2.0 * f64::from(self.branching).powf(f64::from(self.depth) / 2.0)
    }

    fn power(&self, plies: u32) -> u128 {
        u128::from(self.branching).pow(plies)
    }

    /// Upper estimate of the leaves that alpha-beta looks at in random order. Each ply multiplies
    /// them by x / (1 - x), where x^b + x = 1 (Pearl 1982); with few plies they are up to five
    /// times that power.
    fn expected_visits(&self) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle: f64 = 0.5 * (low + high);
            if middle.powf(f64::from(self.branching)) + middle < 1.0 { low = middle } else { high = middle }
        }
        (5.0 * (low / (1.0 - low)).powf(f64::from(self.depth))).min(self.all_leaves() as f64)
    }

    /// The mean over trees whose leaves have independent values, uniform between 0 and 1, so that
    /// the order of moves is random. A leaf gets its value when it is looked at. Each tree has a
    /// random stream of its own. Refuses fewer than two or more than a million trees, and a search
    /// of minutes.
    pub fn random_order(&self, trees: u32, seed: u64) -> Result<MeanLeaves> {
        check("the number of trees", f64::from(trees), |trees| (2.0..=1e6).contains(&trees), "from 2 to 1,000,000")?;
        if f64::from(trees) * self.expected_visits() > MOST_VISITS {
            let advice = "take fewer trees, moves or plies";
            return Err(StatsError::TooLarge { what: "the search of a tree", advice });
        }
        let leaves = |tree: u32| {
            let mut search = RandomTree { shape: *self, random: stream(seed, u64::from(tree)), leaves: 0 };
            search.value(self.depth, f64::NEG_INFINITY, f64::INFINITY);
            search.leaves as f64
        };
        let leaves: Vec<f64> = (0..trees).into_par_iter().map(leaves).collect();
        Ok(MeanLeaves { mean: mean(&leaves), standard_error: (variance(&leaves) / f64::from(trees)).sqrt() })
    }
}

/// An alpha-beta search of a tree that grows as it is looked at.
struct RandomTree<R> {
    shape: TreeShape,
    random: R,
    leaves: u64,
}

impl<R: Rng> RandomTree<R> {
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

/// A game tree, on which the search counts its leaves. Values are for the player at the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameTree {
    /// The end of a line.
    Leaf(i32),
    /// A choice among moves, at least one.
    Node(Vec<GameTree>),
}

use GameTree::{Leaf, Node};

impl GameTree {
    /// Reads nested lists of values, as `[[3, 5], [2, 9]]`.
    /// Refuses empty lists, and values that are not whole numbers within a billion.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        Self::from_json(&serde_json::from_str(text)?)
    }

    fn from_json(value: &Value) -> anyhow::Result<Self> {
        const LARGEST: i64 = 1_000_000_000;
        match value {
            Value::Array(children) if children.is_empty() => bail!("a list has no moves"),
            Value::Array(children) => Ok(Node(children.iter().map(Self::from_json).collect::<anyhow::Result<_>>()?)),
            value => match value.as_i64() {
                Some(number) if number.abs() <= LARGEST => Ok(Leaf(number as i32)),
                _ => bail!("`{value}` is neither a list nor a whole number within a billion"),
            },
        }
    }

    pub fn leaves(&self) -> usize {
        match self {
            Leaf(_) => 1,
            Node(children) => children.iter().map(Self::leaves).sum(),
        }
    }

    /// The value by minimax for the player to move, whose sign is 1 at the root.
    fn negamax(&self, sign: i32) -> i32 {
        match self {
            Leaf(value) => sign * value,
            Node(children) => children.iter().map(|child| -child.negamax(-sign)).max().unwrap_or(-i32::MAX),
        }
    }

    /// The value by alpha-beta within `alpha < beta`, fail-soft: exact inside the window, a bound
    /// outside it. The leaves that the search looks at are added to `visited` in order. Neither
    /// bound may be `i32::MIN`.
    ///
    /// ```
    /// use kiki_lengths::tree::GameTree;
    ///
    /// let tree = GameTree::parse("[[3, 5], [2, 9]]").unwrap();
    /// let mut visited = Vec::new();
    /// assert_eq!(tree.alpha_beta(-i32::MAX, i32::MAX, &mut visited), 3);
    /// assert_eq!(visited, [3, 5, 2]);
    /// ```
    pub fn alpha_beta(&self, alpha: i32, beta: i32, visited: &mut Vec<i32>) -> i32 {
        self.search(1, alpha, beta, visited)
    }

    fn search(&self, sign: i32, alpha: i32, beta: i32, visited: &mut Vec<i32>) -> i32 {
        let children = match self {
            Leaf(value) => {
                visited.push(*value);
                return sign * value;
            }
            Node(children) => children,
        };
        let mut best = -i32::MAX;
        for child in children {
            best = best.max(-child.search(-sign, -beta, -alpha.max(best), visited));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Reverses the order of moves at every node.
    pub fn reverse(&mut self) {
        if let Node(children) = self {
            children.iter_mut().for_each(Self::reverse);
            children.reverse();
        }
    }

    /// Puts the best move first at every node.
    pub fn sort_best_first(&mut self) {
        self.sort(1);
    }

    fn sort(&mut self, sign: i32) {
        if let Node(children) = self {
            children.iter_mut().for_each(|child| child.sort(-sign));
            children.sort_by_key(|child| child.negamax(-sign));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

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
        // Alpha-beta can omit no leaf of a single ply.
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

    const MOST: i32 = i32::MAX;

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
    fn alpha_beta_finds_the_minimax_value_in_any_order_and_bounds_outside_its_window() {
        let mut random = StdRng::seed_from_u64(14);
        for _ in 0..300 {
            let (branching, depth) = (random.random_range(1..5), random.random_range(0..6));
            let mut tree = random_tree(&mut random, branching, depth);
            let value = tree.negamax(1);
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
}
