//! `kiki-lab intrinsic report`: ratings of all players by their moves, as a table, as JSON and as
//! pictures.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_plot::{BLACK, ChartLine, CurveStyle, LineChart};
use kiki_run::output::{json_or_reason, percent, print_json, print_warning, table};
use kiki_run::say;
use kiki_stats::line::LineFit;
use serde_json::{Value, json};

use crate::fit::{ChoiceFit, percentile_curve};
use crate::judge;
use crate::line::{RatingLine, fit_line, rank_correlation};
use crate::players::{IntrinsicRating, RatingSettings, line_json, players_of, rate_player, rating_line};

/// Rates all players of judged games
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The folder of the judgements
    folder: PathBuf,
    #[command(flatten)]
    settings: RatingSettings,
    /// Fit the line to the players' ratings in this output of `kiki-lab rate --json`
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    /// Draw percentiles, and ratings over errors, into a folder (SVG)
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ReportArgs) -> Result<()> {
    let judging = judge::read(&arguments.folder)?;
    let moves = players_of(&judging, &arguments.settings)?;
    let players: Vec<IntrinsicRating> = moves.into_iter().map(rate_player).collect();
    let known = arguments.ratings.as_deref().map_or_else(|| Ok(BTreeMap::new()), known_ratings)?;
    let points: Vec<(f64, f64)> =
        players.iter().filter_map(|player| Some((player.mean_error()?, *known.get(&player.moves.name)?))).collect();
    let fitted = arguments.ratings.as_deref().and_then(|file| line_through(&points, players.len(), file));
    if let Some(fit) = &fitted
        && fit.slope >= 0.0
    {
        print_warning(&format!(
            "warning: the fitted line rises by {:.0} ± {:.0} Elo with the mean error, as if worse moves made better players: its ratings mean nothing",
            fit.slope, fit.slope_error
        ));
    }
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        percentiles(&players).write(&folder.join("percentiles.svg"))?;
        if let Some(fit) = &fitted {
            ratings(&players, &known, fit.into()).write(&folder.join("ratings.svg"))?;
        }
    }
    let best_moves: Vec<(f64, f64)> = players
        .iter()
        .filter_map(|player| Some((player.projection?.match_rate, *known.get(&player.moves.name)?)))
        .collect();
    let report = IntrinsicReport {
        players,
        known,
        fitted,
        rank_correlation: rank_correlation(&points).map(|correlation| -correlation),
        rank_correlation_of_best_moves: rank_correlation(&best_moves),
    };
    if arguments.json {
        return print_json(&as_json(&report));
    }
    print_report(&report);
    Ok(())
}

/// Fits the line of ratings to the points of the players whose ratings `file` has. Warns and returns
/// `None` if these are too few. `players` is the number of all.
fn line_through(points: &[(f64, f64)], players: usize, file: &Path) -> Option<LineFit> {
    let reason = if points.len() < 3 {
        let rated = points.len();
        format!("only {rated} of {players} players have a rating in {}; a line needs three", file.display())
    } else {
        match fit_line(points) {
            Ok(fit) => return Some(fit),
            Err(error) => error.to_string(),
        }
    };
    print_warning(&format!("warning: {reason}: intrinsic ratings are on the scale of chess"));
    None
}

struct IntrinsicReport {
    players: Vec<IntrinsicRating>,
    known: BTreeMap<String, f64>,
    /// The line through the known ratings.
    fitted: Option<LineFit>,
    /// Of mean errors and known ratings, negated so that 1 is full agreement.
    rank_correlation: Option<f64>,
    /// Of shares of best moves and known ratings.
    rank_correlation_of_best_moves: Option<f64>,
}

/// The ratings in the output of `kiki-lab rate --json`, by player.
fn known_ratings(path: &Path) -> Result<BTreeMap<String, f64>> {
    let place = || path.display().to_string();
    let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
    let answer: Value = serde_json::from_str(&text).with_context(place)?;
    let players = answer["players"].as_array().with_context(|| format!("{}: there are no `players`", place()))?;
    let rated = |player: &Value| Some((player["name"].as_str()?.to_owned(), player["rating"].as_f64()?));
    let ratings: BTreeMap<String, f64> = players.iter().filter_map(rated).collect();
    ensure!(!ratings.is_empty(), "{}: no player has a `rating`", place());
    Ok(ratings)
}

const COLUMNS: [&str; 11] =
    ["player", "positions", "left out", "match", "by model", "error", "by model", "intrinsic", "by results", "s", "c"];

fn print_report(report: &IntrinsicReport) {
    say!("{}", table(&COLUMNS, report.players.iter().map(|player| cells(report, player))));
    let RatingLine { intercept, slope } = rating_line(report.fitted.as_ref());
    match report.fitted {
        None => say!("intrinsic ratings: on the scale of chess, which is not that of shogi (--ratings fits a line)"),
        Some(LineFit { intercept_error, slope_error, points, residual_deviation, .. }) => say!(
            "intrinsic ratings: {intercept:.0} ± {intercept_error:.0} {slope:+.0} ± {slope_error:.0} times the mean error, fitted to {points} players; they lie {residual_deviation:.0} from the line"
        ),
    }
    if let Some(correlation) = report.rank_correlation {
        say!("rank correlation of intrinsic ratings and results: {correlation:.3}");
    }
    if let Some(correlation) = report.rank_correlation_of_best_moves {
        say!("rank correlation of the share of best moves and results: {correlation:.3}");
    }
    say!("error: mean scaled error; ±: standard errors, for ratings by how games differ, of the line not counted");
    for player in &report.players {
        if let Err(reason) = &player.fit {
            say!("{}: {reason}", player.moves.name);
        }
        if player.fits_differ() {
            say!(
                "{}: the fit of percentiles differs by more than three standard errors: the model does not suit these moves",
                player.moves.name
            );
        }
    }
}

fn cells(report: &IntrinsicReport, player: &IntrinsicRating) -> Vec<String> {
    let none = || "-".to_owned();
    let of = |number: Option<f64>, text: fn(f64) -> String| number.map_or_else(none, text);
    let projection = player.projection.as_ref();
    let error = |number: f64| format!("{number:.4}");
    let (line, mean) = (rating_line(report.fitted.as_ref()), player.mean_error());
    let spread = player.mean_error_deviation.map(|deviation| line.slope.abs() * deviation);
    let rating = match (mean, spread) {
        (Some(mean), Some(spread)) => format!("{:.0} ± {spread:.0}", line.rating(mean)),
        (Some(mean), None) => format!("{:.0}", line.rating(mean)),
        (None, _) => none(),
    };
    let fitted = |of: fn(&ChoiceFit) -> (f64, f64)| {
        let text = |(value, error): (f64, f64)| format!("{value:.4} ± {:.4}", value * error);
        player.fit.as_ref().ok().map(of).map_or_else(none, text)
    };
    vec![
        player.moves.name.clone(),
        player.moves.choices.len().to_string(),
        player.moves.left_out.values().sum::<usize>().to_string(),
        of(projection.map(|found| found.match_rate), percent),
        of(projection.and_then(|found| found.expected_match_rate), percent),
        of(projection.map(|found| found.mean_error), error),
        of(projection.and_then(|found| found.expected_mean_error), error),
        rating,
        of(report.known.get(&player.moves.name).copied(), |rating| format!("{rating:.0}")),
        fitted(|fit| (fit.model.sensitivity(), fit.error_ln_s)),
        fitted(|fit| (fit.model.consistency(), fit.error_ln_c)),
    ]
}

fn as_json(report: &IntrinsicReport) -> Value {
    let line = rating_line(report.fitted.as_ref());
    let player = |player: &IntrinsicRating| {
        json!({
            "name": player.moves.name,
            "positions": player.moves.choices.len(),
            "left_out": player.moves.left_out.iter().map(|(reason, count)| json!({ "reason": reason, "count": count })).collect::<Vec<_>>(),
            "projection": player.projection,
            "mean_error_deviation": player.mean_error_deviation,
            "intrinsic_rating": player.mean_error().map(|error| line.rating(error)),
            "rating": report.known.get(&player.moves.name),
            "fit": json_or_reason(&player.fit, |fit| json!(fit)),
            "percentile_fit": json_or_reason(&player.percentiles, |fit| json!(fit)),
            "fits_differ": player.fits_differ(),
        })
    };
    json!({
        "line": line_json(report.fitted.as_ref()),
        "players": report.players.iter().map(player).collect::<Vec<_>>(),
        "rank_correlation": report.rank_correlation,
        "rank_correlation_of_best_moves": report.rank_correlation_of_best_moves,
    })
}

/// The share of positions in which a move of the best q of the model's probability was played, over
/// q.
fn percentiles(players: &[IntrinsicRating]) -> LineChart {
    let curve = |(index, player): (usize, &IntrinsicRating)| {
        let model = player.fit.as_ref().ok()?.model;
        let points = percentile_curve(&model, &player.moves.choices);
        Some(ChartLine::new(player.moves.name.clone(), points, CurveStyle::Solid, index))
    };
    let mut lines: Vec<ChartLine> = players.iter().enumerate().filter_map(curve).collect();
    let diagonal = vec![(0.0, 0.0), (1.0, 1.0)];
    let name = "a right model".to_owned();
    lines.push(ChartLine::new(name, diagonal, CurveStyle::Dashed, BLACK));
    LineChart {
        y_range: Some((0.0, 1.0)),
        ..LineChart::new(
            "Percentiles of the moves that were played",
            "q, a share of the model's probability",
            "share of positions with a move of the best q",
            lines,
        )
    }
}

fn ratings(players: &[IntrinsicRating], known: &BTreeMap<String, f64>, line: RatingLine) -> LineChart {
    let dot = |player: &IntrinsicRating| {
        let name = player.moves.name.clone();
        let points = vec![(player.mean_error()?, *known.get(&name)?)];
        Some(ChartLine::new(name, points, CurveStyle::NamedDots, 0))
    };
    let mut lines: Vec<ChartLine> = players.iter().filter_map(dot).collect();
    let errors = || lines.iter().map(|dot| dot.points[0].0);
    let ends = [errors().fold(f64::INFINITY, f64::min), errors().fold(f64::NEG_INFINITY, f64::max)];
    let points = ends.map(|error| (error, line.rating(error))).to_vec();
    lines.push(ChartLine::new("least squares", points, CurveStyle::Solid, 1));
    LineChart::new("Ratings and mean errors", "mean scaled error", "Elo", lines)
}
