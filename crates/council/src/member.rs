//! A member's process and the thread that waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};
use kiki_driver::{
    AnswerOr, CancellationSource, CancellationToken, EngineIdentity, LineDirection, LineLogger, SetOptionError,
    Timeouts, UsiEngine,
};
use kiki_usi::{BestMove, GameResult, GoSpec, PositionSpec};
use parking_lot::Mutex;

use crate::lines::SearchLines;
use crate::settings::MemberSettings;

/// How long a member may take to end: what its program may, and a little more.
const LONGEST_QUIT: Duration = Duration::from_millis(2500);

/// What a member is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberCommand {
    /// Start, if it does not run.
    Start,
    /// Set an option of its program.
    SetOption {
        name: String,
        value: String,
    },
    /// Start, if it does not run, and get ready.
    Ready,
    NewGame,
    GameOver(GameResult),
    /// Search; the number comes back with the answer.
    Search {
        search: u64,
        position: PositionSpec,
        go: Box<GoSpec>,
    },
    PonderHit,
    Stop,
    /// End the process, whatever it does, and start a new one.
    Restart,
    Quit,
}

/// What a member has done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberEvent {
    /// It runs.
    Started(EngineIdentity),
    /// It is ready.
    Ready,
    Answered {
        search: u64,
        best: BestMove,
    },
    /// Its process is of no further use; a new one is started.
    Failed {
        search: Option<u64>,
        reason: String,
    },
    /// A new process cannot be started, or does not get ready. The next command tries again.
    Unavailable {
        reason: String,
    },
    /// An option was not set.
    Refused {
        reason: String,
    },
}

/// A member.
pub(crate) struct Member {
    pub(crate) settings: MemberSettings,
    /// Its lines of play in the search in progress.
    pub(crate) lines: Arc<Mutex<SearchLines>>,
    commands: Sender<MemberCommand>,
    cancel: CancellationSource,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    /// Begins the thread of a member. Its events come with its number.
    pub(crate) fn new(number: usize, settings: MemberSettings, events: Sender<(usize, MemberEvent)>) -> Self {
        let (commands, received) = unbounded();
        let (lines, cancel) = (Arc::new(Mutex::new(SearchLines::default())), CancellationSource::new());
        let worker = Worker {
            number,
            options: settings.option_texts().collect(),
            settings: settings.clone(),
            lines: Arc::clone(&lines),
            commands: received,
            events,
            cancel: cancel.token().clone(),
            engine: None,
            waiting: VecDeque::new(),
        };
        let thread = Some(thread::spawn(move || worker.run()));
        Self { settings, lines, commands, cancel, thread }
    }

    /// Tells it what to do; it does one thing after the other.
    pub(crate) fn tell(&self, command: MemberCommand) {
        // Its thread ends by `Quit` alone.
        let _ = self.commands.send(command);
    }
}

/// Ends its process.
impl Drop for Member {
    fn drop(&mut self) {
        self.tell(MemberCommand::Quit);
        let Some(thread) = self.thread.take() else { return };
        let deadline = Instant::now() + LONGEST_QUIT;
        while !thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        // It is starting, or getting ready.
        self.cancel.cancel();
        let _ = thread.join();
    }
}

/// The thread of a member.
struct Worker {
    number: usize,
    settings: MemberSettings,
    /// Options of its program in the order in which they were set.
    options: Vec<(String, String)>,
    lines: Arc<Mutex<SearchLines>>,
    commands: Receiver<MemberCommand>,
    events: Sender<(usize, MemberEvent)>,
    cancel: CancellationToken,
    engine: Option<UsiEngine>,
    /// What was told during a search and has to wait for its end.
    waiting: VecDeque<MemberCommand>,
}

/// Whether another command is awaited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextStep {
    Wait,
    Quit,
}

impl Worker {
    fn run(mut self) {
        while let Some(command) = self.waiting.pop_front().or_else(|| self.commands.recv().ok()) {
            if self.obey(command) == NextStep::Quit {
                break;
            }
        }
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }

    fn obey(&mut self, command: MemberCommand) -> NextStep {
        match command {
            MemberCommand::Quit => return NextStep::Quit,
            MemberCommand::Start => self.report_start(),
            MemberCommand::Ready => self.report_ready(),
            MemberCommand::SetOption { name, value } => self.set_option(name, value),
            MemberCommand::NewGame => {
                let failed = self.engine.as_mut().and_then(|engine| engine.new_game().err());
                if let Some(error) = failed {
                    self.fail(None, &error);
                }
            }
            MemberCommand::GameOver(result) => {
                if let Some(engine) = &mut self.engine {
                    engine.game_over(result);
                }
            }
            MemberCommand::Search { search, position, go } => return self.search(search, &position, &go),
            // The search that they are meant for has ended.
            MemberCommand::Stop | MemberCommand::PonderHit => {}
            MemberCommand::Restart => self.restart(),
        }
        NextStep::Wait
    }

    fn report(&self, event: MemberEvent) {
        let _ = self.events.send((self.number, event));
    }

    fn report_start(&mut self) {
        let was_running = self.engine.is_some();
        match self.start() {
            Ok(engine) => {
                let identity = engine.identity().clone();
                // Of a new process it has been told.
                if was_running {
                    self.report(MemberEvent::Started(identity));
                }
            }
            Err(reason) => self.report(MemberEvent::Unavailable { reason }),
        }
    }

    fn report_ready(&mut self) {
        let ready = self.start().and_then(|engine| engine.ready().map_err(|error| error.to_string()));
        match ready {
            Ok(()) => self.report(MemberEvent::Ready),
            Err(reason) => {
                self.engine = None;
                self.report(MemberEvent::Unavailable { reason });
            }
        }
    }

    /// The engine, which is started and told its options if it does not run.
    fn start(&mut self) -> Result<&mut UsiEngine, String> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.new_process()?,
        };
        Ok(self.engine.insert(engine))
    }

    fn new_process(&self) -> Result<UsiEngine, String> {
        let program = self.settings.program().map_err(|error| format!("{error:#}"))?;
        let lines = Arc::clone(&self.lines);
        let logger: LineLogger = Arc::new(move |direction, line| {
            if direction == LineDirection::FromEngine {
                lines.lock().record(line);
            }
        });
        let started = UsiEngine::start_with_logger(&program, Timeouts::default(), &self.cancel, Some(logger));
        let mut engine = started.map_err(|error| error.to_string())?;
        self.report(MemberEvent::Started(engine.identity().clone()));
        for (name, value) in &self.options {
            if let Err(error) = engine.set_option(name, value) {
                self.refuse(error)?;
            }
        }
        Ok(engine)
    }

    /// An option that the engine does not take is told; one by which it failed ends the start.
    fn refuse(&self, error: SetOptionError) -> Result<(), String> {
        match error {
            SetOptionError::Failed(error) => Err(error.to_string()),
            error => {
                self.report(MemberEvent::Refused { reason: error.to_string() });
                Ok(())
            }
        }
    }

    fn set_option(&mut self, name: String, value: String) {
        self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        let set = self.engine.as_mut().map(|engine| engine.set_option(&name, &value));
        match set.unwrap_or(Ok(())) {
            Ok(()) => self.options.push((name, value)),
            Err(SetOptionError::Failed(error)) => self.fail(None, &error),
            Err(error) => self.report(MemberEvent::Refused { reason: error.to_string() }),
        }
    }

    /// Searches until the engine answers or fails, or is to be started again.
    fn search(&mut self, search: u64, position: &PositionSpec, go: &GoSpec) -> NextStep {
        self.lines.lock().clear();
        let (lines, commands) = (Arc::clone(&self.lines), self.commands.clone());
        let begun = self.start().and_then(|engine| {
            // A process that had to be started has printed nothing about this search.
            lines.lock().clear();
            engine.go(position, go).map_err(|error| error.to_string())
        });
        if let Err(reason) = begun {
            self.fail(Some(search), &reason);
            return NextStep::Wait;
        }
        loop {
            let Some(engine) = &mut self.engine else { return NextStep::Wait };
            let sent = match engine.answer_or(None, &commands) {
                Ok(AnswerOr::Answer(answer)) => {
                    self.report(MemberEvent::Answered { search, best: answer.best });
                    return NextStep::Wait;
                }
                Ok(AnswerOr::Message(MemberCommand::Stop)) => engine.stop(),
                Ok(AnswerOr::Message(MemberCommand::PonderHit)) => engine.ponder_hit(),
                Ok(AnswerOr::Message(MemberCommand::Quit)) => return NextStep::Quit,
                Ok(AnswerOr::Message(MemberCommand::Restart)) => {
                    self.restart();
                    return NextStep::Wait;
                }
                Ok(AnswerOr::Message(command)) => {
                    self.waiting.push_back(command);
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = sent {
                self.fail(Some(search), &error);
                return NextStep::Wait;
            }
        }
    }

    fn fail(&mut self, search: Option<u64>, reason: &impl ToString) {
        self.report(MemberEvent::Failed { search, reason: reason.to_string() });
        self.restart();
    }

    /// Ends the process with all that it has started, and begins a new one.
    fn restart(&mut self) {
        self.engine = None;
        // Searches that were asked for before are answered already, without this member.
        self.waiting.retain(|command| !matches!(command, MemberCommand::Search { .. }));
        if !self.cancel.is_cancelled() {
            self.report_ready();
        }
    }
}
