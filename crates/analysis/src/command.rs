//! `kiki-lab analyze`: games searched by engines, as JSON and as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use kiki_play::pool::RunOptions;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::{Interrupt, exit_code};
use kiki_run::output::{ProgressLine, percent, table, warning};
use kiki_run::say;

use crate::game::AnalyzedGame;
use crate::judgement::SideSummary;
use crate::report::GameReport;
use crate::run::{Analysis, AnalysisSettings, games_of, line_of};
use crate::search_args::SearchArgs;
use crate::searched::SearchProgress;

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
    #[arg(value_name = "GAME", required_unless_present_any = ["sfen", "moves", "resume"], conflicts_with_all = ["sfen", "moves"])]
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
    #[arg(long, value_name = "FOLDER", required_unless_present = "resume")]
    output: Option<PathBuf>,
    /// Continue the run in this folder with its settings
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["games", "numbers", "sfen", "moves", "lines", "to", "output"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
}

pub fn run(arguments: &AnalyzeArgs) -> Result<ExitCode> {
    let options = arguments.search.run_options()?;
    let interrupt = Interrupt::listen()?;
    let (mut analysis, errors) = match &arguments.resume {
        Some(folder) => resume(arguments, folder)?,
        None => match begin(arguments, &options, &interrupt) {
            // A cancelled start is not the engine's fault.
            Err(_) if interrupt.cancellation.token().is_cancelled() => {
                say!("interrupted; nothing was searched");
                return Ok(exit_code(true));
            }
            begun => begun?,
        },
    };
    let (all, before) = analysis.searches.progress();
    let mut line = ProgressLine::new("searches", all as u64, before as u64);
    let settings = analysis.settings.searches();
    let outcome = analysis.searches.run(&settings, &options, &interrupt.cancellation, |found| tell(&mut line, &found));
    line.finish();
    // Shows the results even after a failure.
    let written = analysis.write()?;
    for (report, paths) in &written.games {
        print_summary(report);
        paths.iter().for_each(|path| say!("{}", path.display()));
    }
    if let Some(path) = written.index {
        say!("{}: all games, their players and the worst moves", path.display());
    }
    analysis.searches.conclude(outcome, &interrupt, &errors)
}

/// Reports failures at once: the other searches may take hours.
fn tell(line: &mut ProgressLine, progress: &SearchProgress<'_>) {
    match progress {
        SearchProgress::Done(done, game) => line.show(*done as u64, || game.name.clone()),
        SearchProgress::OneMoveFailed(error) => line.print(warning(&format!(
            "{error}, in a search of the played move alone: such moves get the value of the next position"
        ))),
        SearchProgress::Failed(error) => line.print(warning(&error.to_string())),
    }
}

fn games(arguments: &AnalyzeArgs, errors: &mut InputErrors) -> Result<Vec<AnalyzedGame>> {
    if arguments.games.is_empty() {
        return Ok(vec![line_of(arguments.sfen.as_deref(), arguments.moves.as_deref())?]);
    }
    let games = games_of(&arguments.games, &arguments.numbers, errors);
    ensure!(!games.is_empty(), "there is no game to analyze");
    Ok(games)
}

/// The analysis of a folder. Only the patience may differ from the earlier run.
fn resume(arguments: &AnalyzeArgs, folder: &Path) -> Result<(Analysis, InputErrors)> {
    let mut analysis = Analysis::resume(folder)?;
    if let Some(patience) = arguments.search.named_patience()? {
        analysis.settings.patience = patience;
    }
    let errors = InputErrors::of_earlier_run(&analysis.settings.left_out);
    Ok((analysis, errors))
}

fn begin(arguments: &AnalyzeArgs, options: &RunOptions, interrupt: &Interrupt) -> Result<(Analysis, InputErrors)> {
    // Finds faults of the games before an engine starts.
    let mut errors = InputErrors::default();
    let games = games(arguments, &mut errors)?;
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the result goes"))?;
    let (search, lines) = (&arguments.search, arguments.lines as usize);
    let settings = AnalysisSettings {
        thresholds: search.thresholds()?,
        engines: search.engines(lines, options, interrupt)?,
        lines,
        played: search.played(),
        patience: search.patience()?,
        to: arguments.to.clone(),
        left_out: errors.texts().to_vec(),
    };
    Ok((Analysis::begin(&folder, settings, games)?, errors))
}

/// How both sides played, by each engine.
fn print_summary(report: &GameReport) {
    let game = &report.game;
    say!("{}: {} moves", game.name, game.moves.len());
    let mut rows = Vec::new();
    for summary in &report.summary {
        for (mark, name, side) in [("☗", &game.black, &summary.black.game), ("☖", &game.white, &summary.white.game)]
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
