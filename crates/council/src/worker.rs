//! The thread of a member: it starts the process, gets it ready, searches, and starts it again
//! after a failure.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use kiki_driver::{
    AnswerOr, CancellationToken, EngineError, LineDirection, LineLogger, SetOptionError, Timeouts, UsiEngine,
};
use kiki_usi::{GoSpec, PositionSpec};
use parking_lot::Mutex;

use crate::message::{
    MemberCommand, MemberEvent, MemberReporter, ProgramOption, ProgramOptions, SearchLines, SearchNumber,
};
use crate::settings::MemberSettings;

/// Time allowed for a program to end after `quit`; GUIs give the council itself a second.
const PROGRAM_QUIT: Duration = Duration::from_millis(700);

pub(crate) struct MemberWorker {
    settings: MemberSettings,
    options: ProgramOptions,
    lines: Arc<Mutex<SearchLines>>,
    commands: Receiver<MemberCommand>,
    reporter: MemberReporter,
    cancel: CancellationToken,
    process: Option<MemberProcess>,
    /// Number of processes started so far.
    processes: u64,
    /// Commands that arrived during a search and wait for its end.
    waiting: VecDeque<MemberCommand>,
    /// The last search for which the process was restarted: one search restarts it once.
    restarted_in: SearchNumber,
}

struct MemberProcess {
    engine: UsiEngine,
    /// From 1.
    number: u64,
    /// `isready` was answered.
    is_ready: bool,
    /// `usinewgame` was sent.
    knows_game: bool,
}

impl MemberProcess {
    fn ready(&mut self) -> Result<(), EngineError> {
        self.engine.ready()?;
        self.is_ready = true;
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), EngineError> {
        self.engine.new_game()?;
        self.knows_game = true;
        Ok(())
    }
}

impl MemberWorker {
    /// Executes commands until `Quit`.
    pub(crate) fn run(
        settings: MemberSettings,
        lines: Arc<Mutex<SearchLines>>,
        commands: Receiver<MemberCommand>,
        reporter: MemberReporter,
        cancel: CancellationToken,
    ) {
        let mut worker = Self {
            options: ProgramOptions::new(settings.option_texts()),
            settings,
            lines,
            commands,
            reporter,
            cancel,
            process: None,
            processes: 0,
            waiting: VecDeque::new(),
            restarted_in: 0,
        };
        while let Some(command) = worker.waiting.pop_front().or_else(|| worker.commands.recv().ok())
            && command != MemberCommand::Quit
        {
            worker.execute(command);
        }
        if let Some(process) = worker.process {
            process.engine.quit();
        }
    }

    fn execute(&mut self, command: MemberCommand) {
        match command {
            MemberCommand::Start(request) => {
                if let Err(reason) = self.start().map(|_| ()) {
                    self.unavailable(&reason);
                }
                self.reporter.send(MemberEvent::Reported(request));
            }
            MemberCommand::Ready(request) => {
                self.get_ready();
                if let Some(request) = request {
                    self.reporter.send(MemberEvent::Reported(request));
                }
            }
            MemberCommand::SetOption(option) => self.set_option(option),
            MemberCommand::NewGame => self.new_game(),
            MemberCommand::GameOver(result) => {
                if let Some(process) = &mut self.process {
                    process.engine.game_over(result);
                }
            }
            MemberCommand::Search(search, position, go) => self.search(search, &position, &go),
            // Their search has ended.
            MemberCommand::Stop(_) | MemberCommand::PonderHit(..) | MemberCommand::Forget(_) => {}
            MemberCommand::Restart(search) if search > self.restarted_in => {
                self.restarted_in = search;
                self.restart();
            }
            MemberCommand::Restart(_) | MemberCommand::Quit => {}
        }
    }

    /// The process; starts it and sets its options if it does not run.
    fn start(&mut self) -> Result<&mut MemberProcess, String> {
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
        let started = UsiEngine::start(&program, timeouts, &self.cancel, Some(logger));
        let mut engine = started.map_err(|error| error.to_string())?;
        self.reporter.send(MemberEvent::Started(engine.identity().clone()));
        for reason in self.options.set_all(&mut engine).map_err(|error| error.to_string())? {
            self.reporter.send(MemberEvent::Problem(reason));
        }
        Ok(MemberProcess { engine, number, is_ready: false, knows_game: false })
    }

    /// Gets the process ready; replaces it once if it has ended or hangs.
    fn get_ready(&mut self) {
        let was_running = self.process.is_some();
        let mut ready = self.start_and_get_ready();
        if let Err(reason) = &ready
            && was_running
            && !self.cancel.is_cancelled()
        {
            self.reporter.send(MemberEvent::Problem(format!("started again, {reason}")));
            self.process = None;
            ready = self.start_and_get_ready();
        }
        match ready {
            Ok(()) => self.reporter.send(MemberEvent::Ready),
            Err(reason) => self.unavailable(&reason),
        }
    }

    fn start_and_get_ready(&mut self) -> Result<(), String> {
        self.start()?.ready().map_err(|error| error.to_string())
    }

    /// Reports that no process can search: waiting searches fail.
    fn unavailable(&mut self, reason: &str) {
        self.process = None;
        self.reporter.send(MemberEvent::Unavailable(reason.to_owned()));
        self.waiting.extend(self.commands.try_iter());
        for command in mem::take(&mut self.waiting) {
            match command {
                MemberCommand::Search(search, ..) => {
                    let (search, reason) = (Some(search), reason.to_owned());
                    self.reporter.send(MemberEvent::Failed { search, reason, starts_again: false });
                }
                other => self.waiting.push_back(other),
            }
        }
    }

    fn set_option(&mut self, option: ProgramOption) {
        let Some(process) = &mut self.process else { return self.options.keep(option) };
        match self.options.set(&mut process.engine, option) {
            Ok(()) => {}
            Err(SetOptionError::Failed(error)) => self.fail(None, &error),
            Err(error) => self.reporter.send(MemberEvent::Problem(error.to_string())),
        }
    }

    /// Sends `usinewgame`; a process that is not ready gets it before its first search.
    fn new_game(&mut self) {
        let Some(process) = self.process.as_mut().filter(|process| process.is_ready) else { return };
        if let Err(error) = process.new_game() {
            self.fail(None, &error);
        }
    }

    /// Reports a failure and replaces the process.
    fn fail(&mut self, search: Option<SearchNumber>, reason: &impl ToString) {
        self.restarted_in = search.unwrap_or(0).max(self.restarted_in);
        self.reporter.send(MemberEvent::Failed { search, reason: reason.to_string(), starts_again: true });
        self.restart();
    }

    /// Kills the process with all its descendants and starts a new one.
    fn restart(&mut self) {
        self.process = None;
        if !self.cancel.is_cancelled() {
            self.get_ready();
        }
    }
}

/// Time allowed to end a search whose answer is unused.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// How a search is being ended.
#[derive(Default)]
struct SearchEnding {
    /// `stop` was sent. A second one might hit the next search.
    is_stopped: bool,
    deadline: Option<Instant>,
}

impl SearchEnding {
    fn stop(&mut self, engine: &mut UsiEngine) -> Result<(), EngineError> {
        if mem::replace(&mut self.is_stopped, true) { Ok(()) } else { engine.stop() }
    }
}

impl MemberWorker {
    /// Searches until the engine answers, fails, or has to be restarted.
    fn search(&mut self, search: SearchNumber, position: &PositionSpec, go: &GoSpec) {
        let prepared = self.prepare();
        self.waiting.extend(self.commands.try_iter());
        if self.waiting.contains(&MemberCommand::Quit) {
            return self.waiting.push_front(MemberCommand::Quit);
        }
        if let Err(reason) = prepared {
            self.process = None;
            self.reporter.send(MemberEvent::Failed { search: Some(search), reason, starts_again: false });
            return;
        }
        if self.was_given_up(search) {
            return;
        }
        let mut earlier = mem::take(&mut self.waiting);
        let begun = self.begin(search, position, go);
        let ended = begun.and_then(|()| self.wait_for_answer(search, &mut earlier));
        self.waiting.extend(earlier);
        if let Err(error) = ended {
            self.fail(Some(search), &error);
        }
    }

    /// Makes sure that the process is ready to search.
    fn prepare(&mut self) -> Result<(), String> {
        let process = self.start()?;
        if !process.is_ready {
            process.ready().map_err(|error| error.to_string())?;
            self.reporter.send(MemberEvent::Ready);
        }
        Ok(())
    }

    /// Whether the search has ended before it could begin, since the process took long to get
    /// ready.
    fn was_given_up(&mut self, search: SearchNumber) -> bool {
        let waiting = self.waiting.len();
        self.waiting.retain(|command| !matches!(command, MemberCommand::Restart(ended) if *ended <= search));
        if self.waiting.len() < waiting {
            // The process never got that search, so it can stay.
            self.reporter.send(MemberEvent::Ready);
            return true;
        }
        self.waiting.iter().any(|command| matches!(command, MemberCommand::Forget(ended) if *ended >= search))
    }

    fn begin(&mut self, search: SearchNumber, position: &PositionSpec, go: &GoSpec) -> Result<(), EngineError> {
        let Some(process) = &mut self.process else { return Err(EngineError::Cancelled) };
        if !process.knows_game {
            process.new_game()?;
        }
        self.lines.lock().begin(search, process.number);
        process.engine.go(position, go)
    }

    /// Waits for the answer and executes commands meanwhile, those that came before the search
    /// first.
    fn wait_for_answer(
        &mut self,
        search: SearchNumber,
        earlier: &mut VecDeque<MemberCommand>,
    ) -> Result<(), EngineError> {
        let commands = self.commands.clone();
        let mut ending = SearchEnding::default();
        while let Some(process) = &mut self.process {
            let command = match earlier.pop_front() {
                Some(command) => command,
                None => match process.engine.answer_or(ending.deadline, &commands)? {
                    AnswerOr::Message(command) => command,
                    AnswerOr::Answer(answer) => {
                        self.reporter.send(MemberEvent::Answered(search, answer.best));
                        break;
                    }
                },
            };
            if !self.execute_during(search, command, &mut ending)? {
                break;
            }
        }
        Ok(())
    }

    /// Executes a command that cannot wait for the end of the search. Returns whether the search
    /// continues.
    fn execute_during(
        &mut self,
        search: SearchNumber,
        command: MemberCommand,
        ending: &mut SearchEnding,
    ) -> Result<bool, EngineError> {
        let Some(process) = &mut self.process else { return Ok(false) };
        match command {
            MemberCommand::Stop(meant) if meant == search => ending.stop(&mut process.engine)?,
            MemberCommand::PonderHit(meant, clocks) if meant == search => {
                process.engine.ponder_hit(clocks)?;
            }
            MemberCommand::Forget(meant) if meant == search => {
                ending.deadline.get_or_insert_with(|| Instant::now() + STOP_TIMEOUT);
                ending.stop(&mut process.engine)?;
            }
            MemberCommand::Start(request) => self.reporter.send(MemberEvent::Reported(request)),
            MemberCommand::Restart(ended) if ended >= search => {
                self.restarted_in = ended;
                // Searches up to that one continue without this member.
                self.waiting.retain(|waiting| !matches!(waiting, MemberCommand::Search(given, ..) if *given <= ended));
                self.restart();
                return Ok(false);
            }
            // Belongs to an earlier search.
            MemberCommand::Restart(_) => {}
            MemberCommand::Quit => {
                self.waiting.push_front(MemberCommand::Quit);
                return Ok(false);
            }
            // Belongs to later searches, or to none.
            later => self.waiting.push_back(later),
        }
        Ok(true)
    }
}
