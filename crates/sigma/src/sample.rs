//! `kiki-lab sigma sample`: positions with the value of a search to each depth up to a maximum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use kiki_board::Position;
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{Evaluator as _, SelectedEvaluator};
use kiki_games::positions::{SampledPosition, sampled_from};
use kiki_run::ensure_usage;
use kiki_run::evaluation::{EvaluationNote, SearchRunArgs, SearcherArgs};
use kiki_run::files::{absolute, read_text};
use kiki_run::input_errors::{InputErrors, exit_code_of_run, tell_left_out};
use kiki_run::interrupt::tell_to_resume;
use kiki_run::journal::{Journal, SAMPLE};
use kiki_run::list_run::{ItemLine, ListRun};
use kiki_run::output::{or_dash, print_json};
use kiki_run::say;
use kiki_run::usage::WrongUsage;
use kiki_search::{Bound, Limits, Options, ProbCutMode, ProbCutOptions, RootScore, Searched, Searcher};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A greater value, in centipawns, means that the game is decided.
const GREATEST_VALUE: i32 = 3000;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleSettings {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) evaluation: EvaluationNote,
    /// Greatest depth in plies.
    pub(crate) depth: u32,
    /// Size of each search's transposition table.
    pub(crate) table_mebibytes: usize,
    /// Errors of unreadable parts of the sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// Reason why a position has no values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SampleExclusion {
    InCheck,
    /// A search found a mate, a win by declaration, or no legal move.
    Mate,
    /// A value is greater than 3,000 centipawns.
    Decided,
}

/// Result of a position: the value of each depth from 1 on, for the side to move, in centipawns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SampleOutcome {
    Values(Vec<i32>),
    LeftOut(SampleExclusion),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleLine {
    /// Index of the position in the list.
    position: usize,
    #[serde(flatten)]
    pub(crate) outcome: SampleOutcome,
}

impl ItemLine for SampleLine {
    fn item(&self) -> usize {
        self.position
    }
}

/// Positions with the results so far.
pub(crate) type Sample = ListRun<SampleSettings, SampledPosition, SampleLine>;

/// A sample with the static values of the positions that have values.
pub(crate) struct DepthSample {
    pub(crate) run: Sample,
    pub(crate) static_values: BTreeMap<usize, i32>,
}

impl DepthSample {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let run = Sample::new(Journal::read(folder, SAMPLE)?, position_of)?;
        let weights = Arc::new(run.journal.settings.evaluation.load()?);
        let value = |(&index, line): (&usize, &SampleLine)| {
            let position = &run.items[index].position;
            let has_values = matches!(line.outcome, SampleOutcome::Values(_));
            has_values.then(|| (index, SelectedEvaluator::new(&weights, position).evaluate(position)))
        };
        let static_values = run.found.iter().filter_map(value).collect();
        Ok(Self { run, static_values })
    }
}

fn search(sample: &mut Sample, threads: usize) -> Result<()> {
    let settings = &sample.journal.settings;
    let weights = settings.evaluation.load()?;
    let options = Options {
        table_mebibytes: settings.table_mebibytes,
        // The values measure the error that ProbCut relies on, so its cuts must not shape them.
        probcut: ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() },
        ..Options::default()
    };
    let limits = Limits { depth: Some(settings.depth), ..Limits::default() };
    let new_searcher = || Ok(Searcher::new(weights.clone(), options)?);
    sample.search(
        &sample.missing(),
        threads,
        new_searcher,
        |searcher: &mut Searcher<SelectedEvaluator>, index, sampled, stop| {
            let line = |outcome| SampleLine { position: index, outcome };
            if sampled.position.in_check() {
                return Ok(Some(line(SampleOutcome::LeftOut(SampleExclusion::InCheck))));
            }
            let searched = searcher.search_anew(&sampled.position, &limits, stop);
            Ok(searched.map(|searched| line(outcome_of(&searched))))
        },
    )
}

/// Number of positions with values, and of those left out by reason.
fn counts(sample: &Sample) -> (usize, BTreeMap<SampleExclusion, usize>) {
    let mut left_out: BTreeMap<SampleExclusion, usize> =
        [SampleExclusion::InCheck, SampleExclusion::Mate, SampleExclusion::Decided].map(|reason| (reason, 0)).into();
    let mut values = 0;
    for line in sample.found.values() {
        match line.outcome {
            SampleOutcome::Values(_) => values += 1,
            SampleOutcome::LeftOut(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    (values, left_out)
}

/// Values of all iterations, unless one is a mate or too great.
fn outcome_of(searched: &Searched) -> SampleOutcome {
    let exact = searched.lines.iter().filter(|info| info.bound == Bound::Exact && info.multipv == 1);
    let mut values: BTreeMap<u32, i32> = BTreeMap::new();
    for info in exact {
        match info.score {
            RootScore::Mate(_) => return SampleOutcome::LeftOut(SampleExclusion::Mate),
            RootScore::Centipawns(value) if value.abs() > GREATEST_VALUE => {
                return SampleOutcome::LeftOut(SampleExclusion::Decided);
            }
            RootScore::Centipawns(value) => values.insert(info.depth, value),
        };
    }
    match searched.result.score {
        RootScore::Mate(_) => SampleOutcome::LeftOut(SampleExclusion::Mate),
        RootScore::Centipawns(_) => SampleOutcome::Values(values.into_values().collect()),
    }
}

fn line_of(sampled: &SampledPosition) -> String {
    format!("{}\t{}\t{}", sampled.position.to_sfen(), sampled.game, or_dash(sampled.progress))
}

fn position_of(line: &str) -> Result<SampledPosition> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [sfen, game, progress] = cells[..] else { bail!("three cells are expected") };
    let progress = match progress {
        "-" => None,
        number => Some(number.parse().with_context(|| format!("`{number}` is no number"))?),
    };
    let game = game.parse().with_context(|| format!("`{game}` is no number of a game"))?;
    Ok(SampledPosition { position: Position::from_sfen(sfen)?, game, progress, played: None })
}

/// Arguments of searches of drawn positions with a model of sigma.
#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    /// Source of positions; may be given several times: a folder of a match, training data, game
    /// records or a folder of them
    #[arg(long, value_name = "PATH", required = true)]
    positions: Vec<PathBuf>,
    /// Number of positions to draw at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Search depth in plies; of `gamble` for the move in question
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) depth: u32,
    /// The model of sigma, as `kiki-lab sigma fit` writes it
    #[arg(long, value_name = "FILE", required = true)]
    model: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearcherArgs,
}

impl ModelArgs {
    pub(crate) fn model(&self) -> Result<Arc<SigmaModel>> {
        let path = self.model.as_deref().ok_or_else(|| WrongUsage("--model is missing".to_owned()))?;
        let model = SigmaModel::from_text(&read_text(path)?).with_context(|| path.display().to_string())?;
        ensure!(!model.pairs.is_empty(), "{}: the model has no pair of depths", path.display());
        Ok(Arc::new(model))
    }

    /// Draws positions, those after `ply - 1` plies if it is given.
    pub(crate) fn draw(&self, ply: Option<u32>, errors: &mut InputErrors) -> Result<Vec<SampledPosition>> {
        ensure_usage!(self.count > 0, "--count 0: there is nothing to search");
        sampled_from(&self.positions, self.count, self.seed, ply, errors)
    }
}

/// Searches positions to every depth up to --depth, without ProbCut, and stores the values
#[derive(Args, Debug)]
pub(crate) struct SampleArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// Source of positions; may be given several times: a folder of a match, a file of training
    /// data, a game record or a folder of them
    #[arg(long, value_name = "PATH", required = true)]
    positions: Vec<PathBuf>,
    /// Number of positions to draw at random
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    count: usize,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Greatest depth in plies
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=60))]
    depth: u32,
    #[command(flatten)]
    search: SearcherArgs,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &SampleArgs) -> Result<ExitCode> {
    let threads = arguments.search.threads.count()?;
    go_on(begin(arguments)?, threads, arguments.json)
}

pub fn resume(folder: &Path, options: &SearchRunArgs) -> Result<ExitCode> {
    let threads = options.threads.count()?;
    let journal = Journal::<SampleSettings>::resume(folder, SAMPLE)?;
    tell_left_out(&journal.settings.left_out);
    go_on(journal, threads, options.json)
}

fn begin(arguments: &SampleArgs) -> Result<Journal<SampleSettings>> {
    ensure_usage!(arguments.count > 0, "--count 0: there is nothing to search");
    let mut errors = InputErrors::default();
    let positions = sampled_from(&arguments.positions, arguments.count, arguments.seed, None, &mut errors)?;
    let settings = SampleSettings {
        sources: absolute(&arguments.positions)?,
        seed: arguments.seed,
        evaluation: arguments.search.evaluation.note()?,
        depth: arguments.depth,
        table_mebibytes: arguments.search.table,
        left_out: errors.texts().to_vec(),
    };
    Journal::begin(&arguments.folder, SAMPLE, settings, positions.iter().map(line_of).collect())
}

fn go_on(journal: Journal<SampleSettings>, threads: usize, as_json: bool) -> Result<ExitCode> {
    let mut sample = Sample::new(journal, position_of)?;
    search(&mut sample, threads)?;
    let (values, left_out) = counts(&sample);
    let (positions, searched) = (sample.items.len(), sample.found.len());
    let (folder, is_complete) = (sample.journal.folder(), sample.is_complete());
    if as_json {
        print_json(&json!({
            "ending": if is_complete { "complete" } else { "interrupted" },
            "folder": folder,
            "positions": positions,
            "searched": searched,
            "values": values,
            "left_out": left_out,
        }))?;
    } else {
        let [in_check, mate, decided] =
            [SampleExclusion::InCheck, SampleExclusion::Mate, SampleExclusion::Decided].map(|reason| left_out[&reason]);
        say!(
            "{searched} of {positions} positions searched: {values} with values; left out: {in_check} in check, \
             {mate} won or lost by force, {decided} with a value beyond 3000"
        );
        if !is_complete {
            tell_to_resume(folder);
        }
    }
    Ok(exit_code_of_run(&sample.journal.settings.left_out, !is_complete))
}
