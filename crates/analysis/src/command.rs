//! `kiki-lab analyze`: games searched by engines, as JSON and as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use kiki_judgement::SideSummary;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{ANALYSIS, Journal};
use kiki_run::output::{percent, table};
use kiki_run::say;

use crate::game::AnalyzedGame;
use crate::report::GameReport;
use crate::run::{self, Analysis, AnalysisSettings, games_of, keys_of, line_of};
use crate::search_args::{PatientRunArgs, SearchArgs};
use crate::searched::{self, RunSettings, lines_of};

pub use crate::search::SearchJob;

const EXAMPLE: &str = "\
Example:
  kiki-lab analyze game.csa --engine 'target/release/kiki nodes=1000000 option.Threads=1' --concurrency 2 --output results/game
  kiki-lab analyze --moves '7g7f 3c3d' --engine 'target/release/kiki nodes=1000000' --output results/line

Unreadable games are reported with file and line; the others are analysed, and the exit status is 1.";

/// Analyze every position of games with USI engines; write JSON and an HTML page
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct AnalyzeArgs {
    /// Game records (CSA, KIF, KI2, USI, JKF), folders of them, and folders of matches
    #[arg(value_name = "GAME", required_unless_present_any = ["sfen", "moves"], conflicts_with_all = ["sfen", "moves"])]
    games: Vec<PathBuf>,
    /// Only this game of each source, counted from 1; may be given several times
    #[arg(long = "game", value_name = "N", requires = "games")]
    numbers: Vec<usize>,
    /// A position instead of a game: an SFEN, or `SFEN moves ..`
    #[arg(long)]
    sfen: Option<String>,
    /// Moves in USI from that position, or from the start of a game
    #[arg(long)]
    moves: Option<String>,
    /// Number of best moves to request (MultiPV)
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=600))]
    lines: u32,
    /// Also write each game as a record: values and marks as comments, candidates as variations
    #[arg(long, value_name = "FORM", value_parser = ["kif", "csa", "jkf"])]
    to: Option<String>,
    /// The folder for the results; it must not hold an analysis yet
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    search: SearchArgs,
}

/// What to do about engines that fail in searches of the played move alone.
const ADVICE: &str = "such moves get the value of the next position";

pub fn run(arguments: &AnalyzeArgs) -> Result<ExitCode> {
    let options = arguments.search.run.options()?;
    searched::run(|interrupt| begin(arguments, interrupt), &options, ADVICE, run::to_explain, write)
}

/// Goes on with the analysis in a folder.
pub fn resume(folder: &Path, arguments: &PatientRunArgs) -> Result<ExitCode> {
    let open = |_: &_| {
        let mut journal = Journal::<RunSettings<_>>::resume(folder, ANALYSIS)?;
        arguments.change(&mut journal.settings.search)?;
        open(journal)
    };
    searched::run(open, &arguments.options()?, ADVICE, run::to_explain, write)
}

fn open(journal: Journal<RunSettings<AnalysisSettings>>) -> Result<Analysis> {
    Analysis::new(journal, |settings, games| keys_of(games, settings.engines.len()))
}

/// Writes and tells the results.
fn write(analysis: &Analysis) -> Result<()> {
    let written = run::write(analysis)?;
    for (report, paths) in &written.games {
        print_summary(report);
        paths.iter().for_each(|path| say!("{}", path.display()));
    }
    if let Some(path) = written.index {
        say!("{}: all games, their players and the worst moves", path.display());
    }
    Ok(())
}

fn games(arguments: &AnalyzeArgs, errors: &mut InputErrors) -> Result<Vec<AnalyzedGame>> {
    if arguments.games.is_empty() {
        return Ok(vec![line_of(arguments.sfen.as_deref(), arguments.moves.as_deref())?]);
    }
    let games = games_of(&arguments.games, &arguments.numbers, errors);
    ensure!(!games.is_empty(), "there is no game to analyze");
    Ok(games)
}

fn begin(arguments: &AnalyzeArgs, interrupt: &Interrupt) -> Result<Analysis> {
    // Finds faults of the games before an engine starts.
    let mut errors = InputErrors::default();
    let games = games(arguments, &mut errors)?;
    let search = arguments.search.settings(arguments.lines as usize, errors.texts(), interrupt)?;
    let settings = RunSettings { own: AnalysisSettings { to: arguments.to.clone() }, search };
    open(Journal::begin(&arguments.output, ANALYSIS, settings, lines_of(&games)?)?)
}

/// How both sides played, by each engine.
fn print_summary(report: &GameReport) {
    let game = &report.game;
    say!("{}: {} moves", game.head.name, game.moves.len());
    let mut rows = Vec::new();
    for summary in &report.summary {
        for (mark, name, side) in
            [("☗", &game.head.black, &summary.black.game), ("☖", &game.head.white, &summary.white.game)]
        {
            rows.extend(row(&format!("{mark}{name} by {}", summary.engine), side));
        }
        if summary.without_value > 0 {
            say!("{} told no value in {} positions", summary.engine, summary.without_value);
        }
    }
    if !rows.is_empty() {
        say!("{}", table(&["player", "accuracy", "judged", "best moves", "mean loss", "?!", "?", "??"], rows));
    }
}

/// `None` if nothing was judged.
fn row(name: &str, side: &SideSummary) -> Option<Vec<String>> {
    Some(vec![
        name.to_owned(),
        format!("{:.1}", side.accuracy?),
        side.judged.to_string(),
        side.best_moves.to_string(),
        percent(side.mean_loss?),
        side.inaccuracies.to_string(),
        side.mistakes.to_string(),
        side.blunders.to_string(),
    ])
}
