//! The queue of answers from the reading thread to the caller, bounded in number and bytes.
//!
//! A caller whose deadline has passed also learns how much output is still unread, in the pipe or
//! in the reading thread.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded};

#[cfg(target_os = "linux")]
use parking_lot::{Mutex, MutexGuard};
#[cfg(target_os = "linux")]
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::retry_on_intr,
};
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, OwnedFd};

/// Longest part of a line to keep, in bytes. An option with thousands of choices fits.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Longest part of an answer to keep, in bytes. Moves and names are short; a mate of 10,000 moves
/// fits.
const LONGEST_ANSWER: usize = 1 << 10;
const LONGEST_MATE: usize = 1 << 16;

/// Limits on unread answers, in number and bytes. Normally one is unread, and some hundreds while
/// options are declared.
const MAX_UNREAD_ANSWERS: usize = 4096;
const MAX_UNREAD_BYTES: usize = 4 << 20;

/// Limits on the options of an engine, in number and bytes: twenty times what any known engine has.
/// Both are below the limits of unread answers, so that no option is lost without an error.
pub(crate) const MAX_OPTIONS: usize = 2000;
pub(crate) const MAX_OPTION_BYTES: usize = 2 << 20;

/// A line that a caller may wait for, and when it was read.
pub(crate) struct AnswerLine {
    pub(crate) at: Instant,
    pub(crate) text: Vec<u8>,
    _room: Room,
}

/// The space that an answer takes until it is dropped.
struct Room {
    bytes: usize,
    taken: Arc<AtomicUsize>,
}

impl Room {
    /// `None` if too little space is left.
    fn take(taken: &Arc<AtomicUsize>, bytes: usize) -> Option<Self> {
        let room = Self { bytes, taken: Arc::clone(taken) };
        (taken.fetch_add(bytes, Ordering::Relaxed) + bytes <= MAX_UNREAD_BYTES).then_some(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

pub(crate) fn answer_queue() -> (AnswerSender, Receiver<AnswerLine>) {
    let (answers, received) = bounded(MAX_UNREAD_ANSWERS);
    (AnswerSender { answers, taken: Arc::default() }, received)
}

pub(crate) struct AnswerSender {
    answers: Sender<AnswerLine>,
    taken: Arc<AtomicUsize>,
}

impl AnswerSender {
    /// Passes on a line, shortened if needed. Drops a flood of unread answers.
    pub(crate) fn send(&self, at: Instant, line: &[u8]) {
        let Some(longest) = kept_of_answer(line) else { return };
        let line = &line[..line.len().min(longest)];
        if let Some(room) = Room::take(&self.taken, line.len()) {
            let _ = self.answers.try_send(AnswerLine { at, text: line.to_owned(), _room: room });
        }
    }
}

/// Whether a caller may be waiting for a line.
pub(crate) fn is_answer(line: &[u8]) -> bool {
    kept_of_answer(line).is_some()
}

/// Number of bytes to keep of a line that a caller may be waiting for; `None` for others, mostly
/// `info`.
fn kept_of_answer(line: &[u8]) -> Option<usize> {
    const WORDS: [(&[u8], usize); 6] = [
        (b"bestmove", LONGEST_ANSWER),
        (b"checkmate", LONGEST_MATE),
        (b"usiok", LONGEST_ANSWER),
        (b"readyok", LONGEST_ANSWER),
        (b"option ", LONGEST_LINE),
        (b"id ", LONGEST_ANSWER),
    ];
    WORDS.iter().find(|(word, _)| line.starts_with(word)).map(|&(_, longest)| longest)
}

/// Byte counts since the start. The count of bytes in the pipe is known on Linux only.
#[derive(Default)]
pub(crate) struct OutputProgress {
    #[cfg(target_os = "linux")]
    pipe: Option<OwnedFd>,
    /// Held from when bytes leave the pipe until they are counted.
    #[cfg(target_os = "linux")]
    counting: Mutex<()>,
    read: AtomicU64,
    handled: AtomicU64,
}

impl OutputProgress {
    /// The bytes that the engine has written by now.
    pub(crate) fn arrived(&self) -> u64 {
        #[cfg(target_os = "linux")]
        let _counting = self.counting.lock();
        self.read.load(Ordering::Acquire) + self.unread()
    }

    /// The bytes read and handled, line by line.
    pub(crate) fn handled(&self) -> u64 {
        self.handled.load(Ordering::Acquire)
    }

    #[cfg(target_os = "linux")]
    fn unread(&self) -> u64 {
        self.pipe.as_ref().and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok()).unwrap_or(0)
    }

    #[cfg(not(target_os = "linux"))]
    fn unread(&self) -> u64 {
        0
    }

    /// Returns when there is something to read or the stream has ended. While the guard lives, no
    /// one counts what has arrived.
    #[cfg(target_os = "linux")]
    fn wait_for_output(&self) -> io::Result<Option<MutexGuard<'_, ()>>> {
        let Some(pipe) = &self.pipe else { return Ok(None) };
        retry_on_intr(|| poll(&mut [PollFd::new(pipe, PollFlags::IN)], None))?;
        Ok(Some(self.counting.lock()))
    }

    #[cfg(not(target_os = "linux"))]
    fn wait_for_output(&self) -> io::Result<Option<()>> {
        Ok(None)
    }
}

/// A stream that counts the bytes read. When its reader asks for more, everything before is
/// handled.
pub(crate) struct CountedOutput<R> {
    stream: R,
    progress: Arc<OutputProgress>,
}

#[cfg(target_os = "linux")]
impl<R: Read + AsFd> CountedOutput<R> {
    pub(crate) fn new(stream: R) -> Self {
        // Without a spare descriptor the state of the pipe is unknown; everything else works.
        let pipe = stream.as_fd().try_clone_to_owned().ok();
        Self { stream, progress: Arc::new(OutputProgress { pipe, ..OutputProgress::default() }) }
    }
}

#[cfg(not(target_os = "linux"))]
impl<R: Read> CountedOutput<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self { stream, progress: Arc::default() }
    }
}

impl<R> CountedOutput<R> {
    pub(crate) fn progress(&self) -> Arc<OutputProgress> {
        Arc::clone(&self.progress)
    }
}

impl<R: Read> Read for CountedOutput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let progress = &*self.progress;
        progress.handled.store(progress.read.load(Ordering::Relaxed), Ordering::Release);
        let _counting = progress.wait_for_output()?;
        let bytes = self.stream.read(buffer)?;
        progress.read.fetch_add(bytes as u64, Ordering::Release);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_answers_are_bounded_in_number_and_bytes_and_short_where_answers_are() {
        let (sender, answers) = answer_queue();
        for word in ["option name ", "bestmove ", "checkmate ", "id name ", "usiok "] {
            let line = [word.as_bytes(), &vec![b'x'; LONGEST_LINE - word.len()]].concat();
            (0..100).for_each(|_| sender.send(Instant::now(), &line));
            let lines: Vec<_> = answers.try_iter().collect();
            let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
            assert!(!lines.is_empty() && bytes <= MAX_UNREAD_BYTES, "{word}: {bytes}");
        }
        for number in 0..2 * MAX_UNREAD_ANSWERS {
            sender.send(Instant::now(), format!("bestmove {number}").as_bytes());
        }
        sender.send(Instant::now(), b"info depth 3");
        assert_eq!(answers.len(), MAX_UNREAD_ANSWERS);
        assert_eq!(answers.try_iter().next().unwrap().text, b"bestmove 0", "the first counts");
        answers.try_iter().for_each(drop);
        assert_eq!(sender.taken.load(Ordering::Relaxed), 0, "room is given back");
        assert_eq!(kept_of_answer(b"bestmove"), Some(LONGEST_ANSWER));
    }
}
