//! Positions searched deeper and deeper, with the value of every depth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, anyhow};
use kiki_board::Position;
use kiki_eval::{Evaluator as _, SelectedEvaluator};
use kiki_search::{Bound, Limits, Options, ProbCutMode, ProbCutOptions, RootScore};
use serde::{Deserialize, Serialize};

use kiki_games::positions::SampledPosition;
use kiki_run::evaluation_note::EvaluationNote;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::SAMPLE;
use kiki_run::parallel;
use kiki_run::position_search::{PositionSearcher, SearchedPosition};

/// Values beyond this, in centipawns, are those of games that are decided.
const GREATEST_VALUE: i32 = 3000;

/// What a sample was made with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleSettings {
    /// Where the positions come from.
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) evaluation: EvaluationNote,
    /// The deepest search in plies.
    pub(crate) depth: u32,
    /// Of each search's table.
    pub(crate) table_mebibytes: usize,
    /// What could not be read of the sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// Why a position has no values.
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

/// What the searches of a position found: the value of each depth from 1 on, for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SampleOutcome {
    Values(Vec<i32>),
    LeftOut(LeftOut),
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleLine {
    /// The place of the position in the list, from 0.
    position: usize,
    #[serde(flatten)]
    outcome: SampleOutcome,
}

/// A sample with what was searched so far.
pub(crate) struct Sample {
    pub(crate) settings: SampleSettings,
    pub(crate) positions: Vec<SampledPosition>,
    /// By the place of the position.
    pub(crate) outcomes: BTreeMap<usize, SampleOutcome>,
    /// The static values of those that have values.
    pub(crate) static_values: BTreeMap<usize, i32>,
    journal: Journal,
}

impl Sample {
    /// A new sample in a folder.
    pub(crate) fn begin(folder: &Path, settings: SampleSettings, positions: Vec<SampledPosition>) -> Result<Self> {
        let list: Vec<String> = positions.iter().map(line_of).collect();
        let journal = Journal::create(folder, SAMPLE, &settings, &list)?;
        Ok(Self { settings, positions, outcomes: BTreeMap::new(), static_values: BTreeMap::new(), journal })
    }

    /// A sample that was begun before, to go on with.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::resume(folder, SAMPLE)?;
        Self::of(journal, settings, &list)
    }

    /// A sample as it is, with static values.
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

    /// Searches what was not searched yet, until `stop` is set. `each` is called with the number of positions done.
    ///
    /// # Errors
    /// If the evaluation cannot be loaded, the system refuses memory, or the journal cannot be written.
    pub(crate) fn run(&mut self, threads: usize, stop: &AtomicBool, mut each: impl FnMut(usize)) -> Result<()> {
        let weights = self.settings.evaluation.load()?;
        let options = Options {
            table_mebibytes: self.settings.table_mebibytes,
            // What ProbCut cuts is what the values are to show.
            probcut: ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() },
            ..Options::default()
        };
        let limits = Limits { depth: Some(self.settings.depth), ..Limits::default() };
        let Self { positions, outcomes, journal, .. } = self;
        let missing: Vec<usize> = (0..positions.len()).filter(|index| !outcomes.contains_key(index)).collect();
        let new_searcher = || Ok(PositionSearcher::new(&weights, options)?);
        let look = |searcher: &mut PositionSearcher, &index: &usize| {
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

    /// Whether all positions were searched.
    pub(crate) fn is_complete(&self) -> bool {
        self.outcomes.len() == self.positions.len()
    }

    /// How many positions have values, and how many were left out for each reason.
    pub(crate) fn counts(&self) -> (usize, BTreeMap<LeftOut, usize>) {
        let mut left_out = BTreeMap::new();
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

/// The values of all iterations, unless one is a mate or too great.
fn outcome_of(searched: &SearchedPosition) -> SampleOutcome {
    let exact = searched.infos.iter().filter(|info| info.bound == Bound::Exact && info.multipv == 1);
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
