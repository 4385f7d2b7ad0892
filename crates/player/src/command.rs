//! `kiki-lab player`: what the games of a player say, as JSON and as a page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use kiki_analysis::judgement::Thresholds;
use kiki_analysis::search::{AnalysisEngine, PlayedMoveSearch};
use kiki_analysis::search_args::SearchArgs;
use kiki_analysis::searched::{SearchProgress, SearchSettings, SearchedGames};
use kiki_run::files::{free_name, write_atomically, write_json};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::{Interrupt, exit_code};
use kiki_run::journal::PLAYER;
use kiki_run::output::{ProgressLine, print_json, warning};
use kiki_run::say;
use serde::{Deserialize, Serialize};

use crate::found::{games_of, keys_of};
use crate::names::PlayerName;
use crate::report::{PlayerSettings, report};
use crate::{page, terminal};

const EXAMPLE: &str = "\
Example:
  kiki-lab player gps games --part --engine 'target/release/kiki nodes=200000 option.Threads=1' --concurrency 2 --output results/gps

An engine searches the positions of both sides, and compares the player with the opponents. The folder gets NAME.html for people and NAME.json for programs.
Unreadable games are reported with file and line; the others count, and the exit status is 1.";

/// Name of the settings file, without extension: no page may take it.
const RESERVED: &str = "player";

/// Make a page about a player from their games: rating by moves, strengths, mistakes, positions to
/// study
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct PlayerArgs {
    /// The player's name in the records; blanks and case do not matter
    #[arg(required_unless_present = "resume")]
    name: Option<String>,
    /// Game records (CSA, KIF, KI2, USI, JKF), folders of them, and folders of matches
    #[arg(value_name = "FOLDER", required_unless_present = "resume")]
    games: Vec<PathBuf>,
    /// Count names that contain NAME as the player's too
    #[arg(long)]
    part: bool,
    /// Maximum number of games, spread evenly over all games of the player
    #[arg(long = "games", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    /// Number of best moves to request; the rating needs several
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=600))]
    lines: u32,
    /// The folder for the results; it must not hold a run yet
    #[arg(long, value_name = "FOLDER", required_unless_present = "resume")]
    output: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Continue the run in this folder with its settings
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["name", "games", "part", "most", "lines", "output"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    player: PlayerName,
    engines: Vec<AnalysisEngine>,
    lines: usize,
    played: PlayedMoveSearch,
    thresholds: Thresholds,
    /// Milliseconds to wait for an engine beyond its time.
    patience: u64,
    /// Errors in reading the games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

pub fn run(arguments: &PlayerArgs) -> Result<ExitCode> {
    let options = arguments.search.run_options()?;
    let interrupt = Interrupt::listen()?;
    let (mut searched, settings, errors) = match &arguments.resume {
        Some(folder) => resume(arguments, folder)?,
        None => match begin(arguments, &interrupt) {
            // A cancelled start is not the engine's fault.
            Err(_) if interrupt.cancellation.token().is_cancelled() => {
                say!("interrupted; nothing was searched");
                return Ok(exit_code(true));
            }
            begun => begun?,
        },
    };
    let (all, before) = searched.progress();
    let mut line = ProgressLine::new("searches", all as u64, before as u64);
    let how = SearchSettings {
        engines: &settings.engines,
        lines: settings.lines,
        played: settings.played,
        patience: settings.patience,
    };
    let outcome = searched.run(&how, &options, &interrupt.cancellation, |progress| tell(&mut line, &progress));
    line.finish();
    // Shows the results even after a failure.
    write(&searched, &settings, arguments.json)?;
    searched.conclude(outcome, &interrupt, &errors)
}

/// Reports failures at once: the other searches may take hours.
fn tell(line: &mut ProgressLine, progress: &SearchProgress<'_>) {
    match progress {
        SearchProgress::Done(done, game) => line.show(*done as u64, || game.name.clone()),
        SearchProgress::OneMoveFailed(error) => line.print(warning(&format!(
            "{error}, in a search of the played move alone: begin again with `--played next` to judge such moves"
        ))),
        SearchProgress::Failed(error) => line.print(warning(&error.to_string())),
    }
}

/// The run of a folder. Only the patience may differ from the earlier run.
fn resume(arguments: &PlayerArgs, folder: &Path) -> Result<(SearchedGames, Settings, InputErrors)> {
    let (searched, mut settings) =
        SearchedGames::resume(folder, PLAYER, |settings: &Settings, games| keys_of(games, settings.played))?;
    if let Some(patience) = arguments.search.named_patience()? {
        settings.patience = patience;
    }
    let errors = InputErrors::of_earlier_run(&settings.left_out);
    Ok((searched, settings, errors))
}

fn begin(arguments: &PlayerArgs, interrupt: &Interrupt) -> Result<(SearchedGames, Settings, InputErrors)> {
    let player = PlayerName { name: arguments.name.clone().unwrap_or_default(), part: arguments.part };
    ensure!(!player.is_empty(), "NAME is empty");
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the result goes"))?;
    // Finds faults of the games before an engine starts.
    let mut errors = InputErrors::default();
    let games = games_of(&arguments.games, &player, arguments.most.map(|most| most as usize), &mut errors)?;
    let (search, lines) = (&arguments.search, arguments.lines as usize);
    let engines = search.engines(lines, &search.run_options()?, interrupt)?;
    ensure!(engines.len() == 1, "one engine judges a player, not {}", engines.len());
    let settings = Settings {
        player,
        engines,
        lines,
        played: search.played(),
        thresholds: search.thresholds()?,
        patience: search.patience()?,
        left_out: errors.texts().to_vec(),
    };
    let keys = keys_of(&games, settings.played)?;
    Ok((SearchedGames::begin(&folder, PLAYER, &settings, games, keys)?, settings, errors))
}

/// Writes and shows what is known.
fn write(searched: &SearchedGames, settings: &Settings, as_json: bool) -> Result<()> {
    let Settings { player, engines, lines, thresholds, .. } = settings;
    let report = report(searched, &PlayerSettings { player, engines, lines: *lines, thresholds })?;
    let name = free_name(&player.name, &mut HashSet::from([RESERVED.to_owned()]));
    let path = |ending: &str| searched.folder().join(format!("{name}.{ending}"));
    write_json(&path("json"), &report)?;
    write_atomically(&path("html"), page::html(&report)?.as_bytes())?;
    if as_json {
        return print_json(&report);
    }
    terminal::print(&report);
    say!("{}", path("html").display());
    Ok(())
}
