//! `kiki-lab intrinsic report`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use super::answer::IntrinsicReport;
use super::{known, text};
use crate::{Judging, PlayerRating, RatingSettings, Scale, players_of, rank_correlation, rate_player, write_pictures};
use kiki_run::numbers::print_json;
use kiki_run::play_errors::print_warning;

/// Rates all players of judged games
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// The folder of what was judged
    folder: PathBuf,
    #[command(flatten)]
    positions: PositionArgs,
    /// Fit the line to players of known rating: the answer of `kiki-lab rate --json`
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    /// Samples of the games for errors
    #[arg(long, value_name = "N", default_value_t = 200)]
    replicates: u32,
    /// What the samples follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw percentiles, and ratings over errors, into a folder (SVG)
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What positions count, and how.
#[derive(Args, Debug)]
pub(super) struct PositionArgs {
    /// The unit of values, a pawn, in centipawns
    #[arg(long, default_value_t = 100.0)]
    unit: f64,
    /// Leave positions out whose best value is beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 300)]
    lopsided: i32,
}

impl PositionArgs {
    pub(super) fn settings(&self, replicates: u32, seed: u64) -> RatingSettings {
        RatingSettings { unit: self.unit, lopsided: self.lopsided, replicates, seed }
    }
}

pub(super) fn run(arguments: &ReportArgs) -> Result<()> {
    let judging = Judging::read(&arguments.folder)?;
    let settings = arguments.positions.settings(arguments.replicates, arguments.seed);
    let moves = players_of(&judging, &settings)?;
    let players: Vec<PlayerRating> = moves.into_iter().map(|moves| rate_player(moves, &settings)).collect();
    let known = arguments.ratings.as_deref().map_or_else(|| Ok(BTreeMap::new()), known::read)?;
    let points: Vec<(f64, f64)> =
        players.iter().filter_map(|player| Some((player.mean_error()?, *known.get(&player.moves.name)?))).collect();
    let scale = if arguments.ratings.is_some() { Scale::fitted(&points)? } else { Scale::Chess };
    if let Scale::Fitted(fit) = &scale
        && fit.line.slope >= 0.0
    {
        print_warning(&format!(
            "warning: the fitted line rises by {:.0} ± {:.0} Elo with the mean error, as if worse moves made better players: its ratings mean nothing",
            fit.line.slope, fit.error_slope
        ));
    }
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_pictures(folder, &players, &points, &scale)?;
    }
    let by_errors = rank_correlation(&points).map(|correlation| -correlation);
    let best_moves: Vec<(f64, f64)> = players
        .iter()
        .filter_map(|player| Some((player.projection?.match_rate, *known.get(&player.moves.name)?)))
        .collect();
    let report = IntrinsicReport {
        players,
        known,
        scale,
        rank_correlation: by_errors,
        rank_correlation_of_best_moves: rank_correlation(&best_moves),
    };
    if arguments.json {
        return print_json(&text::as_json(&report));
    }
    text::print(&report);
    Ok(())
}
