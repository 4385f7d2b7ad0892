//! `kiki-lab rate`: Bradley-Terry ratings with uncertainties.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kiki_stats::bradley_terry::{
    Covariance, Fit, FitOptions, HoldOut, MonteCarlo, MonteCarloPlan, Scale, Table, default_anchor, fit, hold_out,
    monte_carlo,
};

use super::elo::Draws;
use crate::numbers;
use crate::results::{LeftOut, Results, Selection};

mod files;
mod json;
mod rows;
mod text;

use rows::PlayerRow;

const EXAMPLE: &str = "\
Examples:
  kiki-lab rate results/roundrobin --anchor kiki-1000 --plot ratings.svg
  kiki-lab rate floodgate/2026 --mean 0 --exclude a-player --rename engine@1=engine
  kiki-lab rate results.txt --matrix --residuals

Reads folders of this laboratory and of ShogiArena, CSA and PGN files, folders of them, and plain lines `A B wins losses draws`.
Errors are standard errors: once by playing all games again (Monte-Carlo), once by the curvature of the likelihood (Hessian).";

/// Rate players by all of their games at once
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct RateArgs {
    /// Files and folders with results
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The player that the scale hangs on, with its rating if that is not 0 [default: the one with most games]
    #[arg(long, value_name = "NAME[=RATING]", conflicts_with = "mean")]
    anchor: Option<String>,
    /// Make this the mean of all ratings
    #[arg(long, allow_negative_numbers = true, value_name = "RATING")]
    mean: Option<f64>,
    /// What becomes of draws
    #[arg(long, value_enum, default_value_t = Draws::Half)]
    draw_policy: Draws,
    /// How often all games are played again for the Monte-Carlo errors; 0 for none
    #[arg(long, default_value_t = 1000)]
    replicates: u64,
    /// What the simulation follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out the games of a player
    #[arg(long, value_name = "NAME")]
    exclude: Vec<String>,
    /// Leave out players with fewer games, until all that are left have so many against each other
    #[arg(long, default_value_t = 0, value_name = "N")]
    min_games: u64,
    /// Take two names for one player
    #[arg(long, value_name = "OLD=NEW", value_parser = Selection::parse_rename)]
    rename: Vec<(String, String)>,
    /// Estimate what the first move is worth, too
    #[arg(long)]
    first_move: bool,
    /// Keep this share of the games aside and tell how well the rest predicts them
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.2")]
    hold_out: Option<f64>,
    /// Print the probability that each player is better than each other one
    #[arg(long)]
    matrix: bool,
    /// Print what each pair scored beside what was to be expected
    #[arg(long)]
    residuals: bool,
    #[command(flatten)]
    files: files::FileArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is known about the ratings.
struct Rating<'a> {
    results: &'a Results,
    /// By `--min-games`.
    left_out: Vec<LeftOut>,
    fit: &'a Fit,
    covariance: Covariance<'a>,
    simulated: Option<MonteCarlo>,
    /// Best first, then those that cannot be rated.
    players: Vec<PlayerRow>,
    /// Ratings of groups of players that have no comparison with the anchor.
    others: Vec<Fit>,
    hold_out: Option<HoldOut>,
    /// Whether errors are those of the difference to the mean, not to the anchor.
    is_centred: bool,
}

pub(crate) fn run(arguments: &RateArgs) -> Result<()> {
    let selection = Selection { exclude: arguments.exclude.clone(), rename: arguments.rename.clone() };
    let results = Results::read(&arguments.paths, &selection)?;
    let (results, left_out) = results.with_least_games(arguments.min_games as f64);
    let nobody = "no player has so many games against others that have";
    ensure!(left_out.is_empty() || !results.names().is_empty(), "--min-games {}: {nobody}", arguments.min_games);
    ensure!(!results.names().is_empty(), "there are no results");
    let table = table(&results, arguments.draw_policy)?;
    let options = options(arguments, &results, &table)?;
    let fit = fit(&table, &options).map_err(|error| named(&error, &results))?;
    let simulated = simulate(arguments, &results, &fit)?;
    let others =
        fit.classification().other_components.iter().map(|players| other(&table, players)).collect::<Result<_>>()?;
    let hold_out = match arguments.hold_out {
        Some(share) => Some(hold_out(&table, &options, share, CALIBRATION_BINS, arguments.seed).context("--hold-out")?),
        None => None,
    };
    let covariance = fit.covariance()?;
    let players = rows::rows(&results, &fit, &covariance, simulated.as_ref())?;
    let is_centred = arguments.mean.is_some();
    let (results, fit) = (&results, &fit);
    let rating = Rating { results, left_out, fit, covariance, simulated, players, others, hold_out, is_centred };
    files::write(&rating, &arguments.files)?;
    if arguments.json {
        return numbers::print_json(&json::value(&rating)?);
    }
    text::print(&rating, arguments.matrix, arguments.residuals)
}

/// Predictions are compared with results in so many groups.
const CALIBRATION_BINS: usize = 10;

fn table(results: &Results, draws: Draws) -> Result<Table> {
    let mut table = Table::new(results.names().len());
    for row in &results.rows {
        let half = if draws == Draws::Half { row.draws / 2.0 } else { 0.0 };
        let (wins, losses) = (row.wins + half, row.losses + half);
        if row.colors_known {
            table.add_ordered(row.first, row.second, wins, losses)?;
        } else {
            table.add(row.first, row.second, wins, losses)?;
        }
    }
    Ok(table)
}

fn options(arguments: &RateArgs, results: &Results, table: &Table) -> Result<FitOptions> {
    let mut options = FitOptions { first_move: arguments.first_move, ..FitOptions::default() };
    if let Some(text) = &arguments.anchor {
        // A name may hold `=` itself.
        let (name, rating) = match (results.find(text), text.rsplit_once('=')) {
            (Err(_), Some((name, rating))) => {
                (name, rating.parse().with_context(|| format!("--anchor: rating `{rating}`"))?)
            }
            _ => (text.as_str(), 0.0),
        };
        options.anchor = Some(results.find(name).context("--anchor")?);
        options.scale = Scale::Anchor(rating);
    }
    if options.anchor.is_none() && default_anchor(table).is_err() {
        // Nobody can be rated; the classes of the players say why.
        let games = |player: &usize| results.games_of(*player);
        options.anchor = (0..results.names().len()).rev().max_by(|a, b| games(a).total_cmp(&games(b)));
    }
    if let Some(mean) = arguments.mean {
        options.scale = Scale::Mean(mean);
    }
    Ok(options)
}

/// The mathematics knows players by their numbers.
fn named(error: &kiki_stats::StatsError, results: &Results) -> anyhow::Error {
    match error {
        kiki_stats::StatsError::NotRated { player } => anyhow::anyhow!("`{}` is not rated", results.names()[*player]),
        error => anyhow::anyhow!("{error}"),
    }
}

fn simulate(arguments: &RateArgs, results: &Results, fit: &Fit) -> Result<Option<MonteCarlo>> {
    if arguments.replicates == 0 {
        ensure!(arguments.files.histogram.is_none(), "--histogram needs replicates");
        return Ok(None);
    }
    let keep = match arguments.files.histogram.as_deref() {
        Some([name, _]) => Some(results.find(name).context("--histogram")?),
        _ => None,
    };
    let bar = ProgressBar::new(arguments.replicates);
    let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} replicates, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let plan = MonteCarloPlan { replicates: arguments.replicates, seed: arguments.seed, keep };
    let simulated = monte_carlo(fit, &plan, &|done| {
        bar.set_position(done);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    simulated.map(Some).map_err(|error| named(&error, results))
}

/// The ratings of players that cannot be compared with the anchor's, anchored at the first of them.
fn other(table: &Table, players: &[usize]) -> Result<Fit> {
    Ok(fit(table, &FitOptions::anchored(players[0], 0.0))?)
}
