//! Games with their answers so far, in a folder whose journal survives interruptions.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use kiki_driver::CancellationSource;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_run::files::shell_word;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{Journal, JournalLayout};
use kiki_run::say;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answer::PositionAnswer;
use crate::game::AnalyzedGame;
use crate::search::{AnalysisEngine, AnalysisPool, PlayedMoveSearch, SearchError, SearchEvent, SearchKey};

#[derive(Clone, Copy, Debug)]
pub struct SearchSettings<'a> {
    pub engines: &'a [AnalysisEngine],
    /// Number of lines requested from each engine.
    pub lines: usize,
    pub played: PlayedMoveSearch,
    /// Milliseconds to wait for an engine beyond its time.
    pub patience: u64,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
struct SearchLine {
    #[serde(flatten)]
    key: SearchKey,
    answer: PositionAnswer,
}

pub struct SearchedGames {
    games: Vec<AnalyzedGame>,
    /// All searches, in ascending order.
    keys: Vec<SearchKey>,
    answers: HashMap<SearchKey, PositionAnswer>,
    journal: Journal,
}

pub enum SearchProgress<'a> {
    /// Number of finished searches; the game of the last one.
    Done(usize, &'a AnalyzedGame),
    /// An engine failed for the first time in a search of the played move alone.
    OneMoveFailed(SearchError),
    Failed(SearchError),
}

/// An error of a search or of the journal.
struct RunError(anyhow::Error);

impl From<SearchError> for RunError {
    fn from(error: SearchError) -> Self {
        Self(error.into())
    }
}

impl SearchedGames {
    /// Begins a run in a folder that holds none. `keys` ascend.
    pub fn begin(
        folder: &Path,
        layout: JournalLayout,
        settings: &impl Serialize,
        games: Vec<AnalyzedGame>,
        keys: Vec<SearchKey>,
    ) -> Result<Self> {
        let list: Vec<String> = games.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let journal = Journal::create(folder, layout, settings, &list)?;
        Ok(Self { games, keys, answers: HashMap::new(), journal })
    }

    /// Continues an earlier run with its settings. `keys` returns its searches, which ascend.
    pub fn resume<S: DeserializeOwned>(
        folder: &Path,
        layout: JournalLayout,
        keys: impl FnOnce(&S, &[AnalyzedGame]) -> Result<Vec<SearchKey>>,
    ) -> Result<(Self, S)> {
        let (mut journal, settings, list) = Journal::resume::<S>(folder, layout)?;
        let place = |line: usize| format!("{}, line {}", folder.join(layout.list).display(), line + 1);
        let game = |(index, text): (usize, &String)| serde_json::from_str(text).with_context(|| place(index));
        let games: Vec<AnalyzedGame> = list.iter().enumerate().map(game).collect::<Result<_>>()?;
        let keys = keys(&settings, &games)?;
        let mut answers = HashMap::new();
        journal.replay(|SearchLine { key, answer }| {
            keys.binary_search(&key).map_err(|_| anyhow!("there is no such search"))?;
            answers.insert(key, answer);
            Ok(())
        })?;
        Ok((Self { games, keys, answers, journal }, settings))
    }

    pub fn games(&self) -> &[AnalyzedGame] {
        &self.games
    }

    pub fn answer(&self, key: SearchKey) -> Option<&PositionAnswer> {
        self.answers.get(&key)
    }

    /// Number of all searches, and of finished ones.
    pub fn progress(&self) -> (usize, usize) {
        (self.keys.len(), self.answers.len())
    }

    pub fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// Does the missing searches until cancelled, and calls `each` after each one. Returns the
    /// number of failed searches. After an error the journal keeps the finished ones.
    pub fn run(
        &mut self,
        settings: &SearchSettings<'_>,
        options: &RunOptions,
        cancellation: &CancellationSource,
        mut each: impl FnMut(SearchProgress<'_>),
    ) -> Result<usize> {
        let Self { games, keys, answers, journal } = self;
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
                        each(SearchProgress::OneMoveFailed(error));
                    }
                    each(SearchProgress::Done(answers.len(), &games[key.game]));
                }
                SearchEvent::Failed(error) => {
                    failures += 1;
                    each(SearchProgress::Failed(error));
                }
            }
            Ok(())
        });
        outcome.map_err(|RunError(error)| error)?;
        Ok(failures)
    }

    /// The exit status after these searches; failed ones are an error. Tells how to continue.
    pub fn conclude(&self, outcome: Result<usize>, interrupt: &Interrupt, errors: &InputErrors) -> Result<ExitCode> {
        let (all, done) = self.progress();
        let go_on = format!("{done} of {all} searches done; go on with: kiki-lab resume {}", shell_word(self.folder()));
        let failures = outcome.map_err(|error| anyhow!("{error:#}; {go_on}"))?;
        let is_interrupted = done < all && interrupt.cancellation.token().is_cancelled();
        if is_interrupted {
            say!("interrupted; {go_on}");
        } else if failures > 0 {
            bail!("{failures} searches failed; {go_on}");
        }
        Ok(errors.exit_code_of_run(is_interrupted))
    }
}
