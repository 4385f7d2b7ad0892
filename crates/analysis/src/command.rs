//! `kiki-lab analyze`: games searched by engines, as JSON and as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{RunArgs, WaitArgs, warn_if_crowded};
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_run::files::shell_word;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::{Interrupt, exit_code};
use kiki_run::output::{ProgressLine, name_option, percent, table, warning};
use kiki_run::say;

use crate::game::AnalyzedGame;
use crate::judgement::{SideSummary, Thresholds};
use crate::report::GameReport;
use crate::run::{Analysis, AnalysisProgress, AnalysisSettings, games_of, line_of};
use crate::search::{PlayedMoveSearch, prepare_engines};

const EXAMPLE: &str = "\
Example:
  kiki-lab analyze game.csa --engine 'target/release/kiki nodes=1000000 option.Threads=1' --concurrency 2 --output results/game
  kiki-lab analyze --moves '7g7f 3c3d' --engine 'target/release/kiki nodes=1000000' --output results/line

Games that cannot be read are told with file and line; the others are analysed, and the exit status is 1.";

/// Seconds to wait for an engine that no clock bounds.
const DEFAULT_PATIENCE: u64 = 3600;

/// Searches every position of games by engines; writes what they find as JSON and as a page for a browser
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct AnalyzeArgs {
    /// Game records (CSA, KIF, KI2, USI, JKF), folders of them, and folders of matches
    #[arg(value_name = "GAME", required_unless_present_any = ["sfen", "moves", "resume"], conflicts_with_all = ["sfen", "moves"])]
    games: Vec<PathBuf>,
    /// Only this game of each source, from 1; may be given several times
    #[arg(long = "game", value_name = "N", requires = "games")]
    numbers: Vec<usize>,
    /// A position instead of a game: an SFEN, or `SFEN moves ..`
    #[arg(long)]
    sfen: Option<String>,
    /// Moves from that position, or from the start of a game, in USI
    #[arg(long)]
    moves: Option<String>,
    /// An engine, as one of `match`; may be given several times
    #[arg(long = "engine", value_name = "WORDS", required_unless_present = "resume")]
    engines: Vec<String>,
    /// Settings of all engines that do not set their own
    #[arg(long, value_name = "WORDS")]
    each: Option<String>,
    /// Number of best moves to request
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=600))]
    lines: u32,
    /// How a played move that is not among them gets its value
    #[arg(long, value_enum, default_value_t = PlayedArg::Searchmoves)]
    played: PlayedArg,
    /// Also write each game as a record: values and marks as comments, candidates as variations
    #[arg(long, value_name = "FORM", value_parser = ["kif", "csa", "jkf"])]
    to: Option<String>,
    #[command(flatten)]
    thresholds: ThresholdArgs,
    /// The folder for the results; it must not hold an analysis yet
    #[arg(long, value_name = "FOLDER", required_unless_present = "resume")]
    output: Option<PathBuf>,
    /// Go on in this folder; its settings hold
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["games", "numbers", "sfen", "moves", "engines", "each", "lines", "played", "to", "output"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    waits: WaitArgs,
}

/// Where the value of a played move comes from that is not among the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PlayedArg {
    /// A search of this move alone.
    Searchmoves,
    /// The value of the next position.
    Next,
}

/// When a move is bad.
#[derive(Args, Debug)]
struct ThresholdArgs {
    /// Centipawns that correspond to winning odds of e to 1 [default: 600]
    #[arg(long, value_name = "CP", conflicts_with = "resume")]
    scale: Option<f64>,
    /// The losses of winning probability, from 0 to 1, of an inaccuracy, a mistake and a blunder [default: 0.05,0.1,0.2]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', num_args = 1, conflicts_with = "resume")]
    losses: Option<Vec<f64>>,
}

impl ThresholdArgs {
    fn thresholds(&self) -> Result<Thresholds> {
        let usual = Thresholds::default();
        let [inaccuracy, mistake, blunder] = match self.losses.as_deref() {
            None => [usual.inaccuracy, usual.mistake, usual.blunder],
            Some(&[inaccuracy, mistake, blunder]) => [inaccuracy, mistake, blunder],
            Some(other) => bail!("--losses takes three numbers, not {}", other.len()),
        };
        let scale = self.scale.unwrap_or(usual.scale);
        let thresholds = Thresholds { scale, inaccuracy, mistake, blunder, ..usual };
        thresholds.check().context("--scale, --losses")?;
        Ok(thresholds)
    }
}

/// Runs `analyze`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &AnalyzeArgs) -> Result<ExitCode> {
    let options = arguments.run.with_timeouts(arguments.waits.timeouts()?)?;
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
    let (all, before) = analysis.progress();
    let mut line = ProgressLine::new("searches", all as u64, before as u64);
    let outcome = analysis.run(&options, &interrupt.cancellation, |progress| tell(&mut line, &progress));
    line.finish();
    let (_, done) = analysis.progress();
    // Shows the results even after a failure.
    for (report, paths) in analysis.write()? {
        print_summary(&report);
        paths.iter().for_each(|path| say!("{}", path.display()));
    }
    let go_on = format!("{done} of {all} searches done; go on with: kiki-lab resume {}", shell_word(analysis.folder()));
    let failures = outcome.map_err(|error| anyhow!("{error:#}; {go_on}"))?;
    let is_interrupted = done < all && interrupt.cancellation.token().is_cancelled();
    if is_interrupted {
        say!("interrupted; {go_on}");
    } else if failures > 0 {
        bail!("{failures} searches failed; {go_on}");
    }
    Ok(errors.exit_code_of_run(is_interrupted))
}

/// Reports failures at once: the other searches may take hours.
fn tell(line: &mut ProgressLine, progress: &AnalysisProgress<'_>) {
    match progress {
        AnalysisProgress::Done(done, game) => line.show(*done as u64, || game.name.clone()),
        AnalysisProgress::OneMoveFailed(error) => line.print(warning(&format!(
            "{error}; it was to search the played move alone: such moves get the value of the next position"
        ))),
        AnalysisProgress::Failed(error) => line.print(warning(&error.to_string())),
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
    if arguments.waits.has_patience() {
        analysis.set_patience(arguments.waits.patience(None, DEFAULT_PATIENCE)?);
    }
    let errors = InputErrors::of_earlier_run(analysis.left_out());
    Ok((analysis, errors))
}

fn begin(arguments: &AnalyzeArgs, options: &RunOptions, interrupt: &Interrupt) -> Result<(Analysis, InputErrors)> {
    // Finds faults of the games before an engine starts.
    let mut errors = InputErrors::default();
    let games = games(arguments, &mut errors)?;
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the result goes"))?;
    let thresholds = arguments.thresholds.thresholds()?;
    let specs = engines(arguments)?;
    warn_if_crowded(&specs, options.concurrency);
    let lines = arguments.lines as usize;
    let engines = prepare_engines(&specs, lines, options, &interrupt.cancellation).map_err(name_option)?;
    let patience = arguments.waits.patience(None, DEFAULT_PATIENCE)?;
    let played = match arguments.played {
        PlayedArg::Searchmoves => PlayedMoveSearch::Searchmoves,
        PlayedArg::Next => PlayedMoveSearch::Next,
    };
    let left_out = errors.texts().to_vec();
    let to = arguments.to.clone();
    let settings = AnalysisSettings { engines, lines, played, thresholds, patience, to, left_out };
    Ok((Analysis::begin(&folder, settings, games)?, errors))
}

/// The engines. Their names must differ, and their search limits must be above 0.
fn engines(arguments: &AnalyzeArgs) -> Result<Vec<PlayerSpec>> {
    let each = EngineWords::parse(arguments.each.as_deref().unwrap_or_default()).context("--each")?;
    let mut engines: Vec<PlayerSpec> = Vec::with_capacity(arguments.engines.len());
    for text in &arguments.engines {
        let words = EngineWords::parse(text).and_then(|words| words.complete(&each));
        let spec = words.with_context(|| format!("--engine {text}"))?;
        let limit = spec.limits;
        let is_nothing = limit.depth == Some(0) || [limit.nodes, limit.movetime].contains(&Some(0));
        ensure!(!is_nothing, "--engine {text}: a search of 0 plies, nodes or milliseconds finds nothing");
        ensure!(!spec.ponder, "--engine {text}: nobody ponders in an analysis");
        let is_twice = engines.iter().any(|other| other.name == spec.name);
        ensure!(!is_twice, "two engines are named `{}`: give them names by name=..", spec.name);
        engines.push(spec);
    }
    Ok(engines)
}

/// How both sides played, by each engine.
fn print_summary(report: &GameReport) {
    let game = &report.game;
    say!("{}: {} moves", game.name, game.moves.len());
    let mut rows = Vec::new();
    for summary in &report.summary {
        for (mark, name, side) in [("☗", &game.black, &summary.black), ("☖", &game.white, &summary.white)] {
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
