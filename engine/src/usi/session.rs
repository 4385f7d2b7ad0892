//! The state of a USI session, and the commands on it. `go`, `ready`, `book` and `developer` have
//! the longer commands.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_platform::{MOST_SETTINGS, read_regular_file};
use kiki_search::{Limits, Searcher};
use kiki_usi::{BestMove, CheckmateReply, Command, CommandError, GoSpec, InfoString, PositionError, PositionSpec};

use super::book::EngineBooks;
use super::game_clock::GameClock;
use super::options::{EngineSettings, OptionAction, UsiOptions};
use super::reporter::UsiReporter;
use super::resources::SearchResources;
use super::workers::{Background, MateWorker};
use crate::output::Output;

/// Options that the user keeps next to the program, one `Name Value` a line.
const SETTINGS_FILE: &str = "engine_options.txt";

/// Longest value of an option, in bytes: a path on Linux.
const LONGEST_VALUE: usize = 4096;

/// How often to check, while the searcher prepares, whether the program leaves.
const CHECK_EVERY: Duration = Duration::from_millis(10);

/// A line as a command, with the time when it was read: clocks start there.
pub(super) struct InputLine {
    command: Result<Command, CommandError>,
    read: Instant,
}

impl InputLine {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        Self { read: Instant::now(), command: Command::parse(bytes) }
    }

    pub(super) fn is_quit(&self) -> bool {
        self.command == Ok(Command::Quit)
    }

    /// Whether the line starts work that `quit` waits for.
    pub(super) fn finishes_at_quit(&self) -> bool {
        matches!(self.command, Ok(Command::Bench(_) | Command::Genfens(_)))
    }

    /// Whether the line starts a search or a count. A program that leaves starts no other than
    /// `quit` waits for.
    pub(super) fn searches(&self) -> bool {
        matches!(self.command, Ok(Command::Go(_) | Command::Perft { .. } | Command::PonderHit(_)))
            || self.finishes_at_quit()
    }

    /// Whether the line asks for an answer without a search.
    pub(super) fn asks(&self) -> bool {
        let is_silent = matches!(
            self.command,
            Ok(Command::SetOption { .. }
                | Command::Position(_)
                | Command::Matsuri
                | Command::UsiNewGame
                | Command::Stop
                | Command::GameOver(_)
                | Command::Blank)
        );
        !is_silent && !self.searches()
    }
}

/// The position that commands are about.
pub(super) struct CurrentPosition {
    /// The last valid position.
    pub(super) position: Position,
    pub(super) spec: PositionSpec,
    /// Why the last `position` was refused, if it was. Then nothing is said about the previous
    /// position: a GUI would take it for the one on its board, and a move may be illegal there.
    refused: Option<String>,
}

impl CurrentPosition {
    fn startpos() -> Self {
        Self { position: Position::startpos(), spec: PositionSpec::startpos(), refused: None }
    }

    fn set_up(&mut self, spec: PositionSpec) -> Result<(), PositionError> {
        *self = Self { position: kiki_usi::set_up(&spec)?, spec, refused: None };
        Ok(())
    }
}

/// A `go ponder`, kept until its `ponderhit`.
pub(super) struct PonderSearch {
    pub(super) position: Position,
    pub(super) limits: Limits,
    pub(super) asks_book: bool,
    /// Whether the game clock goes on, as no limit was given.
    pub(super) by_game_clock: bool,
    /// Stochastic ponder: the current search is of the position before the expected move, and that
    /// of `position` is yet to begin.
    pub(super) of_all_answers: bool,
}

/// Why the answer to a `go` without a position must wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldResignation {
    /// Until `stop` or `ponderhit`.
    Pondering,
    /// Until `stop`.
    Infinite,
}

/// The pending answer to the last `go`.
#[derive(Default)]
pub(super) struct PendingAnswer {
    /// Writes the lines of the current search.
    pub(super) reporter: Option<Arc<UsiReporter>>,
    /// The target of `ponderhit`.
    pub(super) pondering: Option<PonderSearch>,
    /// The answer to a `go` without a position, while it must wait.
    pub(super) held_resignation: Option<HeldResignation>,
}

impl PendingAnswer {
    pub(super) fn mute(&self) {
        if let Some(reporter) = &self.reporter {
            reporter.mute();
        }
    }
}

pub(super) struct GameState {
    pub(super) clock: GameClock,
    /// The seed of a level's errors.
    pub(super) seed: u64,
}

impl GameState {
    fn begin() -> Self {
        Self { clock: GameClock::default(), seed: rand::random() }
    }
}

pub(super) struct UsiSession {
    pub(super) output: Arc<Output>,
    pub(super) options: UsiOptions,
    pub(super) resources: SearchResources,
    pub(super) books: EngineBooks,
    pub(super) mates: MateWorker,
    pub(super) background: Background,
    pub(super) current: CurrentPosition,
    pub(super) game: GameState,
    pub(super) answer: PendingAnswer,
    /// `Clear_Hash` came during a search; the next search begins with empty tables.
    pub(super) must_clear_hash: bool,
    /// When the current command was read.
    pub(super) read: Instant,
}

impl UsiSession {
    pub(super) fn start() -> Option<Self> {
        let output = Arc::new(Output::default());
        report_panics(&output);
        let options = UsiOptions::declare().map_err(|error| output.warn(error)).ok()?;
        let mut session = Self {
            books: EngineBooks::new(&output),
            output,
            options,
            resources: SearchResources::default(),
            mates: MateWorker::default(),
            background: Background::default(),
            current: CurrentPosition::startpos(),
            game: GameState::begin(),
            answer: PendingAnswer::default(),
            must_clear_hash: false,
            read: Instant::now(),
        };
        session.read_settings_file();
        Some(session)
    }

    pub(super) fn settings(&self) -> &EngineSettings {
        &self.options.settings
    }

    /// Whether a command may keep the session busy for longer than `quit` should wait.
    pub(super) fn takes_long(&self, line: &InputLine) -> bool {
        match &line.command {
            _ if self.is_preparing() => true,
            Ok(Command::IsReady) => !self.is_searching(),
            Ok(Command::Go(spec)) => self.options.changed && spec.perft.is_none(),
            _ => false,
        }
    }

    pub(super) fn is_preparing(&self) -> bool {
        self.resources.searcher.as_ref().is_some_and(Searcher::is_preparing)
    }

    /// Waits a moment for a pending `readyok`. If the program is `leaving`, shortens the
    /// preparation and waits for its end.
    pub(super) fn wait_for_ready(&self, leaving: bool) {
        let Some(searcher) = &self.resources.searcher else { return };
        if leaving {
            searcher.finish_preparing();
        } else {
            searcher.wait_at_most(CHECK_EVERY);
        }
    }

    /// Executes one line of input. Breaks at `quit`.
    pub(super) fn execute(&mut self, line: InputLine) -> ControlFlow<()> {
        self.read = line.read;
        match line.command {
            Ok(command) => return self.execute_command(command),
            Err(error @ CommandError::NoPosition { .. }) => self.refuse_position(error),
            Err(error) => self.warn(error),
        }
        ControlFlow::Continue(())
    }

    fn execute_command(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Usi => self.list_options(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(spec) => self.set_position(spec),
            Command::Go(spec) => self.go(&spec),
            Command::Stop => self.stop(),
            Command::PonderHit(clocks) => self.ponderhit(clocks.as_ref()),
            Command::GameOver(_) => self.end_game(),
            Command::Quit => return ControlFlow::Break(()),
            Command::UsiNewGame => self.game = GameState::begin(),
            Command::Blank => {}
            developer => self.execute_developer_command(developer),
        }
        ControlFlow::Continue(())
    }

    pub(super) fn warn(&self, problem: impl Display) {
        self.output.warn(problem);
    }

    fn list_options(&self) {
        self.output.print(format_args!("id name Kiki {}", env!("CARGO_PKG_VERSION")));
        self.output.print("id author the Kiki developers");
        for declaration in self.options.values.declarations() {
            self.output.print(declaration);
        }
        self.output.print("usiok");
    }

    /// Sets an option. A search in progress keeps its options; the next one uses these.
    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Some(bytes) = value.map(str::len).filter(|&bytes| bytes > LONGEST_VALUE) {
            return self.warn(format_args!("option {name} takes at most {LONGEST_VALUE} bytes, not {bytes}"));
        }
        match self.options.set(name, value) {
            Err(error) => self.warn(error),
            Ok(Some(OptionAction::ClearHash)) => self.clear_hash(),
            Ok(Some(OptionAction::OpenLog)) => {
                if let Err(error) = self.output.log_to(&self.settings().log_file) {
                    self.warn(format_args!("DebugLogFile: {error}"));
                }
            }
            Ok(None) => {}
        }
    }

    pub(super) fn clear_hash(&mut self) {
        self.must_clear_hash = self.is_searching();
        if self.must_clear_hash {
            return;
        }
        self.mates.clear();
        if let Some(searcher) = &mut self.resources.searcher {
            searcher.clear_in_background(|| {});
        }
    }

    /// Reads the options kept next to the program; usually there is no file. Its values also become
    /// the declared defaults.
    fn read_settings_file(&mut self) {
        let Some(path) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(SETTINGS_FILE))) else {
            return;
        };
        let Ok(contents) = read_regular_file(path, MOST_SETTINGS) else { return };
        for setting in kiki_usi::settings(&contents) {
            match setting {
                Ok(setting) => self.set_option(&setting.name, setting.value.as_deref()),
                Err(error) => self.warn(format_args!("{SETTINGS_FILE}: {error}")),
            }
        }
        // Some GUIs send every option at every start, and would restore the built-in values.
        self.options.values.adopt_values_as_defaults();
    }

    pub(super) fn is_searching(&self) -> bool {
        self.mates.is_searching() || self.resources.is_searching()
    }

    pub(super) fn set_position(&mut self, spec: PositionSpec) {
        if let Err(error) = self.current.set_up(spec) {
            self.refuse_position(error);
        }
    }

    fn refuse_position(&mut self, reason: impl Display) {
        self.warn(&reason);
        self.current.refused = Some(reason.to_string());
    }

    /// Whether there is a position; if not, prints why.
    pub(super) fn has_position(&self) -> bool {
        if let Some(reason) = &self.current.refused {
            self.warn(format_args!("no position is set up: {reason}"));
        }
        self.current.refused.is_none()
    }

    /// Answers a `go` without a position. `checkmate timeout` claims nothing; `perft` needs no
    /// answer.
    pub(super) fn go_without_position(&mut self, spec: &GoSpec) {
        // A search in progress must answer first.
        self.stop();
        if spec.mate.is_some() {
            self.output.print(CheckmateReply::Timeout);
        } else if spec.infinite {
            self.answer.held_resignation = Some(HeldResignation::Infinite);
        } else if spec.ponder {
            self.answer.held_resignation = Some(HeldResignation::Pondering);
        } else if spec.perft.is_none() {
            self.output.print(BestMove::Resign);
        }
    }

    /// Gives a waiting answer, if there is one.
    pub(super) fn release_resignation(&mut self) {
        if self.answer.held_resignation.take().is_some() {
            self.output.print(BestMove::Resign);
        }
    }

    /// Ends the game, and the search without an answer.
    fn end_game(&mut self) {
        self.answer.held_resignation = None;
        self.answer.mute();
        self.stop();
        self.game.clock = GameClock::default();
    }

    /// Ends the search or other work, and waits for its answer.
    pub(super) fn finish(&mut self) {
        self.release_resignation();
        self.background.stop();
        self.mates.stop();
        if let Some(searcher) = &self.resources.searcher {
            searcher.stop();
            searcher.wait();
        }
    }

    pub(super) fn stop(&mut self) {
        self.answer.pondering = None;
        self.finish();
    }

    /// Waits for work that ends by itself. Other searches end at the next command.
    pub(super) fn wait_for_answer(&mut self) {
        self.background.wait();
        if !self.mates.is_endless() {
            self.mates.wait();
        }
        if let Some(searcher) = &self.resources.searcher
            && !searcher.is_held()
        {
            searcher.wait();
        }
    }

    /// Ends everything silently, after a pending `readyok`. The program is about to leave, and its
    /// threads and memory go with it. A thread may be stuck writing a line that no one reads.
    pub(super) fn quit(mut self) {
        self.background.abandon();
        if self.is_preparing() {
            self.wait_for_ready(true);
        }
        self.answer.mute();
        std::mem::forget(self);
    }
}

/// Reports panics in the protocol: standard error stays silent.
fn report_panics(output: &Arc<Output>) {
    let output = Arc::clone(output);
    std::panic::set_hook(Box::new(move |panic| output.print(InfoString(panic))));
}
