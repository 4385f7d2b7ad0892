//! One engine of a game: its program, its process, its moves and its log.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use kiki_driver::{
    CancellationToken, EngineAnswer, EngineError, EngineSpec, LineDirection, LineLogger, Program, ProgramError,
    QuitOutcome, StartError, Timeouts, UsiEngine,
};
use kiki_record::EndReason;
use kiki_usi::{GameResult, GoSpec, PositionSpec};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shogi_core::Color;

use crate::clock::{PlayLimits, PlayerClock, go_command};
use crate::error::PlayError;

/// One engine of a match, as the match's settings describe it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerSpec {
    pub name: String,
    pub command: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Start a new process for every game.
    #[serde(default)]
    pub restart: bool,
    /// Let it think on the other side's time.
    #[serde(default)]
    pub ponder: bool,
    /// Values of USI options by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    #[serde(rename = "limit")]
    pub limits: PlayLimits,
}

impl PlayerSpec {
    /// The error does not name the engine.
    pub fn program(&self) -> Result<Program, ProgramError> {
        Ok(Program::from_words(self.command.iter().cloned())?.in_directory(self.directory.as_deref()))
    }

    /// Makes the paths of program and directory absolute, so that the current directory may change
    /// later. Without a directory, takes the current one: relative paths in options start there. A
    /// missing program keeps its name for messages.
    pub fn with_absolute_paths(mut self) -> io::Result<Self> {
        if let Some(first) = self.command.first_mut().filter(|first| first.contains(std::path::is_separator)) {
            let path = std::path::absolute(&*first)?;
            // On Windows `engine` starts `engine.exe`.
            let program = format!("{}{}", path.display(), std::env::consts::EXE_SUFFIX);
            if let Some(path) = path.to_str().filter(|_| path.is_file() || Path::new(&program).is_file()) {
                *first = path.to_owned();
            }
        }
        self.directory = Some(match &self.directory {
            Some(directory) => std::path::absolute(directory)?,
            None => std::env::current_dir()?,
        });
        Ok(self)
    }
}

#[derive(Clone, Debug)]
pub struct LogFolder {
    /// Created if missing.
    pub path: PathBuf,
    /// Called when a log can no longer be written, as with a full disk. The games continue.
    pub on_failure: fn(&str),
}

/// The log of one worker, one file a game. A process that outlives a game writes to the next file.
#[derive(Debug)]
pub(crate) struct GameLog {
    folder: LogFolder,
    file: Mutex<Option<File>>,
}

impl GameLog {
    /// Creates the folder; no file is open yet.
    pub(crate) fn new(folder: &LogFolder) -> Result<Arc<Self>, PlayError> {
        fs::create_dir_all(&folder.path).map_err(|error| failed(&folder.path, error))?;
        Ok(Arc::new(Self { folder: folder.clone(), file: Mutex::new(None) }))
    }

    /// From now on, lines are appended to `NAME.log` in the folder.
    pub(crate) fn begin(&self, name: &str) -> Result<(), PlayError> {
        let path = self.folder.path.join(format!("{name}.log"));
        let file = OpenOptions::new().create(true).append(true).open(&path);
        *self.file.lock() = Some(file.map_err(|error| failed(&path, error))?);
        Ok(())
    }

    /// Each line gets the time in UTC, the engine's name, and a direction: `>` to the engine, `<`
    /// from it, `!` from its standard error.
    fn logger(self: &Arc<Self>, engine: &str) -> LineLogger {
        let (log, engine) = (Arc::clone(self), engine.to_owned());
        Arc::new(move |direction, line| log.write(&engine, direction, line))
    }

    fn write(&self, engine: &str, direction: LineDirection, line: &[u8]) {
        let sign = match direction {
            LineDirection::ToEngine => '>',
            LineDirection::FromEngine => '<',
            LineDirection::StandardError => '!',
        };
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        let text = format!("{time} {engine} {sign} {}\n", String::from_utf8_lossy(line));
        let mut file = self.file.lock();
        // One write a line, so that a kill leaves whole lines. A full disk must not lose a game.
        if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(text.as_bytes())) {
            *file = None;
            (self.folder.on_failure)(&format!("a log in {} ends: {error}", self.folder.path.display()));
        }
    }
}

fn failed(path: &Path, error: io::Error) -> PlayError {
    PlayError::Log { path: path.to_owned(), error }
}

/// Time allowed to answer `stop` after the time of a move; then the engine counts as hung.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Why `expect` holds: the player has a process when it is asked.
const PREPARED: &str = "the player was prepared, and one that failed is not asked again";

/// An engine; its process starts when it is needed.
pub struct Player<'a> {
    pub spec: &'a PlayerSpec,
    timeouts: Timeouts,
    cancel: &'a CancellationToken,
    log: Option<Arc<GameLog>>,
    engine: Option<UsiEngine>,
    /// The expected move of the other side, on which it ponders.
    expected: Option<String>,
    /// Whether its process ever had to be killed after `quit`.
    pub was_killed: bool,
}

/// Why a player gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum PlayerFailure {
    #[error("{detail}\n{}", .last_lines.join("\n"))]
    Lost {
        reason: EndReason,
        detail: String,
        last_lines: Vec<String>,
        /// The time since `go`; zero if it is not known.
        elapsed: Duration,
    },
    /// It did nothing wrong: the games have been cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl<'a> Player<'a> {
    pub(crate) fn new(
        spec: &'a PlayerSpec,
        timeouts: Timeouts,
        cancel: &'a CancellationToken,
        log: Option<Arc<GameLog>>,
    ) -> Self {
        Self { spec, timeouts, cancel, log, engine: None, expected: None, was_killed: false }
    }

    /// Starts the engine, if it does not run, and sets its options.
    pub fn start(&mut self) -> Result<&mut UsiEngine, PlayError> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.new_process().map_err(|reason| self.error(reason))?,
        };
        Ok(self.engine.insert(engine))
    }

    fn new_process(&self) -> Result<UsiEngine, StartError> {
        let logger = self.log.as_ref().map(|log| log.logger(&self.spec.name));
        let options = self.spec.options.clone().into_iter().collect();
        let engine = EngineSpec { program: self.spec.program()?, options, ponders: self.spec.ponder };
        engine.start(self.timeouts, self.cancel, logger)
    }

    fn error(&self, reason: StartError) -> PlayError {
        PlayError::Engine { name: self.spec.name.clone(), reason }
    }

    /// Checks that the engine starts, takes its options and gets ready, then ends it. Returns the
    /// texts of its `info string` lines.
    pub(crate) fn check(mut self) -> Result<Vec<String>, PlayError> {
        let engine = self.start()?;
        let ready = engine.ready().map(|()| engine.texts());
        let texts = ready.map_err(|error| self.error(error.into()))?;
        self.quit();
        Ok(texts)
    }

    pub fn prepare(&mut self) -> Result<(), PlayerFailure> {
        let (detail, error) = match self.start() {
            Ok(engine) => match engine.ready().and_then(|()| engine.new_game()) {
                Ok(()) => return Ok(()),
                Err(error) => (error.to_string(), Some(error)),
            },
            Err(error) => {
                let detail = error.to_string();
                let PlayError::Engine { reason, .. } = error else { return Err(PlayerFailure::Cancelled) };
                (detail, reason.engine_error().cloned())
            }
        };
        self.engine = None;
        if error == Some(EngineError::Cancelled) {
            return Err(PlayerFailure::Cancelled);
        }
        let last_lines = error.map(|error| error.last_lines().to_vec()).unwrap_or_default();
        Err(PlayerFailure::Lost { reason: EndReason::NotReady, detail, last_lines, elapsed: Duration::ZERO })
    }

    /// Asks for a move. `allowance` is the longest time for it, tolerance included; without a
    /// clock, `patience` replaces it.
    ///
    /// # Panics
    /// The player was not prepared.
    pub fn think(
        &mut self,
        position: &PositionSpec,
        go: &GoSpec,
        allowance: Option<Duration>,
        patience: Duration,
    ) -> Result<EngineAnswer, PlayerFailure> {
        let engine = self.engine.as_mut().expect(PREPARED);
        let bound = allowance.unwrap_or(patience);
        let begun = match self.expected.take() {
            Some(expected) if position.moves.last() == Some(&expected) => engine.ponder_hit(None),
            Some(_) => match stop(engine) {
                Ok(_) => engine.go(position, go),
                Err(error) => {
                    self.engine = None;
                    return Err(still_pondering(error));
                }
            },
            None => engine.go(position, go),
        };
        let answer = begun.and_then(|()| {
            let deadline = engine.search_started_at() + bound;
            engine.answer(Some(deadline))
        });
        let failure = match answer {
            // Output before the deadline is in time.
            Ok(answer) => return Ok(answer),
            Err(EngineError::TimedOut { .. }) => stop_overdue(engine, bound),
            Err(error) => crashed(&error),
        };
        if !matches!(failure, PlayerFailure::Lost { reason: EndReason::Time, .. }) {
            // This kills the process.
            self.engine = None;
        }
        Err(failure)
    }

    /// Searches a position, or one move of it alone, by the engine's limits plus `patience`. Gets
    /// the engine ready first, so that earlier searches do not change the answer. The inner error
    /// says why a running engine gives no answer.
    pub fn search(
        &mut self,
        position: &PositionSpec,
        side: Color,
        alone: Option<&str>,
        patience: Duration,
    ) -> Result<Result<EngineAnswer, PlayerFailure>, PlayError> {
        self.start()?;
        let clock = PlayerClock::new(self.spec.limits);
        let searchmoves = alone.into_iter().map(str::to_owned).collect();
        let go = GoSpec { searchmoves, ..go_command(side, &[clock; 2]) };
        let allowance = clock.allowance().map(|time| time + patience);
        Ok(self.prepare().and_then(|()| self.think(position, &go, allowance, patience)))
    }

    /// Ponders on `position`, which includes the expected move of the other side.
    pub(crate) fn ponder(&mut self, position: &PositionSpec, go: GoSpec) -> Result<(), PlayerFailure> {
        let engine = self.engine.as_mut().expect(PREPARED);
        if let Err(error) = engine.go(position, &GoSpec { ponder: true, ..go }) {
            self.engine = None;
            return Err(crashed(&error));
        }
        self.expected = position.moves.last().cloned();
        Ok(())
    }

    pub(crate) fn last_lines(&self) -> Vec<String> {
        self.engine.as_ref().map(UsiEngine::last_lines).unwrap_or_default()
    }

    /// Sends the result of the game, and ends the process if each game gets a new one.
    pub(crate) fn end_game(&mut self, result: GameResult) {
        if let Some(engine) = &mut self.engine {
            if self.expected.take().is_some() && stop(engine).is_err() {
                // The result stands; the engine is started again for the next game.
                self.engine = None;
                return;
            }
            engine.game_over(result);
        }
        if self.spec.restart {
            self.quit();
        }
    }

    pub(crate) fn quit(&mut self) {
        let outcome = self.engine.take().map(UsiEngine::quit);
        self.was_killed |= outcome == Some(QuitOutcome::Killed);
    }
}

fn stop(engine: &mut UsiEngine) -> Result<EngineAnswer, EngineError> {
    engine.stop()?;
    engine.answer(Some(Instant::now() + STOP_TIMEOUT))
}

/// Stops an engine that has used up its time: it answers too late, or not at all.
fn stop_overdue(engine: &mut UsiEngine, bound: Duration) -> PlayerFailure {
    match stop(engine) {
        Ok(EngineAnswer { elapsed, .. }) => {
            let detail = format!("answered after {elapsed:.1?}, {:.1?} too late", elapsed.saturating_sub(bound));
            PlayerFailure::Lost { reason: EndReason::Time, detail, last_lines: engine.last_lines(), elapsed }
        }
        Err(EngineError::TimedOut { last_lines, .. }) => {
            let elapsed = engine.search_started_at().elapsed();
            let detail = format!("no answer within {elapsed:.1?}, not even to `stop`");
            PlayerFailure::Lost { reason: EndReason::Hang, detail, last_lines, elapsed }
        }
        Err(error) => crashed(&error),
    }
}

/// It was not asked for this move, which takes no time.
fn still_pondering(error: EngineError) -> PlayerFailure {
    let EngineError::TimedOut { last_lines, .. } = error else { return crashed(&error) };
    let detail = format!("no answer to the `stop` of a ponder search within {STOP_TIMEOUT:.1?}");
    PlayerFailure::Lost { reason: EndReason::Hang, detail, last_lines, elapsed: Duration::ZERO }
}

fn crashed(error: &EngineError) -> PlayerFailure {
    if *error == EngineError::Cancelled {
        return PlayerFailure::Cancelled;
    }
    let (detail, last_lines) = (error.to_string(), error.last_lines().to_vec());
    PlayerFailure::Lost { reason: EndReason::Crash, detail, last_lines, elapsed: Duration::ZERO }
}
