//! `kiki-lab player`: what the games of a player say, as JSON and as a page.

use std::collections::HashSet;
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_analysis::report::GameReport;
use kiki_analysis::search_args::{PatientRunArgs, SearchArgs};
use kiki_analysis::searched::{self, RunSettings, SearchedGames, lines_of};
use kiki_run::files::{free_name, write_atomically, write_json};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{Journal, PLAYER};
use kiki_run::output::print_json;
use kiki_run::say;

use crate::found::{games_of, keys_of};
use crate::names::PlayerName;
use crate::report::{PAGES, PlayerSettings, report, to_explain};
use crate::{page, terminal};

const EXAMPLE: &str = "\
Example:
  kiki-lab player gps games --part --engine 'target/release/kiki nodes=200000 option.Threads=1' --concurrency 2 --output results/gps

An engine searches the positions of both sides, and compares the player with the opponents. The folder gets NAME.html for people, NAME.json for programs, and pages of the games in `games`.
Unreadable games are reported with file and line; the others count, and the exit status is 1.";

/// Name of the settings file, without extension: no page may take it.
const RESERVED: &str = "player";

/// Make a page about a player from their games: what to study with positions, strengths, mistakes,
/// rating by moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct PlayerArgs {
    #[command(flatten)]
    player: PlayerName,
    /// Game records (CSA, KIF, KI2, USI, JKF), folders of them, and folders of matches
    #[arg(value_name = "FOLDER", required = true)]
    games: Vec<PathBuf>,
    /// Maximum number of games, spread evenly over all games of the player with each colour
    #[arg(long = "games", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    /// Number of best moves to request; the rating needs several
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=600))]
    lines: u32,
    /// The folder for the results; it must not hold a run yet
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// What a resumed run may change.
#[derive(Args, Debug)]
pub struct PlayerResumeArgs {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: PatientRunArgs,
}

/// What to do about engines that fail in searches of the played move alone.
const ADVICE: &str = "begin again with `--played next` to judge such moves";

pub fn run(arguments: &PlayerArgs) -> Result<ExitCode> {
    let options = arguments.search.run.options()?;
    let begin = |interrupt: &_| begin(arguments, interrupt);
    searched::run(begin, &options, ADVICE, to_explain, |searched| write(searched, arguments.json))
}

/// Goes on with the run in a folder.
pub fn resume(folder: &Path, arguments: &PlayerResumeArgs) -> Result<ExitCode> {
    let open = |_: &_| {
        let mut journal = Journal::<RunSettings<_>>::resume(folder, PLAYER)?;
        arguments.run.change(&mut journal.settings.search)?;
        open(journal)
    };
    searched::run(open, &arguments.run.options()?, ADVICE, to_explain, |searched| write(searched, arguments.json))
}

fn open(journal: Journal<RunSettings<PlayerSettings>>) -> Result<SearchedGames<PlayerSettings>> {
    SearchedGames::new(journal, |settings, games| keys_of(games, settings.played))
}

fn begin(arguments: &PlayerArgs, interrupt: &Interrupt) -> Result<SearchedGames<PlayerSettings>> {
    let player = &arguments.player;
    ensure!(!player.is_empty(), "NAME is empty");
    // Finds faults of the games before an engine starts.
    let mut errors = InputErrors::default();
    let games = games_of(&arguments.games, player, arguments.most.map(|most| most as usize), &mut errors)?;
    let search = arguments.search.settings(arguments.lines as usize, errors.texts(), interrupt)?;
    ensure!(search.engines.len() == 1, "one engine judges a player, not {}", search.engines.len());
    let settings = RunSettings { own: PlayerSettings { player: player.clone() }, search };
    open(Journal::begin(&arguments.output, PLAYER, settings, lines_of(&games)?)?)
}

/// Writes and shows what is known.
fn write(searched: &SearchedGames<PlayerSettings>, as_json: bool) -> Result<()> {
    let report = report(searched)?;
    let name = free_name(&searched.settings().own.player.name, &mut HashSet::from([RESERVED.to_owned()]));
    let path = |ending: &str| searched.folder().join(format!("{name}.{ending}"));
    write_json(&path("json"), &report)?;
    write_atomically(&path("html"), page::html(&report)?.as_bytes())?;
    create_dir_all(searched.folder().join(PAGES)).context(PAGES)?;
    let mut written = HashSet::new();
    for question in report.questions.iter().filter(|question| written.insert(question.number)) {
        let Some(page) = &question.page else { continue };
        // Given moves, and a last position, are not to be searched.
        let game = GameReport { complete: report.complete, ..searched.report(question.number)? };
        write_atomically(&searched.folder().join(page), kiki_analysis::page::html(&game)?.as_bytes())?;
    }
    if as_json {
        return print_json(&report);
    }
    terminal::print(&report);
    say!("{}", path("html").display());
    Ok(())
}
