//! Games searched by engines: the folder of an analysis, with its journal and the files made from it.

mod games;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use kiki_driver::CancellationSource;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_record::{RecordForm, TextEncoding};
use kiki_run::files::write_atomically;
use kiki_run::journal::{ANALYSIS, Journal};
use serde::{Deserialize, Serialize};

use crate::annotate::annotated;
use crate::answer::PositionAnswer;
use crate::game::AnalyzedGame;
use crate::judgement::Thresholds;
use crate::page;
use crate::report::{GameReport, ReportSettings, build};
use crate::search::{AnalysisEngine, AnalysisPool, PlayedMoveSearch, SearchError, SearchEvent, SearchKey};

pub(crate) use games::{games_of, line_of};

/// Names that games may not have, because files of the folder would be overwritten.
const RESERVED: &str = "analysis";

/// The program that writes reports.
const PROGRAM: &str = concat!("kiki-lab ", env!("CARGO_PKG_VERSION"));

/// The settings of the analysis.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisSettings {
    pub(crate) engines: Vec<AnalysisEngine>,
    /// How many lines each engine is asked for.
    pub(crate) lines: usize,
    pub(crate) played: PlayedMoveSearch,
    pub(crate) thresholds: Thresholds,
    /// Milliseconds to wait for an engine beyond its time.
    pub(crate) patience: u64,
    /// The form of annotated records, if they are asked for: a [`RecordForm::name`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    /// Errors in reading the games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
struct SearchLine {
    #[serde(flatten)]
    key: SearchKey,
    answer: PositionAnswer,
}

/// Games with the answers of engines so far.
pub(crate) struct Analysis {
    settings: AnalysisSettings,
    games: Vec<AnalyzedGame>,
    /// All searches, in the order in which they are done.
    keys: Vec<SearchKey>,
    answers: HashMap<SearchKey, PositionAnswer>,
    journal: Journal,
}

/// Progress reports of the searches.
pub(crate) enum AnalysisProgress<'a> {
    /// Number of finished searches; the game of the last one.
    Done(usize, &'a AnalyzedGame),
    /// An engine failed for the first time in a search of the played move alone.
    OneMoveFailed(SearchError),
    /// A search failed.
    Failed(SearchError),
}

/// An error of a search or of the journal.
struct RunError(anyhow::Error);

impl From<SearchError> for RunError {
    fn from(error: SearchError) -> Self {
        Self(error.into())
    }
}

impl Analysis {
    /// Begins in a folder.
    pub(crate) fn begin(folder: &Path, settings: AnalysisSettings, games: Vec<AnalyzedGame>) -> Result<Self> {
        let list: Vec<String> = games.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let keys = keys_of(&games, settings.engines.len())?;
        let journal = Journal::create(folder, ANALYSIS, &settings, &list)?;
        Ok(Self { settings, games, keys, answers: HashMap::new(), journal })
    }

    /// An earlier run to continue.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (mut journal, settings, list) = Journal::resume::<AnalysisSettings>(folder, ANALYSIS)?;
        let place = |line: usize| format!("{}, line {}", folder.join(ANALYSIS.list).display(), line + 1);
        let game = |(index, text): (usize, &String)| serde_json::from_str(text).with_context(|| place(index));
        let games: Vec<AnalyzedGame> = list.iter().enumerate().map(game).collect::<Result<_>>()?;
        let keys = keys_of(&games, settings.engines.len())?;
        let mut answers = HashMap::new();
        journal.replay(|SearchLine { key, answer }| {
            keys.binary_search(&key).map_err(|_| anyhow!("there is no such search"))?;
            answers.insert(key, answer);
            Ok(())
        })?;
        Ok(Self { settings, games, keys, answers, journal })
    }

    /// Errors in reading the games.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.settings.left_out
    }

    /// Sets the number of milliseconds to wait for engines, in place of the value in the settings.
    pub(crate) fn set_patience(&mut self, patience: u64) {
        self.settings.patience = patience;
    }

    /// How many searches there are in all, and how many are done.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.keys.len(), self.answers.len())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// Does the missing searches until cancelled. Calls `each` after every search. Returns the number of failed searches.
    ///
    /// # Errors
    /// The journal cannot be written, or a worker cannot begin. What was found before is kept.
    pub(crate) fn run(
        &mut self,
        options: &RunOptions,
        cancellation: &CancellationSource,
        mut each: impl FnMut(AnalysisProgress<'_>),
    ) -> Result<usize> {
        let Self { settings, games, keys, answers, journal } = self;
        let missing: Vec<SearchKey> = keys.iter().filter(|key| !answers.contains_key(key)).copied().collect();
        let engines: Vec<PlayerSpec> = settings.engines.iter().map(|engine| engine.spec.clone()).collect();
        let pool = AnalysisPool {
            engines: &engines,
            games,
            lines: settings.lines,
            played: settings.played,
            patience: Duration::from_millis(settings.patience),
            options,
            cancellation,
        };
        let mut failures = 0;
        let outcome = pool.search(&missing, |event| {
            match event {
                SearchEvent::Answered { key, answer, alone } => {
                    journal.append(&SearchLine { key, answer: answer.clone() }).map_err(RunError)?;
                    answers.insert(key, answer);
                    if let Some(error) = alone {
                        each(AnalysisProgress::OneMoveFailed(error));
                    }
                    each(AnalysisProgress::Done(answers.len(), &games[key.game]));
                }
                SearchEvent::Failed(error) => {
                    failures += 1;
                    each(AnalysisProgress::Failed(error));
                }
            }
            Ok(())
        });
        outcome.map_err(|RunError(error)| error)?;
        Ok(failures)
    }

    /// Writes the results of every game, complete or not. Returns the reports and the paths of what people look at.
    pub(crate) fn write(&self) -> Result<Vec<(GameReport, Vec<PathBuf>)>> {
        let AnalysisSettings { engines, lines, thresholds, to, .. } = &self.settings;
        let settings = ReportSettings { program: PROGRAM, lines: *lines, thresholds, engines };
        let write_game = |(place, game): (usize, &AnalyzedGame)| {
            let answer = |engine, ply| self.answers.get(&SearchKey { game: place, ply, engine });
            let report = build(game, &settings, answer)?;
            let json = serde_json::to_string(&report)? + "\n";
            let path = |ending: &str| self.folder().join(format!("{}.{ending}", game.name));
            write_atomically(&path("json"), json.as_bytes())?;
            write_atomically(&path("html"), page::html(&report)?.as_bytes())?;
            let mut paths = vec![path("html")];
            if let Some(form) = to.as_deref().and_then(RecordForm::from_name) {
                let record = form.write(&[annotated(game, &report)?], TextEncoding::Utf8)?;
                paths.push(path(form.extension()));
                write_atomically(&path(form.extension()), &record)?;
            }
            Ok((report, paths))
        };
        self.games.iter().enumerate().map(write_game).collect()
    }
}

/// All searches of all games, in ascending order.
fn keys_of(games: &[AnalyzedGame], engines: usize) -> Result<Vec<SearchKey>> {
    let mut keys = Vec::new();
    for (game, facts) in games.iter().enumerate() {
        let plies = facts.searchable_plies().with_context(|| facts.name.clone())?;
        keys.extend(plies.iter().flat_map(|&ply| (0..engines).map(move |engine| SearchKey { game, ply, engine })));
    }
    Ok(keys)
}
