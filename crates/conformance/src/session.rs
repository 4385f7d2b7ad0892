//! One process of the engine and the conversation with it.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::slice;
use std::time::{Duration, Instant};

use crossbeam::channel::RecvTimeoutError;
use kiki_driver::{CancellationToken, Process, Program, describe};
use kiki_usi::{BestMove, Reply, ascii_excerpt};

use crate::pipes::{Line, Pipes, Transcript, full_pipe};
use crate::placement::CasePosition;
use crate::settings::{CheckSettings, Failure, Outcome, Problem};

/// Number of bytes of lines kept during one wait: the limit for floods.
const MOST_HEARD: usize = 16 << 20;

/// Number of characters shown of the reason of a failure, which may quote the engine.
const LONGEST_REASON: usize = 1000;

/// How often a wait checks for cancellation.
const SLICE: Duration = Duration::from_millis(50);

/// Time allowed for the last lines of a process that has ended.
const DRAIN: Duration = Duration::from_millis(300);

/// The destination of standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Errors {
    Read,
    /// It is a full pipe without a reader.
    Full,
}

/// A running engine. Dropping it kills it with all its descendants.
pub(crate) struct EngineSession {
    process: Process,
    pipes: Pipes,
    /// Lines read during a wait for the end of the process, or after the deadline of a wait.
    held: VecDeque<Line>,
    held_bytes: usize,
    transcript: Transcript,
    settings: CheckSettings,
    cancel: CancellationToken,
    /// The reading end of a full standard error.
    _unread: Option<std::io::PipeReader>,
}

impl EngineSession {
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

    pub(crate) fn say(&mut self, line: &str) {
        self.transcript.told(Instant::now(), line);
        self.pipes.send(format!("{line}\n").into_bytes());
    }

    /// Sends bytes unchanged; `what` describes them.
    pub(crate) fn say_bytes(&mut self, bytes: Vec<u8>, what: &str) {
        self.transcript.note(Instant::now(), &format!("sent: {what}"));
        self.pipes.send(bytes);
    }

    pub(crate) fn close_input(&mut self) {
        self.transcript.note(Instant::now(), "the input is closed");
        self.pipes.close_input();
    }

    /// Closes this side of standard output. Asks the engine for a line, because nothing else ends a
    /// read in progress.
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

    /// A failure with the last lines of the conversation.
    pub(crate) fn failed(&self, reason: impl AsRef<str>) -> Problem {
        let reason = ascii_excerpt(reason.as_ref(), LONGEST_REASON);
        Problem::Failed(Failure { reason, conversation: self.transcript.lines() })
    }

    /// The next line; `None` at the deadline. Holds back later lines: no flood prolongs a wait.
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
                // Children of the engine may keep its pipes open.
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

    pub(crate) fn until(&mut self, word: &str, within: Duration) -> Result<Vec<Line>, Problem> {
        let (heard, found) = self.listen(within, |_, line| Ok(line.is(word)))?;
        if found { Ok(heard) } else { Err(self.failed(format!("no `{word}` within {}", milliseconds(within)))) }
    }

    /// Listens for a while and returns the lines. Fails on a line with one of the words.
    pub(crate) fn without(&mut self, words: &[&str], time: Duration, when: &str) -> Result<Vec<Line>, Problem> {
        let (heard, _) =
            self.listen(time, |session, line| session.none_of(words, slice::from_ref(line), when).map(|()| false))?;
        Ok(heard)
    }

    /// Listens for a while, or until `is_last`. Returns the lines, and whether the last one came.
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

    pub(crate) fn none_of(&self, words: &[&str], lines: &[Line], when: &str) -> Result<(), Problem> {
        match lines.iter().find(|line| words.iter().any(|word| line.is(word))) {
            Some(line) => Err(self.failed(format!("`{}` {when}", line.quoted()))),
            None => Ok(()),
        }
    }

    /// Waits for the end of the process; returns its status and the time it took.
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

    pub(crate) fn quit(&mut self) -> Result<(Option<ExitStatus>, Duration), Problem> {
        self.say("quit");
        self.wait_for_end(self.settings.timeout)
    }

    /// Sends `quit` and returns how long the engine takes to end. Fails on another status than 0.
    pub(crate) fn quits(&mut self) -> Result<Duration, Problem> {
        let (status, took) = self.quit()?;
        if !status.is_some_and(|status| status.success()) {
            return Err(self.failed("it does not exit with status 0"));
        }
        Ok(took)
    }

    fn hold(&mut self, line: Line) {
        if self.held_bytes <= MOST_HEARD {
            self.held_bytes += line.size();
            self.held.push_back(line);
        }
    }

    /// The remaining lines of a process that has ended.
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

    pub(crate) fn errors(&self) -> Vec<u8> {
        self.pipes.errors()
    }
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// A short search that every engine knows.
pub(crate) const SHORT: &str = "go btime 0 wtime 0 byoyomi 100";

/// A search with enough time even on a busy machine.
pub(crate) const LONGER: &str = "go btime 0 wtime 0 byoyomi 3000";

/// Pondering with little time on the clock.
pub(crate) const PONDER: &str = "go ponder btime 1000 wtime 1000 byoyomi 100";

pub(crate) struct Answer {
    pub(crate) best: BestMove,
    pub(crate) line: Line,
    pub(crate) before: Vec<Line>,
}

impl Answer {
    pub(crate) fn mv(&self) -> Option<&str> {
        match &self.best {
            BestMove::Move { best, .. } => Some(best),
            BestMove::Resign | BestMove::Win => None,
        }
    }
}

impl EngineSession {
    /// Sends `usi`, waits for `usiok` as long as for `readyok`, and returns all lines.
    pub(crate) fn handshake(&mut self) -> Result<Vec<Line>, Problem> {
        self.say("usi");
        self.until("usiok", self.settings().ready_timeout)
    }

    /// Sends an option; an empty value becomes `<empty>`.
    pub(crate) fn set_option(&mut self, name: &str, value: &str) {
        let value = if value.is_empty() { "<empty>" } else { value };
        self.say(&format!("setoption name {name} value {value}"));
    }

    /// Sends `isready`, waits for `readyok` and returns all lines.
    pub(crate) fn ready(&mut self) -> Result<Vec<Line>, Problem> {
        self.say("isready");
        self.until("readyok", self.settings().ready_timeout)
    }

    pub(crate) fn go(&mut self, placement: &CasePosition, go: &str) {
        self.say(&placement.command);
        self.say(go);
    }

    pub(crate) fn answer(&mut self) -> Result<Answer, Problem> {
        let mut before = self.until("bestmove", self.settings().timeout)?;
        let Some(line) = before.pop() else { return Err(self.failed("no `bestmove`")) };
        match Reply::parse(line.text.as_bytes()) {
            Reply::BestMove(best) => Ok(Answer { best, line, before }),
            _ => Err(self.failed(format!("`{}` names no move", line.quoted()))),
        }
    }

    pub(crate) fn legal_answer(&mut self, placement: &CasePosition) -> Result<Answer, Problem> {
        let answer = self.answer()?;
        self.is_legal(placement, &answer)?;
        Ok(answer)
    }

    pub(crate) fn think(&mut self, placement: &CasePosition, go: &str) -> Result<Answer, Problem> {
        self.go(placement, go);
        self.answer()
    }

    pub(crate) fn think_legally(&mut self, placement: &CasePosition, go: &str) -> Result<Answer, Problem> {
        self.go(placement, go);
        self.legal_answer(placement)
    }

    /// Sends lines and returns the time until the answer, which must be legal in this position.
    pub(crate) fn timed_answer(&mut self, placement: &CasePosition, lines: &str) -> Result<Duration, Problem> {
        let (took, answer) = self.answer_to(lines)?;
        self.is_legal(placement, &answer)?;
        Ok(took)
    }

    /// Sends lines, returns the answer and its time. Fails on an answer before the lines.
    pub(crate) fn answer_to(&mut self, lines: &str) -> Result<(Duration, Answer), Problem> {
        let asked = Instant::now();
        self.say(lines);
        let answer = self.answer()?;
        match answer.line.at.checked_duration_since(asked) {
            Some(took) => Ok((took, answer)),
            None => {
                let first = lines.lines().next().unwrap_or_default();
                Err(self.failed(format!("`{}` came before `{first}` was sent", answer.line.quoted())))
            }
        }
    }

    /// Returns `took` as a remark. Fails above limit and tolerance.
    pub(crate) fn in_time(&self, event: &str, took: Duration, limit: Duration) -> Outcome {
        self.in_time_with(event, took, limit, self.settings().tolerance)
    }

    /// Like [`EngineSession::in_time`] for the best or the median of several times, with a fifth of
    /// the tolerance. A busy machine spoils few of them, and a limit of 100 ms means nothing beside
    /// a tolerance of 1 s.
    pub(crate) fn mostly_in_time(&self, event: &str, took: Duration, limit: Duration) -> Outcome {
        self.in_time_with(event, took, limit, self.settings().tolerance / 5)
    }

    fn in_time_with(&self, event: &str, took: Duration, limit: Duration, tolerance: Duration) -> Outcome {
        let [took_text, limit_text] = [took, limit].map(milliseconds);
        if took > limit + tolerance {
            return Err(self.failed(format!("{event} after {took_text}, not within {limit_text}")));
        }
        Ok(Some(format!("{took_text} of {limit_text}")))
    }

    /// Allows legal moves, valid declarations, and resignations where the side to move may be lost.
    pub(crate) fn is_legal(&self, placement: &CasePosition, answer: &Answer) -> Result<(), Problem> {
        let legal = match &answer.best {
            BestMove::Move { best, .. } => placement.is_legal(best),
            BestMove::Resign if !placement.may_be_lost => {
                let position = placement.position.to_sfen();
                return Err(self.failed(format!("`{}` in `{position}`, which is not lost", answer.line.quoted())));
            }
            BestMove::Resign => true,
            BestMove::Win => placement.may_declare(),
        };
        if legal {
            return Ok(());
        }
        let position = placement.position.to_sfen();
        Err(self.failed(format!("`{}` is illegal in `{position}`", answer.line.quoted())))
    }

    /// Checks that no answer is left: none comes before the next `readyok`.
    pub(crate) fn is_through(&mut self) -> Result<(), Problem> {
        let lines = self.ready()?;
        self.none_of(&["bestmove", "checkmate"], &lines, "came although no search was going on")
    }

    /// Stops an infinite search; returns time and answer. Fails if it had ended by itself.
    pub(crate) fn stop(&mut self) -> Result<(Duration, Answer), Problem> {
        self.answer_to("stop")
    }

    /// Checks that an infinite search answers nothing for a while.
    pub(crate) fn holds(&mut self, when: &str) -> Result<Vec<Line>, Problem> {
        self.without(&["bestmove", "checkmate"], self.settings().silence, when)
    }
}
