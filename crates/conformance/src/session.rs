//! One process of the engine and the conversation with it: whatever is sent, and whatever is left unread.

use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use kiki_driver::{CancellationToken, Process, Program, RawStreams, describe, read_lines};
use parking_lot::Mutex;

use crate::problem::{Failure, Problem};
use crate::settings::CheckSettings;
use crate::transcript::Transcript;

/// So many lines may wait to be looked at; then the engine waits.
const MOST_UNREAD: usize = 100_000;

/// So many bytes of standard error are kept.
const MOST_ERRORS: usize = 4096;

/// How often a wait looks whether it was cancelled.
const SLICE: Duration = Duration::from_millis(50);

/// How long the lines of a process that has ended are waited for.
const DRAIN: Duration = Duration::from_millis(300);

/// A line of the engine and when it was read.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) at: Instant,
    /// Bytes that are no UTF-8 are U+FFFD.
    pub(crate) text: String,
}

impl Line {
    /// Whether the line is this word, or starts with it and a blank.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    }
}

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
    /// Written by a thread of its own: an engine that reads nothing blocks nobody.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Line>,
    closing: Arc<AtomicBool>,
    errors: Arc<Mutex<Vec<u8>>>,
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
        let closing = Arc::new(AtomicBool::new(false));
        let kept = Arc::default();
        let (input, lines) = spawn_threads(streams, &closing, &kept);
        Ok(Self {
            process,
            input: Some(input),
            lines,
            closing,
            errors: kept,
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
        self.send(format!("{line}\n").into_bytes());
    }

    /// Sends bytes as they are; `shown` says what they are.
    pub(crate) fn say_bytes(&mut self, bytes: Vec<u8>, shown: &str) {
        self.transcript.note(Instant::now(), &format!("sent: {shown}"));
        self.send(bytes);
    }

    fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // The writer ends with the engine, which the next wait notices.
            let _ = input.send(bytes);
        }
    }

    /// Ends the input once all is written.
    pub(crate) fn close_input(&mut self) {
        self.transcript.note(Instant::now(), "the input is closed");
        self.input = None;
    }

    /// Closes this side of standard output. The engine is asked for a line, because a read in progress cannot be ended otherwise.
    pub(crate) fn close_output(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.say("isready");
        let deadline = Instant::now() + self.settings.timeout;
        while Instant::now() < deadline
            && !matches!(self.lines.recv_timeout(SLICE), Err(RecvTimeoutError::Disconnected))
        {}
        self.transcript.note(Instant::now(), "standard output is closed");
    }

    /// A failure with the end of the conversation.
    pub(crate) fn failed(&self, reason: impl Into<String>) -> Problem {
        Problem::Failed(Failure { reason: reason.into(), conversation: self.transcript.lines() })
    }

    /// The next line. `None`: none came before the deadline.
    ///
    /// # Errors
    /// The engine has ended.
    pub(crate) fn next_line(&mut self, deadline: Instant) -> Result<Option<Line>, Problem> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(SLICE)) {
                Ok(line) => {
                    self.transcript.heard(line.at, &line.text);
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                // Children of the engine may hold its pipes.
                Err(RecvTimeoutError::Timeout) if self.process.has_ended() && self.lines.is_empty() => {
                    return Err(self.ended());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn ended(&mut self) -> Problem {
        let ended = self.process.wait(DRAIN);
        let how = if ended { self.process.end().map(describe) } else { None };
        let how = how.unwrap_or_else(|| "closed its output".to_owned());
        let errors = String::from_utf8_lossy(&self.errors.lock()).trim().to_owned();
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
        let deadline = Instant::now() + within;
        let mut heard = Vec::new();
        while let Some(line) = self.next_line(deadline)? {
            let found = line.is(word);
            heard.push(line);
            if found {
                return Ok(heard);
            }
        }
        Err(self.failed(format!("no `{word}` within {}", milliseconds(within))))
    }

    /// Listens for a while and returns what was said.
    ///
    /// # Errors
    /// A line with one of the words was said, or the engine has ended.
    pub(crate) fn without(&mut self, words: &[&str], time: Duration, when: &str) -> Result<Vec<Line>, Problem> {
        let deadline = Instant::now() + time;
        let mut heard = Vec::new();
        while let Some(line) = self.next_line(deadline)? {
            self.none_of(words, &line, when)?;
            heard.push(line);
        }
        Ok(heard)
    }

    /// # Errors
    /// The line has one of the words.
    pub(crate) fn none_of(&self, words: &[&str], line: &Line, when: &str) -> Result<(), Problem> {
        match words.iter().find(|word| line.is(word)) {
            Some(_) => Err(self.failed(format!("`{}` {when}", line.text))),
            None => Ok(()),
        }
    }

    /// Waits for the end of the process: how it ended, and how long it took.
    ///
    /// # Errors
    /// It goes on.
    pub(crate) fn wait_for_end(&mut self, within: Duration) -> Result<(Option<ExitStatus>, Duration), Problem> {
        let start = Instant::now();
        if !self.process.wait(within) {
            return Err(self.failed(format!("the engine still runs after {}", milliseconds(within))));
        }
        let took = start.elapsed();
        let status = self.process.end();
        let ended = status.map_or_else(|| "ended".to_owned(), describe);
        self.transcript.note(Instant::now(), &format!("the engine {ended}"));
        Ok((status, took))
    }

    /// The lines that a process which has ended has left.
    pub(crate) fn last_lines(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(DRAIN) {
            self.transcript.heard(line.at, &line.text);
            lines.push(line);
        }
        lines
    }

    /// The beginning of what was written to standard error.
    pub(crate) fn errors(&self) -> Vec<u8> {
        self.errors.lock().clone()
    }
}

/// A time for people.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// Starts the threads that write and read a process's streams.
fn spawn_threads(
    streams: RawStreams,
    closing: &Arc<AtomicBool>,
    kept: &Arc<Mutex<Vec<u8>>>,
) -> (Sender<Vec<u8>>, Receiver<Line>) {
    let (sender, to_write) = unbounded::<Vec<u8>>();
    let mut input = streams.input;
    thread::spawn(move || to_write.iter().try_for_each(|bytes| input.write_all(&bytes)));
    let (lines, received) = bounded(MOST_UNREAD);
    let (output, closing) = (streams.output, Arc::clone(closing));
    thread::spawn(move || {
        read_lines(output, |bytes| {
            let line = Line { at: Instant::now(), text: String::from_utf8_lossy(bytes).into_owned() };
            let is_wanted = !closing.load(Ordering::Relaxed) && lines.send(line).is_ok();
            if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    });
    if let Some(mut errors) = streams.errors {
        let kept = Arc::clone(kept);
        thread::spawn(move || {
            let mut part = [0; 1024];
            while let Ok(count @ 1..) = errors.read(&mut part) {
                let mut kept = kept.lock();
                let room = MOST_ERRORS.saturating_sub(kept.len());
                kept.extend_from_slice(&part[..count.min(room)]);
            }
        });
    }
    (sender, received)
}

/// A pipe into which nothing more can be written: its reading end, and the other one for a child.
fn full_pipe() -> std::io::Result<(std::io::PipeReader, Stdio)> {
    let (reader, mut writer) = std::io::pipe()?;
    let stdio = Stdio::from(writer.try_clone()?);
    // It fills the pipe, waits, and ends when the reading end is dropped.
    let filler = thread::spawn(move || while writer.write_all(&[b'x'; 512]).is_ok() {});
    // A pipe holds 64 KiB, or what the system says: the filler is through when it has not been heard of for long.
    thread::sleep(Duration::from_millis(100));
    drop(filler);
    Ok((reader, stdio))
}
