//! A search of one member, in its thread.

use std::collections::VecDeque;
use std::mem;
use std::time::{Duration, Instant};

use kiki_driver::{AnswerOr, EngineError, UsiEngine};
use kiki_usi::{GoSpec, PositionSpec};

use crate::message::{MemberCommand, MemberEvent};
use crate::worker::{NextStep, Worker};

/// How long a program may take to end a search that nobody waits for any more.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// What a search was told of its end.
#[derive(Default)]
struct Ending {
    /// The engine was told to stop: a second `stop` might be taken for the next search's.
    is_stopped: bool,
    /// When it has to have answered.
    deadline: Option<Instant>,
}

/// What follows from a command during a search.
enum During {
    GoOn,
    End(NextStep),
}

impl Ending {
    fn stop(&mut self, engine: &mut UsiEngine) -> Result<(), EngineError> {
        if mem::replace(&mut self.is_stopped, true) { Ok(()) } else { engine.stop() }
    }
}

impl Worker {
    /// Searches until the engine answers or fails, or is to be started again.
    pub(crate) fn search(&mut self, search: u64, position: &PositionSpec, go: &GoSpec) -> NextStep {
        let prepared = self.prepare();
        self.receive_commands();
        if self.waiting.contains(&MemberCommand::Quit) {
            return NextStep::Quit;
        }
        if let Err(reason) = prepared {
            self.process = None;
            self.report(MemberEvent::Failed { search: Some(search), reason, starts_again: false });
            return NextStep::Wait;
        }
        if self.was_given_up(search) {
            return NextStep::Wait;
        }
        if let Err(error) = self.begin(search, position, go) {
            self.fail(Some(search), &error);
            return NextStep::Wait;
        }
        let mut told = mem::take(&mut self.waiting);
        let next = self.wait_for_answer(search, &mut told);
        self.waiting.extend(told);
        next
    }

    /// A process that is ready to search.
    fn prepare(&mut self) -> Result<(), String> {
        let process = self.start()?;
        if !process.is_ready {
            process.ready().map_err(|error| error.to_string())?;
            self.report(MemberEvent::Ready);
        }
        Ok(())
    }

    /// Whether the search has ended before it could begin, since the process took long to get ready.
    fn was_given_up(&mut self, search: u64) -> bool {
        let waiting = self.waiting.len();
        self.waiting.retain(|command| !matches!(command, MemberCommand::Restart { search: ended } if *ended <= search));
        if self.waiting.len() < waiting {
            // The process has not been given that search: it can stay.
            self.report(MemberEvent::Ready);
            return true;
        }
        self.waiting
            .iter()
            .any(|command| matches!(command, MemberCommand::Forget { search: ended } if *ended >= search))
    }

    fn begin(&mut self, search: u64, position: &PositionSpec, go: &GoSpec) -> Result<(), EngineError> {
        let Some(process) = &mut self.process else { return Err(EngineError::Cancelled) };
        if !process.knows_game {
            process.new_game()?;
        }
        self.lines.lock().begin(search, process.number);
        process.engine.go(position, go)
    }

    /// Waits for the answer and executes commands meanwhile; those that came before the search began come first.
    fn wait_for_answer(&mut self, search: u64, told: &mut VecDeque<MemberCommand>) -> NextStep {
        let commands = self.commands.clone();
        let mut ending = Ending::default();
        loop {
            let Some(process) = &mut self.process else { return NextStep::Wait };
            let next = match told.pop_front() {
                Some(command) => Ok(AnswerOr::Message(command)),
                None => process.engine.answer_or(ending.deadline, &commands),
            };
            let during = match next {
                Ok(AnswerOr::Answer(answer)) => {
                    self.report(MemberEvent::Answered { search, best: answer.best });
                    return NextStep::Wait;
                }
                Ok(AnswerOr::Message(command)) => self.execute_during(search, command, &mut ending),
                Err(error) => Err(error),
            };
            match during {
                Ok(During::GoOn) => {}
                Ok(During::End(next)) => return next,
                Err(error) => {
                    self.fail(Some(search), &error);
                    return NextStep::Wait;
                }
            }
        }
    }

    /// Does what cannot wait for the end of the search.
    fn execute_during(
        &mut self,
        search: u64,
        command: MemberCommand,
        ending: &mut Ending,
    ) -> Result<During, EngineError> {
        let Some(process) = &mut self.process else { return Ok(During::End(NextStep::Wait)) };
        match command {
            MemberCommand::Stop { search: meant } if meant == search => ending.stop(&mut process.engine)?,
            MemberCommand::PonderHit { search: meant, clocks } if meant == search => {
                process.engine.ponder_hit(clocks)?;
            }
            MemberCommand::Forget { search: meant } if meant == search => {
                ending.deadline.get_or_insert_with(|| Instant::now() + STOP_TIMEOUT);
                ending.stop(&mut process.engine)?;
            }
            MemberCommand::Start { request } => self.report(MemberEvent::Reported { request }),
            MemberCommand::Restart { search: ended } if ended >= search => {
                self.restarted_in = ended;
                // Searches up to that one go on without this member.
                self.waiting.retain(
                    |waiting| !matches!(waiting, MemberCommand::Search { search: given, .. } if *given <= ended),
                );
                self.restart();
                return Ok(During::End(NextStep::Wait));
            }
            // Of an earlier search: that has ended.
            MemberCommand::Restart { .. } => {}
            MemberCommand::Quit => return Ok(During::End(NextStep::Quit)),
            // Of later searches, and what is no matter of searches at all.
            later => self.waiting.push_back(later),
        }
        Ok(During::GoOn)
    }
}
