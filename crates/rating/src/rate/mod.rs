//! `kiki-lab rate`: Bradley-Terry ratings with uncertainties.

mod files;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kiki_run::input_errors::InputErrors;
use kiki_run::output;
use kiki_stats::StatsError;

use crate::bradley_terry::{
    Covariance, Fit, FitOptions, MonteCarlo, MonteCarloPlan, ResultTable, Scale, default_anchor, fit, hold_out,
    monte_carlo,
};
use crate::results::{PlayerSelection, Results, with_least_games};
use files::FileArgs;
use report::{DrawOption, OtherComponent, RatingReport};

const EXAMPLE: &str = "\
Examples:
  kiki-lab rate results/roundrobin --anchor kiki-1000 --plot ratings.svg
  kiki-lab rate floodgate/2026 --mean 0 --exclude a-player --rename engine@1=engine
  kiki-lab rate results.txt --matrix --residuals
  kiki-lab rate results.txt --anchor old=1500 --anchor older=1420 --draw-policy davidson

Reads folders of this laboratory and of ShogiArena, CSA and PGN files, folders of them, and plain lines `A B wins losses draws`.
Games that cannot be read or have no names of players are reported with file and line; the others count, and the exit status is 1.
Errors are standard errors: once by playing all games again (Monte-Carlo), once by the curvature of the likelihood (Hessian).";

/// Rate players from all of their games at once
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct RateArgs {
    /// Files and folders with results
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The player that anchors the scale, with its rating if that is not 0 [default: the one with
    /// most games]. Further anchors stay fixed at their ratings
    #[arg(long, value_name = "NAME[=RATING]", conflicts_with = "mean")]
    anchor: Vec<String>,
    /// Make this the mean of all ratings
    #[arg(long, allow_negative_numbers = true, value_name = "RATING")]
    mean: Option<f64>,
    /// Handling of draws
    #[arg(long, value_enum, default_value_t = DrawOption::Half)]
    draw_policy: DrawOption,
    /// Number of simulations of all games for the Monte-Carlo errors; 0 for none
    #[arg(long, default_value_t = 1000)]
    replicates: u64,
    /// The seed of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out the games of a player
    #[arg(long, value_name = "NAME")]
    exclude: Vec<String>,
    /// Leave out players with fewer games, until all others have this number against each other
    #[arg(long, default_value_t = 0, value_name = "N")]
    min_games: u64,
    /// Treat two names as one player
    #[arg(long, value_name = "OLD=NEW", value_parser = PlayerSelection::parse_rename)]
    rename: Vec<(String, String)>,
    /// Also estimate what the first move is worth
    #[arg(long)]
    first_move: bool,
    /// Hold out this share of the games and report how well the rest predicts them
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.2")]
    hold_out: Option<f64>,
    /// Print the probability that each player is better than each other one
    #[arg(long)]
    matrix: bool,
    /// Print the score of each pair beside the expected one
    #[arg(long)]
    residuals: bool,
    #[command(flatten)]
    files: FileArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &RateArgs) -> Result<ExitCode> {
    let selection = PlayerSelection { exclude: arguments.exclude.clone(), rename: arguments.rename.clone() };
    let mut errors = InputErrors::default();
    let results = Results::read(&arguments.paths, &selection, &mut errors)?;
    let (results, left_out) = with_least_games(results, arguments.min_games as f64);
    let nobody = "no player has that many games against the remaining players";
    ensure!(left_out.is_empty() || !results.names().is_empty(), "--min-games {}: {nobody}", arguments.min_games);
    ensure!(!results.names().is_empty(), "there are no results");
    let table = table(&results, arguments.draw_policy)?;
    let options = options(arguments, &results, &table)?;
    let fit = fit(&table, &options).map_err(|error| named(&error, &results))?;
    let simulated = simulate(arguments, &results, &fit)?;
    let others = fit.classification().other_components.iter();
    let others = others.map(|players| OtherComponent::new(&table, players, results.names())).collect::<Result<_>>()?;
    let hold_out = arguments.hold_out.map(|share| hold_out(&table, &options, share, CALIBRATION_BINS, arguments.seed));
    let hold_out = hold_out.transpose().context("--hold-out")?;
    let covariance = Covariance::new(&fit)?;
    let players = report::rows(&results, &fit, &covariance, simulated.as_ref())?;
    let rating = RatingReport {
        results: &results,
        left_out,
        fit: &fit,
        covariance,
        simulated,
        players,
        others,
        hold_out,
        draw_policy: arguments.draw_policy,
        anchors: arguments.anchor.len(),
        is_centred: arguments.mean.is_some(),
    };
    files::write(&rating, &arguments.files)?;
    if arguments.json {
        output::print_json(&report::value(&rating)?)?;
    } else {
        report::print(&rating, arguments.matrix, arguments.residuals)?;
    }
    Ok(errors.exit_code())
}

/// Number of groups in which predictions are compared with results.
const CALIBRATION_BINS: usize = 10;

fn table(results: &Results, policy: DrawOption) -> Result<ResultTable> {
    let mut table = ResultTable::new(results.names().len());
    for row in &results.rows {
        let draws = if policy == DrawOption::Drop { 0.0 } else { row.draws };
        table.add_games([row.first, row.second], row.colors_known, [row.wins, row.losses], draws)?;
    }
    Ok(table)
}

fn options(arguments: &RateArgs, results: &Results, table: &ResultTable) -> Result<FitOptions> {
    let draws = arguments.draw_policy == DrawOption::Davidson;
    let mut options = FitOptions { first_move: arguments.first_move, draws, ..FitOptions::default() };
    for text in &arguments.anchor {
        let (player, rating) = anchor(text, results)?;
        let alone = arguments.anchor.len() == 1;
        ensure!(rating.is_some() || alone, "--anchor {text}: each of several anchors needs its rating, as {text}=1500");
        let rating = rating.unwrap_or(0.0);
        let is_new = options.anchor != Some(player) && options.fixed.iter().all(|fixed| fixed.0 != player);
        ensure!(is_new, "--anchor: `{}` is named twice", results.names()[player]);
        if options.anchor.is_none() {
            options.anchor = Some(player);
            options.scale = Scale::Anchor(rating);
        } else {
            options.fixed.push((player, rating));
        }
    }
    if options.anchor.is_none() && default_anchor(table).is_err() {
        // No player can be rated; the classes of the players show why.
        let games = |player: &usize| results.games_of(*player);
        options.anchor = (0..results.names().len()).rev().max_by(|a, b| games(a).total_cmp(&games(b)));
    }
    if let Some(mean) = arguments.mean {
        options.scale = Scale::Mean(mean);
    }
    Ok(options)
}

/// Reads `name` or `name=rating`; a name may hold `=` itself.
fn anchor(text: &str, results: &Results) -> Result<(usize, Option<f64>)> {
    if let (Err(_), Some((name, rating))) = (results.find(text), text.rsplit_once('=')) {
        let player = results.find(name).context("--anchor")?;
        let value = rating.parse().with_context(|| format!("--anchor: rating `{rating}`"))?;
        return Ok((player, Some(value)));
    }
    Ok((results.find(text).context("--anchor")?, None))
}

/// Adds the player's name to the error, as the mathematics has only indices.
fn named(error: &StatsError, results: &Results) -> anyhow::Error {
    match error {
        StatsError::NotRated { player } => anyhow!("`{}` is not rated", results.names()[*player]),
        error => anyhow!("{error}"),
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
    let simulated = monte_carlo(fit, &plan, &|done| bar.set_position(done));
    bar.finish_and_clear();
    simulated.map(Some).map_err(|error| named(&error, results))
}
