//! `kiki-lab series`: incremental ratings, as they are kept game by game (Elo 1978), beside those
//! of all games at once.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::input_errors::InputErrors;
use kiki_run::output::{or_dash, print_json, signed, table};
use kiki_run::say;
use kiki_stats::error::check;
use kiki_stats::logistic::{ELO_SCALE, MOST_RATING, logistic};
use serde_json::json;

use crate::bradley_terry::{FitOptions, ResultTable, Scale, fit};
use crate::results::{PlayerSelection, Results};

const EXAMPLE: &str = "\
Example:
  kiki-lab series results/roundrobin --k 16 --plot series.svg

The sequential rating gains or loses K times the difference between a result and its expectation. It follows players that change,
and never settles; the static one assumes that every player has constant strength.";

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

#[derive(Clone, Copy, PartialEq, Debug)]
struct RatingStep {
    /// Its number, from 1.
    game: usize,
    /// After the game.
    rating: f64,
}

struct RatingSeries {
    name: String,
    steps: Vec<RatingStep>,
    /// After the last game.
    last: f64,
    fixed: Option<f64>,
}

pub fn run(arguments: &SeriesArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let results = Results::read(&arguments.paths, &PlayerSelection::default(), &mut errors)?;
    ensure!(!results.rows.is_empty(), "there are no results");
    let series = series(arguments, &results)?;
    if let Some(path) = &arguments.plot {
        chart(arguments, &series, results.games()).write(path)?;
    }
    if arguments.json {
        let player = |series: &RatingSeries| {
            let steps: Vec<_> = series.steps.iter().map(|step| (step.game, step.rating)).collect();
            json!({ "name": series.name, "sequential": series.last, "static": series.fixed, "steps": steps })
        };
        print_json(&json!({
            "k": arguments.k,
            "initial": arguments.initial,
            "games": results.games(),
            "repeated": results.repeats,
            "players": series.iter().map(player).collect::<Vec<_>>(),
        }))?;
        return Ok(errors.exit_code());
    }
    let rows = series.iter().map(|series| {
        vec![
            series.name.clone(),
            series.steps.len().to_string(),
            signed(series.last),
            or_dash(series.fixed.map(signed)),
        ]
    });
    say!("{}", table(&["player", "games", "sequential", "static"], rows));
    results.repeats.warnings().iter().for_each(|warning| say!("{warning}"));
    Ok(errors.exit_code())
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
    // Without one rating of all players there are no static ratings; the series exist anyway.
    let fixed = fit(&table, &options).map_or_else(|_| vec![None; results.names().len()], |fit| fit.ratings());
    let steps = trajectories(results.names().len(), &games, arguments.k, arguments.initial)?;
    for name in &arguments.player {
        results.find(name).context("--player")?;
    }
    let all = results.names().iter().zip(steps).zip(fixed);
    let mut series: Vec<RatingSeries> = all
        .filter(|((name, _), _)| arguments.player.is_empty() || arguments.player.contains(name))
        .map(|((name, steps), fixed)| {
            let last = steps.last().map_or(arguments.initial, |step| step.rating);
            RatingSeries { name: name.clone(), steps, last, fixed }
        })
        .collect();
    series.sort_by(|a, b| b.last.total_cmp(&a.last));
    Ok(series)
}

fn chart(arguments: &SeriesArgs, series: &[RatingSeries], games: f64) -> LineChart {
    let mut lines = Vec::new();
    for (color, player) in series.iter().enumerate() {
        let steps = player.steps.iter().map(|step| (step.game as f64, step.rating));
        let points = [(0.0, arguments.initial)].into_iter().chain(steps).collect();
        lines.push(ChartLine::new(player.name.clone(), points, CurveStyle::Solid, color));
        if let Some(fixed) = player.fixed {
            let points = vec![(0.0, fixed), (games, fixed)];
            lines.push(ChartLine::new("", points, CurveStyle::Dashed, color));
        }
    }
    LineChart::new(format!("Sequential ratings (K = {}) and static ones (dashed)", arguments.k), "games", "Elo", lines)
}

const MOST_K: f64 = 10_000.0;

#[derive(Clone, Copy, PartialEq, Debug)]
struct RatedGame {
    players: [usize; 2],
    /// The score of the first of them: 0, 1/2 or 1.
    score: f64,
}

/// The ratings of every player after each of its games: `R += K (score - expected)`. Refuses K
/// outside 0 to 10,000, and an initial rating beyond a million.
fn trajectories(players: usize, games: &[RatedGame], k: f64, initial: f64) -> kiki_stats::Result<Vec<Vec<RatingStep>>> {
    check("K", k, |k| (0.0..=MOST_K).contains(&k), "from 0 to 10,000")?;
    let possible = |rating: f64| rating.abs() <= MOST_RATING;
    check("the initial rating", initial, possible, "between -1,000,000 and 1,000,000")?;
    let mut ratings = vec![initial; players];
    let mut steps = vec![Vec::new(); players];
    for (game, &RatedGame { players: [a, b], score }) in (1..).zip(games) {
        let gain = k * (score - logistic((ratings[a] - ratings[b]) / ELO_SCALE));
        for (player, gain) in [(a, gain), (b, -gain)] {
            ratings[player] += gain;
            steps[player].push(RatingStep { game, rating: ratings[player] });
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_only_passed_on() {
        let games: Vec<RatedGame> = (0..300)
            .map(|i| RatedGame { players: [i % 4, (i + 1 + i % 3) % 4], score: (i % 5) as f64 / 4.0 })
            .collect();
        let steps = trajectories(4, &games, 24.0, 1000.0).unwrap();
        let last: f64 = steps.iter().map(|steps| steps.last().unwrap().rating).sum();
        assert!((last - 4000.0).abs() < 1e-9);
        assert_eq!(steps.iter().map(Vec::len).sum::<usize>(), 600);
    }

    #[test]
    fn half_of_k_is_won_from_an_equal_player() {
        let games = [RatedGame { players: [0, 1], score: 1.0 }];
        let ratings = [1516.0, 1484.0].map(|rating| [RatingStep { game: 1, rating }]);
        assert_eq!(trajectories(2, &games, 32.0, 1500.0).unwrap(), ratings);
        assert!(trajectories(2, &games, 1e308, 0.0).is_err() && trajectories(2, &games, 16.0, 1e308).is_err());
    }
}
