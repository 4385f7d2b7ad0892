//! The state of a conversation in USI, and what commands do to it. `go`, `ready`, `book` and `developer` have the longer commands.

use std::sync::Arc;
use std::time::Instant;

use kiki_board::Position;
use kiki_eval::{SelectedEvaluator, Weights};
use kiki_search::{Limits, Options, Searcher};
use kiki_usi::{Command, CommandError, InfoString, OptionSet, PositionSpec};

use super::background::Background;
use super::evaluation::{EvaluationSettings, LoadedEvaluation};
use super::game_clock::GameClock;
use super::input::InputLine;
use super::mate::MateSearch;
use super::opened_book::OpenedBook;
use super::options::{self, EngineSettings};
use super::reporter::UsiReporter;
use super::sigma::LoadedSigma;
use crate::output::Output;

/// Panics are reported in the protocol: standard error stays silent.
fn report_panics(output: &Arc<Output>) {
    let output = Arc::clone(output);
    std::panic::set_hook(Box::new(move |panic| output.print(InfoString(panic))));
}

/// Whether another command is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NextStep {
    ReadOn,
    Quit,
}

impl NextStep {
    pub(super) fn is_quit(self) -> bool {
        self == Self::Quit
    }
}

/// A `go ponder`, kept until its `ponderhit`.
pub(super) struct PonderSearch {
    /// The position after the expected move.
    pub(super) position: Position,
    pub(super) limits: Limits,
    /// Whether the book may answer.
    pub(super) asks_book: bool,
    /// Whether the clock of the game goes on, as no limit was named.
    pub(super) by_game_clock: bool,
    /// Stochastic ponder: the search in progress is of the position before the expected move, and the one of `position` is still to begin.
    pub(super) of_all_answers: bool,
}

/// The answer to a `go` without a position that has to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldResignation {
    /// For `stop` or `ponderhit`.
    Pondering,
    /// For `stop`.
    Infinite,
}

/// The state of the conversation.
pub(super) struct UsiSession {
    pub(super) output: Arc<Output>,
    pub(super) options: OptionSet,
    pub(super) settings: EngineSettings,
    /// Started by the first command that needs it: `usi` and `quit` alone are answered at once.
    pub(super) searcher: Option<Searcher<SelectedEvaluator>>,
    /// The evaluation of the searcher.
    pub(super) evaluation: LoadedEvaluation,
    /// The evaluation that was last asked for, whether or not it could be loaded.
    pub(super) evaluation_tried: Option<EvaluationSettings>,
    /// How far shallow searches with that evaluation may be off.
    pub(super) sigma: LoadedSigma,
    /// The numbers of the formula; options change them in a build with the feature `tune`.
    pub(super) formula: Arc<Weights>,
    /// The options that the searcher was last brought up to, as far as the machine allowed.
    pub(super) options_tried: Option<Options>,
    /// For `go mate`.
    pub(super) mates: MateSearch,
    /// Whether a move was searched since the engine last got ready.
    pub(super) searched: bool,
    /// For `perft` and `bench`.
    pub(super) background: Background,
    /// The last position that was understood.
    pub(super) position: Position,
    /// How it was set up.
    pub(super) spec: PositionSpec,
    /// Why the last `position` was refused, if it was: then nothing is told about the position before it.
    pub(super) refused_position: Option<String>,
    /// The answer to a `go` without a position, while it has to wait.
    pub(super) held_resignation: Option<HeldResignation>,
    /// When the command that is being executed was read.
    pub(super) read: Instant,
    /// The clock of the game, as far as it is known.
    pub(super) clock: GameClock,
    /// Whether options were changed since the engine last got ready for a search.
    pub(super) options_changed: bool,
    /// The opening book, once it has been asked for.
    pub(super) book: Option<OpenedBook>,
    /// Writes the lines of the search in progress.
    pub(super) reporter: Option<Arc<UsiReporter>>,
    /// What `ponderhit` is about.
    pub(super) pondering: Option<PonderSearch>,
    /// What the errors of a level below the full one follow from in this game.
    pub(super) game_seed: u64,
}

impl UsiSession {
    pub(super) fn start() -> Option<Self> {
        let output = Arc::new(Output::default());
        report_panics(&output);
        let built = options::declare().map_err(|error| error.to_string()).and_then(|options| {
            let settings = options::settings(&options).map_err(|error| error.to_string())?;
            Ok((options, settings))
        });
        match built {
            Ok((options, settings)) => {
                let mut session = Self {
                    output,
                    options,
                    settings,
                    searcher: None,
                    evaluation: LoadedEvaluation::default(),
                    evaluation_tried: None,
                    sigma: LoadedSigma::default(),
                    formula: Arc::default(),
                    options_tried: None,
                    mates: MateSearch::default(),
                    searched: false,
                    background: Background::default(),
                    position: Position::startpos(),
                    spec: PositionSpec::startpos(),
                    refused_position: None,
                    held_resignation: None,
                    read: Instant::now(),
                    clock: GameClock::default(),
                    options_changed: true,
                    book: None,
                    reporter: None,
                    pondering: None,
                    game_seed: rand::random(),
                };
                session.read_settings_file();
                Some(session)
            }
            Err(error) => {
                output.print(InfoString(error));
                None
            }
        }
    }

    /// Whether a command may keep the session busy for longer than `quit` should have to wait.
    pub(super) fn takes_long(&self, line: &InputLine) -> bool {
        match &line.command {
            Ok(Command::Quit) => false,
            _ if self.searcher.as_ref().is_some_and(Searcher::is_preparing) => true,
            Ok(Command::IsReady) => !self.is_searching(),
            Ok(Command::Go(spec)) => self.options_changed && spec.perft.is_none(),
            _ => false,
        }
    }

    /// Does what one line of input says.
    pub(super) fn execute(&mut self, line: InputLine) -> NextStep {
        self.read = line.read;
        match line.command {
            Ok(command) => return self.execute_command(command),
            Err(error @ CommandError::NoPosition { .. }) => self.refuse_position(error),
            Err(error) => self.warn(error),
        }
        NextStep::ReadOn
    }

    fn execute_command(&mut self, command: Command) -> NextStep {
        match command {
            Command::Usi => self.list_options(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(spec) => self.set_position(spec),
            Command::Go(spec) => self.go(&spec),
            Command::Stop => self.stop(),
            Command::PonderHit(clocks) => self.ponderhit(clocks.as_ref()),
            Command::GameOver(_) => self.end_game(),
            Command::Quit => return NextStep::Quit,
            Command::UsiNewGame => self.begin_game(),
            Command::Blank => {}
            developer => self.execute_developer_command(developer),
        }
        NextStep::ReadOn
    }

    pub(super) fn warn(&self, problem: impl std::fmt::Display) {
        self.output.print(InfoString(problem));
    }

    fn list_options(&self) {
        self.output.print(format_args!("id name Kiki {}", env!("CARGO_PKG_VERSION")));
        self.output.print("id author the Kiki developers");
        for declaration in self.options.declarations() {
            self.output.print(declaration);
        }
        self.output.print("usiok");
    }

    pub(super) fn is_searching(&self) -> bool {
        self.mates.is_searching() || self.searcher.as_ref().is_some_and(Searcher::is_searching)
    }

    pub(super) fn set_position(&mut self, spec: PositionSpec) {
        match kiki_usi::set_up(&spec) {
            Ok(position) => (self.position, self.spec, self.refused_position) = (position, spec, None),
            Err(error) => self.refuse_position(error),
        }
    }

    fn begin_game(&mut self) {
        self.game_seed = rand::random();
        self.clock = GameClock::default();
    }

    pub(super) fn end_game(&mut self) {
        self.held_resignation = None;
        self.mute();
        self.stop();
        self.clock = GameClock::default();
    }

    /// The search in progress says nothing more, nor does it answer.
    pub(super) fn mute(&self) {
        if let Some(reporter) = &self.reporter {
            reporter.mute();
        }
    }
}
