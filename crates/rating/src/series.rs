//! `kiki-lab series`: ratings that change with every game, beside those of all games at once.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::bradley_terry::{FitOptions, ResultTable, Scale, fit};
use crate::sequential::{EloUpdateRule, RatedGame, RatingStep, trajectories};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::json;

use crate::results::{PlayerSelection, Results};
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::input_errors::InputErrors;
use kiki_run::numbers::{signed, table};
use kiki_run::{numbers, say};

const EXAMPLE: &str = "\
Example:
  kiki-lab series results/roundrobin --k 16 --plot series.svg

The sequential rating gains or loses K times the difference between a result and its expectation. It follows players that change,
and never settles; the static one takes every player to be of constant strength.";

/// Sequential Elo ratings over a file of results, beside the static ones
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct SeriesArgs {
    /// Files and folders with single games in their order
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The most that one game can move a rating
    #[arg(long, default_value_t = 16.0)]
    k: f64,
    /// The rating of everyone before the first game, and the mean of the static ratings
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    initial: f64,
    /// Show only these players
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,
    /// Write the ratings over the games as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON, with every step
    #[arg(long)]
    json: bool,
}

/// One player's ratings.
struct RatingSeries {
    name: String,
    steps: Vec<RatingStep>,
    fixed: Option<f64>,
}

/// Runs `series`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &SeriesArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let results = Results::read(&arguments.paths, &PlayerSelection::default(), &mut errors)?;
    ensure!(!results.rows.is_empty(), "there are no results");
    let series = series(arguments, &results)?;
    if let Some(path) = &arguments.plot {
        chart(arguments, &series, results.games() as usize).write(path)?;
    }
    if arguments.json {
        let players: Vec<_> = series
            .iter()
            .map(|series| {
                let steps: Vec<_> = series.steps.iter().map(|step| (step.game + 1, step.rating)).collect();
                json!({ "name": series.name, "sequential": last(series, arguments), "static": series.fixed, "steps": steps })
            })
            .collect();
        let (k, initial) = (arguments.k, arguments.initial);
        numbers::print_json(
            &json!({ "k": k, "initial": initial, "games": results.games(), "repeated": results.repeats, "players": players }),
        )?;
        return Ok(errors.exit_code());
    }
    let rows = series.iter().map(|series| {
        let fixed = series.fixed.map_or_else(|| "-".to_owned(), signed);
        vec![series.name.clone(), series.steps.len().to_string(), signed(last(series, arguments)), fixed]
    });
    say!("{}", table(&["player", "games", "sequential", "static"], rows));
    results.repeats.warnings().iter().for_each(|warning| say!("{warning}"));
    Ok(errors.exit_code())
}

fn last(series: &RatingSeries, arguments: &SeriesArgs) -> f64 {
    series.steps.last().map_or(arguments.initial, |step| step.rating)
}

fn series(arguments: &SeriesArgs, results: &Results) -> Result<Vec<RatingSeries>> {
    let mut table = ResultTable::new(results.names().len());
    let mut games = Vec::with_capacity(results.rows.len());
    for row in &results.rows {
        let sum = row.wins + row.losses + row.draws;
        if sum == 0.0 {
            // It only adds the players.
            continue;
        }
        let names = [row.first, row.second].map(|player| &results.names()[player]);
        ensure!(sum == 1.0, "{} against {}: sums of games have no order; give single games", names[0], names[1]);
        let score = row.wins + row.draws / 2.0;
        games.push(RatedGame { players: [row.first, row.second], score });
        table.add(row.first, row.second, score, 1.0 - score)?;
    }
    let options = FitOptions { scale: Scale::Mean(arguments.initial), ..FitOptions::default() };
    // Where not all players can be rated at once there are no static ratings; the series exist all the same.
    let fixed = fit(&table, &options).map_or_else(|_| vec![None; results.names().len()], |fit| fit.ratings());
    let rule = EloUpdateRule { k: arguments.k, initial: arguments.initial };
    let steps = trajectories(results.names().len(), &games, &rule)?;
    for name in &arguments.player {
        results.find(name).context("--player")?;
    }
    let all = results.names().iter().zip(steps).zip(fixed);
    let mut series: Vec<RatingSeries> = all
        .filter(|((name, _), _)| arguments.player.is_empty() || arguments.player.contains(name))
        .map(|((name, steps), fixed)| RatingSeries { name: name.clone(), steps, fixed })
        .collect();
    series.sort_by(|a, b| last(b, arguments).total_cmp(&last(a, arguments)));
    Ok(series)
}

fn chart(arguments: &SeriesArgs, series: &[RatingSeries], games: usize) -> LineChart {
    let mut lines = Vec::new();
    for (color, player) in series.iter().enumerate() {
        let start = [(0.0, arguments.initial)];
        let steps = player.steps.iter().map(|step| (step.game as f64 + 1.0, step.rating));
        let points = start.into_iter().chain(steps).collect();
        lines.push(ChartLine { name: player.name.clone(), points, style: CurveStyle::Solid, color });
        if let Some(fixed) = player.fixed {
            let points = vec![(0.0, fixed), (games as f64, fixed)];
            lines.push(ChartLine { name: String::new(), points, style: CurveStyle::Dashed, color });
        }
    }
    LineChart {
        title: format!("Sequential ratings (K = {}) and static ones (dashed)", arguments.k),
        x_label: "games".to_owned(),
        y_label: "Elo".to_owned(),
        axis: AxisScale::Linear,
        lines,
        y_range: None,
    }
}
