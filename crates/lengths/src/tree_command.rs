//! `kiki-lab tree`: how many leaves alpha-beta looks at.

use std::path::PathBuf;

use crate::game_tree::{MeanLeaves, TreeShape};
use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  kiki-lab tree --moves 3 --depth 20 --plot tree.svg

Best order: alpha-beta looks at b^ceil(d/2) + b^floor(d/2) - 1 leaves, about 2 b^(d/2); worst order: at all b^d.";

/// How many leaves of a game tree alpha-beta looks at: best, random and worst order of moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct TreeArgs {
    /// The moves of a node; in shogi some 80
    #[arg(long, value_name = "B", default_value_t = 3)]
    moves: u32,
    /// The greatest depth in plies
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: u32,
    /// Trees with random values for the random order
    #[arg(long, value_name = "N", default_value_t = 1000)]
    trees: u32,
    /// Random order only while trees have so many leaves or fewer
    #[arg(long, value_name = "LEAVES", default_value_t = 100_000.0)]
    largest: f64,
    /// What the random values follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the numbers over the depth (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A depth with its numbers of leaves.
struct TreeRow {
    depth: u32,
    shape: TreeShape,
    random: Option<MeanLeaves>,
}

/// Runs `tree`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &TreeArgs) -> Result<()> {
    ensure!(arguments.largest >= 0.0, "--largest {}: expected a number of leaves", arguments.largest);
    // The deepest first, as what is too large is refused.
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
                "random_order": row.random.map(|random| json!({ "mean": random.mean, "standard_error": random.standard_error })),
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

fn row(arguments: &TreeArgs, depth: u32) -> Result<TreeRow> {
    let shape = TreeShape::new(arguments.moves, depth)?;
    let small = shape.all_leaves() as f64 <= arguments.largest;
    let random = if small { Some(shape.random_order(arguments.trees, arguments.seed)?) } else { None };
    Ok(TreeRow { depth, shape, random })
}

/// The numbers as powers of ten.
fn chart(arguments: &TreeArgs, rows: &[TreeRow]) -> LineChart {
    let line = |name: &str, style, color, leaves: &dyn Fn(&TreeRow) -> Option<f64>| ChartLine {
        name: name.to_owned(),
        points: rows.iter().filter_map(|row| Some((f64::from(row.depth), leaves(row)?.log10()))).collect(),
        style,
        color,
    };
    LineChart {
        title: format!("Leaves that alpha-beta looks at, {} moves everywhere", arguments.moves),
        x_label: "depth in plies".to_owned(),
        y_label: "leaves, as a power of ten".to_owned(),
        axis: AxisScale::Linear,
        lines: vec![
            line("worst order: all", CurveStyle::Solid, 1, &|row| Some(row.shape.all_leaves() as f64)),
            line("random order", CurveStyle::Dots, 2, &|row| row.random.map(|random| random.mean)),
            line("best order", CurveStyle::Solid, 0, &|row| Some(row.shape.least_leaves() as f64)),
            line("2 b^(d/2)", CurveStyle::Dashed, 3, &|row| Some(row.shape.rule_of_thumb())),
        ],
        y_range: None,
    }
}
