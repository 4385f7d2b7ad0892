//! `kiki-lab sigma sample`: positions with the value of a search to each depth up to a maximum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_board::Position;
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{Evaluator as _, SelectedEvaluator};
use kiki_games::positions::{SampledPosition, sampled_from};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_run::evaluation::{EvaluationNote, SearchArgs};
use kiki_run::files::{absolute, shell_word};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::journal::{Journal, SAMPLE};
use kiki_run::output::{ProgressLine, print_json};
use kiki_run::parallel;
use kiki_run::say;
use kiki_search::{Bound, Limits, Options, ProbCutMode, ProbCutOptions, RootScore, Searched, Searcher};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A greater value, in centipawns, means that the game is decided.
const GREATEST_VALUE: i32 = 3000;

/// Settings of a sample, as its folder keeps them.
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
pub(crate) enum LeftOut {
    /// The side to move is in check.
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
    LeftOut(LeftOut),
}

/// Line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleLine {
    /// Index of the position in the list.
    position: usize,
    #[serde(flatten)]
    outcome: SampleOutcome,
}

/// A sample with the results so far.
pub(crate) struct DepthSample {
    pub(crate) settings: SampleSettings,
    pub(crate) positions: Vec<SampledPosition>,
    /// Results by the index of the position.
    pub(crate) outcomes: BTreeMap<usize, SampleOutcome>,
    /// Static values of positions that have values; only [`DepthSample::read`] computes them.
    pub(crate) static_values: BTreeMap<usize, i32>,
    journal: Journal,
}

impl DepthSample {
    pub(crate) fn begin(folder: &Path, settings: SampleSettings, positions: Vec<SampledPosition>) -> Result<Self> {
        let list: Vec<String> = positions.iter().map(line_of).collect();
        let journal = Journal::create(folder, SAMPLE, &settings, &list)?;
        Ok(Self { settings, positions, outcomes: BTreeMap::new(), static_values: BTreeMap::new(), journal })
    }

    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::resume(folder, SAMPLE)?;
        Self::of(journal, settings, &list)
    }

    /// Reads a sample and computes static values.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::read(folder, SAMPLE)?;
        let mut sample = Self::of(journal, settings, &list)?;
        let weights = Arc::new(sample.settings.evaluation.load()?);
        for (&index, outcome) in &sample.outcomes {
            if matches!(outcome, SampleOutcome::Values(_)) {
                let position = &sample.positions[index].position;
                let value = SelectedEvaluator::new(&weights, position).evaluate(position);
                sample.static_values.insert(index, value);
            }
        }
        Ok(sample)
    }

    fn of(mut journal: Journal, settings: SampleSettings, list: &[String]) -> Result<Self> {
        let place = || journal.folder().join(SAMPLE.list).display().to_string();
        let position = |(index, line): (usize, &String)| {
            position_of(line).with_context(|| format!("{}, line {}", place(), index + 1))
        };
        let positions: Vec<SampledPosition> = list.iter().enumerate().map(position).collect::<Result<_>>()?;
        let mut outcomes = BTreeMap::new();
        journal.replay(|SampleLine { position, outcome }| {
            positions.get(position).with_context(|| format!("there is no position {position}"))?;
            outcomes.insert(position, outcome);
            Ok(())
        })?;
        Ok(Self { settings, positions, outcomes, static_values: BTreeMap::new(), journal })
    }

    /// Searches the remaining positions until `stop` is set. Calls `each` with the number of finished positions.
    pub(crate) fn run(&mut self, threads: usize, stop: &AtomicBool, mut each: impl FnMut(usize)) -> Result<()> {
        let weights = self.settings.evaluation.load()?;
        let options = Options {
            table_mebibytes: self.settings.table_mebibytes,
            // The values measure the error that ProbCut relies on, so its cuts must not shape them.
            probcut: ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() },
            ..Options::default()
        };
        let limits = Limits { depth: Some(self.settings.depth), ..Limits::default() };
        let Self { positions, outcomes, journal, .. } = self;
        let missing: Vec<usize> = (0..positions.len()).filter(|index| !outcomes.contains_key(index)).collect();
        let new_searcher = || Ok(Searcher::new(weights.clone(), options)?);
        let look = |searcher: &mut Searcher<SelectedEvaluator>, &index: &usize| {
            let position = &positions[index].position;
            if position.in_check() {
                return Some(SampleOutcome::LeftOut(LeftOut::InCheck));
            }
            Some(outcome_of(&searcher.search_anew(position, &limits, stop)?))
        };
        parallel::for_each(&missing, threads, new_searcher, look, |index, outcome| {
            let position = missing[index];
            journal.append(&SampleLine { position, outcome: outcome.clone() })?;
            outcomes.insert(position, outcome);
            each(outcomes.len());
            Ok(())
        })
    }

    /// Whether all positions have a result.
    pub(crate) fn is_complete(&self) -> bool {
        self.outcomes.len() == self.positions.len()
    }

    /// Number of positions with values, and of those left out by reason.
    fn counts(&self) -> (usize, BTreeMap<LeftOut, usize>) {
        let mut left_out: BTreeMap<LeftOut, usize> =
            [LeftOut::InCheck, LeftOut::Mate, LeftOut::Decided].map(|reason| (reason, 0)).into();
        let mut values = 0;
        for outcome in self.outcomes.values() {
            match outcome {
                SampleOutcome::Values(_) => values += 1,
                SampleOutcome::LeftOut(reason) => *left_out.entry(*reason).or_default() += 1,
            }
        }
        (values, left_out)
    }
}

/// Values of all iterations, unless one is a mate or too great.
fn outcome_of(searched: &Searched) -> SampleOutcome {
    let exact = searched.lines.iter().filter(|info| info.bound == Bound::Exact && info.multipv == 1);
    let mut values: BTreeMap<u32, i32> = BTreeMap::new();
    for info in exact {
        match info.score {
            RootScore::Mate(_) => return SampleOutcome::LeftOut(LeftOut::Mate),
            RootScore::Centipawns(value) if value.abs() > GREATEST_VALUE => {
                return SampleOutcome::LeftOut(LeftOut::Decided);
            }
            RootScore::Centipawns(value) => values.insert(info.depth, value),
        };
    }
    match searched.result.score {
        RootScore::Mate(_) => SampleOutcome::LeftOut(LeftOut::Mate),
        RootScore::Centipawns(_) => SampleOutcome::Values(values.into_values().collect()),
    }
}

fn line_of(sampled: &SampledPosition) -> String {
    let progress = sampled.progress.map_or_else(|| "-".to_owned(), |progress| progress.to_string());
    format!("{}\t{}\t{progress}", sampled.position.to_sfen(), sampled.game)
}

fn position_of(line: &str) -> Result<SampledPosition> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [sfen, game, progress] = cells[..] else { return Err(anyhow!("three cells are expected")) };
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
    /// Source of positions; may be given several times: a folder of a match, training data, game records or a folder of them
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
    pub(crate) search: SearchArgs,
}

impl ModelArgs {
    pub(crate) fn model(&self) -> Result<Arc<SigmaModel>> {
        let path = self.model.as_deref().context("--model is missing")?;
        let place = || path.display().to_string();
        let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
        let model = SigmaModel::from_text(&text).with_context(place)?;
        ensure!(!model.pairs.is_empty(), "{}: the model has no pair of depths", place());
        Ok(Arc::new(model))
    }

    /// Draws positions, those after `ply - 1` plies if it is given.
    pub(crate) fn draw(&self, ply: Option<u32>, errors: &mut InputErrors) -> Result<Vec<SampledPosition>> {
        ensure!(self.count > 0, "--count 0: there is nothing to search");
        sampled_from(&self.positions, self.count, self.seed, ply, errors)
    }
}

/// Searches positions to every depth up to --depth, without ProbCut, and stores the values
#[derive(Args, Debug)]
pub(crate) struct SampleArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// Continue an earlier sample with its settings
    #[arg(long, hide = true, conflicts_with_all = ["positions", "count", "seed", "depth", "network", "fv_scale", "table"])]
    resume: bool,
    /// Source of positions; may be given several times: a folder of a match, a file of training data, a game record or a
    /// folder of them
    #[arg(long, value_name = "PATH", required_unless_present = "resume")]
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
    search: SearchArgs,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &SampleArgs) -> Result<ExitCode> {
    let threads = arguments.search.threads.count()?;
    let (mut sample, errors) = if arguments.resume { resume(&arguments.folder)? } else { begin(arguments)? };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", sample.positions.len() as u64, sample.outcomes.len() as u64);
    sample.run(threads, &stop, |done| line.show(done as u64, String::new))?;
    line.finish();
    if arguments.json {
        print_json(&as_json(&sample, &arguments.folder))?;
    } else {
        report(&sample, &arguments.folder);
    }
    Ok(errors.exit_code_of_run(!sample.is_complete()))
}

fn resume(folder: &Path) -> Result<(DepthSample, InputErrors)> {
    let sample = DepthSample::resume(folder)?;
    let errors = InputErrors::of_earlier_run(&sample.settings.left_out);
    Ok((sample, errors))
}

fn begin(arguments: &SampleArgs) -> Result<(DepthSample, InputErrors)> {
    ensure!(arguments.count > 0, "--count 0: there is nothing to search");
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
    Ok((DepthSample::begin(&arguments.folder, settings, positions)?, errors))
}

fn as_json(sample: &DepthSample, folder: &Path) -> Value {
    let (values, left_out) = sample.counts();
    json!({
        "ending": if sample.is_complete() { "complete" } else { "interrupted" },
        "folder": folder,
        "positions": sample.positions.len(),
        "searched": sample.outcomes.len(),
        "values": values,
        "left_out": left_out,
    })
}

fn report(sample: &DepthSample, folder: &Path) {
    let (values, left_out) = sample.counts();
    say!(
        "{} of {} positions searched: {values} with values; left out: {} in check, {} won or lost by force, {} with a value beyond 3000",
        sample.outcomes.len(),
        sample.positions.len(),
        left_out[&LeftOut::InCheck],
        left_out[&LeftOut::Mate],
        left_out[&LeftOut::Decided]
    );
    if !sample.is_complete() {
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(folder));
    }
}
