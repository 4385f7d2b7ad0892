//! One process of the engine and the conversation with it: whatever is sent, and whatever is left unread.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crossbeam::channel::RecvTimeoutError;
use kiki_driver::{CancellationToken, Process, Program, describe};

use crate::pipes::{Line, Pipes, full_pipe};
use crate::problem::{Failure, Problem};
use crate::settings::CheckSettings;
use crate::transcript::{Transcript, shown};

/// So many bytes of lines are kept of one wait. No engine has that much to say; one that floods is not to take all memory.
const MOST_HEARD: usize = 16 << 20;

/// So many characters of the reason of a failure are shown: it may quote what the engine says.
const LONGEST_REASON: usize = 1000;

/// How often a wait looks whether it was cancelled.
const SLICE: Duration = Duration::from_millis(50);

/// How long the lines of a process that has ended are waited for.
const DRAIN: Duration = Duration::from_millis(300);

/// What becomes of standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Errors {
    /// It is read.
    Read,
    /// It is a pipe that is full and that nobody reads.
    Full,
}

/// A running engine. Dropping it kills it with all that it has started.
pub(crate) struct Session {
    process: Process,
    pipes: Pipes,
    /// Lines that were read too early: in a wait for the end of the process, or after the deadline of a wait.
    held: VecDeque<Line>,
    held_bytes: usize,
    transcript: Transcript,
    settings: CheckSettings,
    cancel: CancellationToken,
    /// The end of a full pipe that nobody reads.
    _unread: Option<std::io::PipeReader>,
}

impl Session {
    /// Starts the program.
    pub(crate) fn start(
        program: &Program,
        errors: Errors,
        settings: CheckSettings,
        cancel: &CancellationToken,
    ) -> Result<Self, Problem> {
        let failed = |error: std::io::Error| {
            let reason = format!("`{}` cannot be started: {error}", program.line());
            Problem::Failed(Failure { reason, conversation: Vec::new() })
        };
        let (unread, stdio) = match errors {
            Errors::Read => (None, Stdio::piped()),
            Errors::Full => full_pipe().map(|(reader, stdio)| (Some(reader), stdio)).map_err(failed)?,
        };
        let (process, streams) = Process::start_raw(program, stdio).map_err(failed)?;
        Ok(Self {
            process,
            pipes: Pipes::new(streams),
            held: VecDeque::new(),
            held_bytes: 0,
            transcript: Transcript::new(),
            settings,
            cancel: cancel.clone(),
            _unread: unread,
        })
    }

    pub(crate) fn settings(&self) -> &CheckSettings {
        &self.settings
    }

    /// Sends a line.
    pub(crate) fn say(&mut self, line: &str) {
        self.transcript.told(Instant::now(), line);
        self.pipes.send(format!("{line}\n").into_bytes());
    }

    /// Sends bytes as they are; `what` says what they are.
    pub(crate) fn say_bytes(&mut self, bytes: Vec<u8>, what: &str) {
        self.transcript.note(Instant::now(), &format!("sent: {what}"));
        self.pipes.send(bytes);
    }

    /// Ends the input once all is written.
    pub(crate) fn close_input(&mut self) {
        self.transcript.note(Instant::now(), "the input is closed");
        self.pipes.close_input();
    }

    /// Closes this side of standard output. The engine is asked for a line, because a read in progress cannot be ended otherwise.
    pub(crate) fn close_output(&mut self) {
        self.pipes.close_output();
        self.say("isready");
        let deadline = Instant::now() + self.settings.timeout;
        while Instant::now() < deadline
            && !self.cancel.is_cancelled()
            && !matches!(self.pipes.next(SLICE), Err(RecvTimeoutError::Disconnected))
        {}
        self.transcript.note(Instant::now(), "standard output is closed");
    }

    /// A failure with the end of the conversation.
    pub(crate) fn failed(&self, reason: impl AsRef<str>) -> Problem {
        let reason = shown(reason.as_ref(), LONGEST_REASON);
        Problem::Failed(Failure { reason, conversation: self.transcript.lines() })
    }

    /// The next line. `None`: none came before the deadline. What comes later waits, so that no flood makes a wait longer.
    ///
    /// # Errors
    /// The engine has ended.
    pub(crate) fn next_line(&mut self, deadline: Instant) -> Result<Option<Line>, Problem> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let next = self.take_held().map_or_else(|| self.pipes.next(left.min(SLICE)), Ok);
            match next {
                Ok(line) if line.at > deadline => {
                    self.held_bytes += line.size();
                    self.held.push_front(line);
                    return Ok(None);
                }
                Ok(line) => {
                    self.transcript.heard(line.at, &line.text);
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                // Children of the engine may hold its pipes.
                Err(RecvTimeoutError::Timeout) if self.process.has_ended() && self.pipes.are_quiet() => {
                    return Err(self.ended());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn take_held(&mut self) -> Option<Line> {
        let line = self.held.pop_front()?;
        self.held_bytes -= line.size();
        Some(line)
    }

    fn ended(&mut self) -> Problem {
        let ended = self.process.wait(DRAIN);
        let how = if ended { self.process.end().map(describe) } else { None };
        let how = how.unwrap_or_else(|| "closed its output".to_owned());
        let errors = String::from_utf8_lossy(&self.pipes.errors()).trim().to_owned();
        if !errors.is_empty() {
            self.transcript.note(Instant::now(), &format!("standard error: {errors}"));
        }
        self.failed(format!("the engine {how}"))
    }

    /// All lines up to and including the first with this word.
    ///
    /// # Errors
    /// It does not come in time, or the engine has ended.
    pub(crate) fn until(&mut self, word: &str, within: Duration) -> Result<Vec<Line>, Problem> {
        let (heard, found) = self.listen(within, |_, line| Ok(line.is(word)))?;
        if found { Ok(heard) } else { Err(self.failed(format!("no `{word}` within {}", milliseconds(within)))) }
    }

    /// Listens for a while and returns what was said.
    ///
    /// # Errors
    /// A line with one of the words was said, or the engine has ended.
    pub(crate) fn without(&mut self, words: &[&str], time: Duration, when: &str) -> Result<Vec<Line>, Problem> {
        let (heard, _) = self.listen(time, |session, line| session.none_of(words, line, when).map(|()| false))?;
        Ok(heard)
    }

    /// Listens for a while, or up to the line that is the last one: all lines, and whether that one was among them.
    fn listen(
        &mut self,
        time: Duration,
        is_last: impl Fn(&Self, &Line) -> Result<bool, Problem>,
    ) -> Result<(Vec<Line>, bool), Problem> {
        let deadline = Instant::now() + time;
        let (mut heard, mut bytes) = (Vec::new(), 0);
        while let Some(line) = self.next_line(deadline)? {
            let found = is_last(self, &line)?;
            bytes += line.size();
            if bytes > MOST_HEARD {
                return Err(self.failed(format!("the engine says more than {} MB at once", MOST_HEARD >> 20)));
            }
            heard.push(line);
            if found {
                return Ok((heard, true));
            }
        }
        Ok((heard, false))
    }

    /// # Errors
    /// The line has one of the words.
    pub(crate) fn none_of(&self, words: &[&str], line: &Line, when: &str) -> Result<(), Problem> {
        match words.iter().find(|word| line.is(word)) {
            Some(_) => Err(self.failed(format!("`{}` {when}", line.quoted()))),
            None => Ok(()),
        }
    }

    /// Waits for the end of the process: how it ended, and how long it took.
    ///
    /// # Errors
    /// It goes on.
    pub(crate) fn wait_for_end(&mut self, within: Duration) -> Result<(Option<ExitStatus>, Duration), Problem> {
        let start = Instant::now();
        while !self.process.has_ended() {
            if self.cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let left = within.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(self.failed(format!("the engine still runs after {}", milliseconds(within))));
            }
            // An engine whose output is not read cannot end.
            match self.pipes.next(left.min(SLICE)) {
                Ok(line) => self.hold(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.process.wait(left.min(SLICE));
                }
            }
        }
        let took = start.elapsed();
        let status = self.process.end();
        let ended = status.map_or_else(|| "ended".to_owned(), describe);
        self.transcript.note(Instant::now(), &format!("the engine {ended}"));
        Ok((status, took))
    }

    /// Keeps a line for later, as long as there is room.
    fn hold(&mut self, line: Line) {
        if self.held_bytes <= MOST_HEARD {
            self.held_bytes += line.size();
            self.held.push_back(line);
        }
    }

    /// The lines that a process which has ended has left.
    pub(crate) fn last_lines(&mut self) -> Vec<Line> {
        let deadline = Instant::now() + self.settings.timeout;
        while Instant::now() < deadline
            && let Ok(line) = self.pipes.next(DRAIN)
        {
            self.hold(line);
        }
        self.held_bytes = 0;
        let lines = Vec::from(std::mem::take(&mut self.held));
        lines.iter().for_each(|line| self.transcript.heard(line.at, &line.text));
        lines
    }

    /// The beginning of what was written to standard error.
    pub(crate) fn errors(&self) -> Vec<u8> {
        self.pipes.errors()
    }
}

/// A time for people.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
