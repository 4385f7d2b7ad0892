//! The streams of a process, each with a thread of its own, and the transcript of what passed
//! through them.
//!
//! An engine that reads nothing blocks no thread of the check, and one that prints too much has to
//! wait.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use kiki_driver::{RawStreams, read_lines};
use kiki_usi::{Info, Reply, ascii_excerpt};
use parking_lot::Mutex;

/// Number of bytes of unread lines kept; the reading thread pauses above it.
const MOST_UNREAD: usize = 16 << 20;

/// How often the paused reading thread checks for room.
const PAUSE: Duration = Duration::from_millis(1);

const MOST_ERRORS: usize = 4096;

/// A line of the engine and when it was read.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) at: Instant,
    /// Invalid UTF-8 is replaced by U+FFFD.
    pub(crate) text: String,
}

impl Line {
    /// Whether the line is this word, or starts with it and a blank. Blanks before it do not count.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text.trim_start().strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    }

    pub(crate) fn info(&self) -> Option<Info> {
        let Reply::Info(info) = Reply::parse(self.text.as_bytes()) else { return None };
        Some(*info)
    }

    /// Its beginning, to quote in a failure.
    pub(crate) fn quoted(&self) -> String {
        quoted(&self.text)
    }

    /// In bytes of memory.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + size_of::<Self>()
    }
}

pub(crate) struct Pipes {
    /// `None` if closed.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Line>,
    /// Bytes of unread lines.
    unread: Arc<AtomicUsize>,
    closing: Arc<AtomicBool>,
    errors: Arc<Mutex<Vec<u8>>>,
}

impl Pipes {
    pub(crate) fn new(streams: RawStreams) -> Self {
        let (sender, to_write) = unbounded::<Vec<u8>>();
        let mut input = streams.input;
        thread::spawn(move || to_write.iter().try_for_each(|bytes| input.write_all(&bytes)));
        let (lines, received) = unbounded();
        let reader = LineReader { lines, unread: Arc::default(), closing: Arc::default() };
        let (unread, closing) = (Arc::clone(&reader.unread), Arc::clone(&reader.closing));
        let output = streams.output;
        thread::spawn(move || read_lines(output, |bytes| reader.pass_on(bytes)));
        let errors: Arc<Mutex<Vec<u8>>> = Arc::default();
        if let Some(stream) = streams.errors {
            let kept = Arc::clone(&errors);
            thread::spawn(move || keep_errors(stream, &kept));
        }
        Self { input: Some(sender), lines: received, unread, closing, errors }
    }

    /// Writes in the background. If the engine has ended, the next wait reports it.
    pub(crate) fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes);
        }
    }

    /// Closes the input after everything is written.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the output at the next line, because a read in progress cannot be interrupted.
    pub(crate) fn close_output(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn next(&self, patience: Duration) -> Result<Line, RecvTimeoutError> {
        let line = self.lines.recv_timeout(patience)?;
        self.unread.fetch_sub(line.size(), Ordering::Relaxed);
        Ok(line)
    }

    pub(crate) fn are_quiet(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn errors(&self) -> Vec<u8> {
        self.errors.lock().clone()
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // The reading thread may be waiting for room.
        self.close_output();
    }
}

struct LineReader {
    lines: Sender<Line>,
    unread: Arc<AtomicUsize>,
    closing: Arc<AtomicBool>,
}

impl LineReader {
    /// Hands a line on as soon as there is room for it.
    fn pass_on(&self, bytes: &[u8]) -> ControlFlow<()> {
        let line = Line { at: Instant::now(), text: String::from_utf8_lossy(bytes).into_owned() };
        let is_open = || !self.closing.load(Ordering::Relaxed);
        while self.unread.load(Ordering::Relaxed) > MOST_UNREAD && is_open() {
            thread::sleep(PAUSE);
        }
        self.unread.fetch_add(line.size(), Ordering::Relaxed);
        if is_open() && self.lines.send(line).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Reads standard error to its end, and keeps the beginning.
fn keep_errors(mut stream: std::process::ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut part = [0; 1024];
    while let Ok(count @ 1..) = stream.read(&mut part) {
        let mut kept = kept.lock();
        let room = MOST_ERRORS.saturating_sub(kept.len());
        kept.extend_from_slice(&part[..count.min(room)]);
    }
}

/// A full pipe: its reading end, and its writing end for a child.
pub(crate) fn full_pipe() -> std::io::Result<(std::io::PipeReader, Stdio)> {
    let (reader, mut writer) = std::io::pipe()?;
    let stdio = Stdio::from(writer.try_clone()?);
    // The filler fills the pipe, blocks, and ends when the reading end is dropped.
    let filler = thread::spawn(move || while writer.write_all(&[b'x'; 512]).is_ok() {});
    // Pipes differ in size (64 KiB on Linux), so the filler gets time to block.
    thread::sleep(Duration::from_millis(100));
    drop(filler);
    Ok((reader, stdio))
}

const MOST_LINES: usize = 16;

const LONGEST_LINE: usize = 160;

/// Number of successive `info` lines kept; later ones replace the last.
const MOST_INFO: usize = 3;

/// Lines in both directions, the latest ones only.
pub(crate) struct Transcript {
    start: Instant,
    lines: VecDeque<String>,
    /// Number of successive `info` lines at the end.
    info: usize,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), lines: VecDeque::new(), info: 0 }
    }

    pub(crate) fn told(&mut self, at: Instant, line: &str) {
        self.info = 0;
        self.push(at, '>', line);
    }

    pub(crate) fn heard(&mut self, at: Instant, line: &str) {
        if line.starts_with("info") {
            self.info += 1;
            if self.info > MOST_INFO {
                self.lines.pop_back();
            }
        } else {
            self.info = 0;
        }
        self.push(at, '<', line);
    }

    pub(crate) fn note(&mut self, at: Instant, text: &str) {
        self.info = 0;
        self.push(at, '-', text);
    }

    fn push(&mut self, at: Instant, direction: char, line: &str) {
        let seconds = at.saturating_duration_since(self.start).as_secs_f64();
        self.lines.push_back(format!("{seconds:8.3} {direction} {}", ascii_excerpt(line, LONGEST_LINE)));
        if self.lines.len() > MOST_LINES {
            self.lines.pop_front();
        }
    }

    /// The lines, each with its time in seconds and its direction.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.iter().cloned().collect()
    }
}

/// Number of characters of engine output quoted in the reason of a failure.
const LONGEST_QUOTE: usize = 80;

/// The beginning of a word or a line of an engine, to quote in a failure.
pub(crate) fn quoted(text: &str) -> String {
    ascii_excerpt(text, LONGEST_QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_info_keeps_what_was_said_before_it() {
        let mut transcript = Transcript::new();
        let now = Instant::now();
        transcript.told(now, "go infinite");
        (0..1000).for_each(|number| transcript.heard(now, &format!("info depth {number}")));
        transcript.heard(now, "bestmove \u{6b69}");
        let lines = transcript.lines();
        assert_eq!(lines.len(), 2 + MOST_INFO);
        assert!(lines[0].ends_with("> go infinite") && lines[3].ends_with("< info depth 999"), "{lines:#?}");
        assert!(lines[4].ends_with("bestmove \\u{6b69}"));
    }
}
