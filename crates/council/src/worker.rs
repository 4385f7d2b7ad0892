//! The thread of a member: it starts the process, gets it ready and starts it again when it fails.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender};
use kiki_driver::{CancellationToken, EngineError, LineDirection, LineLogger, SetOptionError, Timeouts, UsiEngine};
use parking_lot::Mutex;

use crate::lines::SearchLines;
use crate::message::{MemberCommand, MemberEvent, MemberReport};
use crate::program_options::{ProgramOption, ProgramOptions};
use crate::settings::MemberSettings;

/// How long a program may take to end after `quit`: GUIs give the council itself a second.
const PROGRAM_QUIT: Duration = Duration::from_millis(700);

/// The thread of a member.
pub(crate) struct Worker {
    /// The number of its seat, and which of those that have had a seat it is.
    identity: (usize, u64),
    settings: MemberSettings,
    options: ProgramOptions,
    pub(crate) lines: Arc<Mutex<SearchLines>>,
    pub(crate) commands: Receiver<MemberCommand>,
    events: Sender<MemberReport>,
    cancel: CancellationToken,
    pub(crate) process: Option<MemberProcess>,
    /// How many processes there have been.
    processes: u64,
    /// What was told during a search and has to wait for its end.
    pub(crate) waiting: VecDeque<MemberCommand>,
    /// The last search in which the process was ended: it is not ended twice for the same reason.
    pub(crate) restarted_in: u64,
}

/// A process of a member's program.
pub(crate) struct MemberProcess {
    pub(crate) engine: UsiEngine,
    /// Its number; the first is 1.
    pub(crate) number: u64,
    /// It has answered `isready`.
    pub(crate) is_ready: bool,
    /// It has been told `usinewgame`.
    pub(crate) knows_game: bool,
}

/// Whether another command is awaited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextStep {
    Wait,
    Quit,
}

impl MemberProcess {
    pub(crate) fn ready(&mut self) -> Result<(), EngineError> {
        self.engine.ready()?;
        self.is_ready = true;
        Ok(())
    }

    pub(crate) fn new_game(&mut self) -> Result<(), EngineError> {
        self.engine.new_game()?;
        self.knows_game = true;
        Ok(())
    }
}

impl Worker {
    pub(crate) fn new(
        identity: (usize, u64),
        settings: MemberSettings,
        lines: Arc<Mutex<SearchLines>>,
        (commands, events): (Receiver<MemberCommand>, Sender<MemberReport>),
        cancel: CancellationToken,
    ) -> Self {
        Self {
            identity,
            options: ProgramOptions::new(settings.option_texts()),
            settings,
            lines,
            commands,
            events,
            cancel,
            process: None,
            processes: 0,
            waiting: VecDeque::new(),
            restarted_in: 0,
        }
    }

    /// Executes commands until `Quit`.
    pub(crate) fn run(mut self) {
        while let Some(command) = self.waiting.pop_front().or_else(|| self.commands.recv().ok()) {
            if self.execute(command) == NextStep::Quit {
                break;
            }
        }
        if let Some(process) = self.process.take() {
            process.engine.quit();
        }
    }

    fn execute(&mut self, command: MemberCommand) -> NextStep {
        match command {
            MemberCommand::Quit => return NextStep::Quit,
            MemberCommand::Start { request } => {
                if let Err(reason) = self.start().map(|_| ()) {
                    self.unavailable(&reason);
                }
                self.report(MemberEvent::Reported { request });
            }
            MemberCommand::Ready { request } => {
                self.get_ready();
                if let Some(request) = request {
                    self.report(MemberEvent::Reported { request });
                }
            }
            MemberCommand::SetOption(option) => self.set_option(option),
            MemberCommand::NewGame => self.new_game(),
            MemberCommand::GameOver(result) => {
                if let Some(process) = &mut self.process {
                    process.engine.game_over(result);
                }
            }
            MemberCommand::Search { search, position, go } => return self.search(search, &position, &go),
            // The search that they are meant for has ended.
            MemberCommand::Stop { .. } | MemberCommand::PonderHit { .. } | MemberCommand::Forget { .. } => {}
            MemberCommand::Restart { search } if search > self.restarted_in => {
                self.restarted_in = search;
                self.restart();
            }
            MemberCommand::Restart { .. } => {}
        }
        NextStep::Wait
    }

    pub(crate) fn report(&self, event: MemberEvent) {
        let (member, generation) = self.identity;
        let _ = self.events.send(MemberReport { member, generation, event });
    }

    /// The process, which is started and told its options if it does not run.
    pub(crate) fn start(&mut self) -> Result<&mut MemberProcess, String> {
        let process = match self.process.take() {
            Some(process) => process,
            None => self.new_process()?,
        };
        Ok(self.process.insert(process))
    }

    fn new_process(&mut self) -> Result<MemberProcess, String> {
        let program = self.settings.program().map_err(|error| format!("{error:#}"))?;
        self.processes += 1;
        let (lines, number) = (Arc::clone(&self.lines), self.processes);
        let logger: LineLogger = Arc::new(move |direction, line| {
            if direction == LineDirection::FromEngine {
                lines.lock().record(number, line);
            }
        });
        let timeouts = Timeouts { quit: PROGRAM_QUIT, ..Timeouts::default() };
        let started = UsiEngine::start_with_logger(&program, timeouts, &self.cancel, Some(logger));
        let mut engine = started.map_err(|error| error.to_string())?;
        self.report(MemberEvent::Started(engine.identity().clone()));
        for reason in self.options.set_all(&mut engine).map_err(|error| error.to_string())? {
            self.report(MemberEvent::Problem { reason });
        }
        Ok(MemberProcess { engine, number, is_ready: false, knows_game: false })
    }

    /// Gets the process ready; one that has ended or hangs is replaced once.
    fn get_ready(&mut self) {
        let was_running = self.process.is_some();
        let mut ready = self.start_and_get_ready();
        if let Err(reason) = &ready
            && was_running
            && !self.cancel.is_cancelled()
        {
            self.report(MemberEvent::Problem { reason: format!("started again, {reason}") });
            self.process = None;
            ready = self.start_and_get_ready();
        }
        match ready {
            Ok(()) => self.report(MemberEvent::Ready),
            Err(reason) => self.unavailable(&reason),
        }
    }

    fn start_and_get_ready(&mut self) -> Result<(), String> {
        self.start()?.ready().map_err(|error| error.to_string())
    }

    /// There is no process that could search: what waits for one fails.
    fn unavailable(&mut self, reason: &str) {
        self.process = None;
        self.report(MemberEvent::Unavailable { reason: reason.to_owned() });
        self.receive_commands();
        for command in std::mem::take(&mut self.waiting) {
            match command {
                MemberCommand::Search { search, .. } => {
                    self.report(MemberEvent::Failed {
                        search: Some(search),
                        reason: reason.to_owned(),
                        starts_again: false,
                    });
                }
                other => self.waiting.push_back(other),
            }
        }
    }

    /// Takes over what was told meanwhile.
    pub(crate) fn receive_commands(&mut self) {
        self.waiting.extend(self.commands.try_iter());
    }

    fn set_option(&mut self, option: ProgramOption) {
        let Some(process) = &mut self.process else { return self.options.keep(option) };
        match self.options.set(&mut process.engine, option) {
            Ok(()) => {}
            Err(SetOptionError::Failed(error)) => self.fail(None, &error),
            Err(error) => self.report(MemberEvent::Problem { reason: error.to_string() }),
        }
    }

    /// A process that is not ready yet is told before its first search.
    fn new_game(&mut self) {
        let Some(process) = self.process.as_mut().filter(|process| process.is_ready) else { return };
        if let Err(error) = process.new_game() {
            self.fail(None, &error);
        }
    }

    /// Its process is of no further use, and a new one is started.
    pub(crate) fn fail(&mut self, search: Option<u64>, reason: &impl ToString) {
        self.restarted_in = search.unwrap_or(0).max(self.restarted_in);
        self.report(MemberEvent::Failed { search, reason: reason.to_string(), starts_again: true });
        self.restart();
    }

    /// Ends the process with all that it has started, and begins a new one.
    pub(crate) fn restart(&mut self) {
        self.process = None;
        if !self.cancel.is_cancelled() {
            self.get_ready();
        }
    }
}
