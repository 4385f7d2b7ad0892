//! Threads that read what an engine prints, so that it can always print on, whoever listens.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;

use crate::log::{Direction, LineLog};
use crate::tail::Tail;

/// The part of a line that is looked at. A declaration with thousands of choices fits.
const LONGEST_LINE: usize = 1 << 20;

/// Answers that may lie unread. A sane engine leaves one, while it declares its options some hundreds; more are a flood.
const MOST_ANSWERS: usize = 4096;

/// A line that somebody waits for.
pub(crate) struct Line {
    pub(crate) at: Instant,
    pub(crate) text: Vec<u8>,
}

/// What was read and is no answer.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) tail: Tail,
    /// The last `info` line of the best line of play that has a score, and the last one with a node count: often the same.
    pub(crate) scored: Vec<u8>,
    pub(crate) counted: Vec<u8>,
}

impl Heard {
    /// Forgets the last search.
    pub(crate) fn forget_search(&mut self) {
        self.scored.clear();
        self.counted.clear();
    }

    fn note(&mut self, line: &[u8]) {
        self.tail.push(line);
        if !line.starts_with(b"info ") {
            return;
        }
        let head = &line[..find(line, b" pv ").or_else(|| find(line, b" string ")).unwrap_or(line.len())];
        if find(head, b" score ").is_some() && find(head, b" multipv ").is_none_or(|at| is_first(&head[at + 9..])) {
            self.scored.clear();
            self.scored.extend_from_slice(line);
        }
        if find(head, b" nodes ").is_some() {
            self.counted.clear();
            self.counted.extend_from_slice(head);
        }
    }
}

/// Whether the first word is 1.
fn is_first(words: &[u8]) -> bool {
    words.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()) == Some(b"1")
}

fn find(line: &[u8], words: &[u8]) -> Option<usize> {
    line.windows(words.len()).position(|window| window == words)
}

/// What the threads hand over.
pub(crate) struct Ears {
    /// Closes when standard output does.
    pub(crate) answers: Receiver<Line>,
    pub(crate) heard: Arc<Mutex<Heard>>,
    /// Closes when nothing more can be heard.
    pub(crate) silence: Receiver<()>,
}

/// Reads standard output and standard error.
pub(crate) fn listen(
    output: impl Read + Send + 'static,
    errors: impl Read + Send + 'static,
    log: Option<&LineLog>,
) -> Ears {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let (answers, received) = bounded(MOST_ANSWERS);
    let (noise, silence) = bounded(0);
    let (said, error) = (log.cloned(), log.cloned());
    let (both, until_end) = (Arc::clone(&heard), noise.clone());
    thread::spawn(move || {
        read_lines(output, |line| {
            write(said.as_ref(), Direction::Said, line);
            hear(line, &both, &answers);
        });
        drop::<Sender<()>>(until_end);
    });
    let both = Arc::clone(&heard);
    thread::spawn(move || {
        read_lines(errors, |line| {
            write(error.as_ref(), Direction::Error, line);
            both.lock().tail.push(line);
        });
        drop(noise);
    });
    Ears { answers: received, heard, silence }
}

fn write(log: Option<&LineLog>, direction: Direction, line: &[u8]) {
    if let Some(log) = log {
        log(direction, line);
    }
}

fn hear(line: &[u8], heard: &Mutex<Heard>, answers: &Sender<Line>) {
    heard.lock().note(line);
    if is_answer(line) {
        // Whoever floods the answers loses those that nobody has taken in time.
        let _ = answers.try_send(Line { at: Instant::now(), text: line.to_owned() });
    }
}

/// Whether somebody may wait for this line; most lines are `info`.
fn is_answer(line: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [b"bestmove", b"checkmate", b"usiok", b"readyok", b"option ", b"id "];
    WORDS.iter().any(|word| line.starts_with(word))
}

/// Hands on every line without its line break, long ones in part, until the end of the stream.
fn read_lines(stream: impl Read, mut each: impl FnMut(&[u8])) {
    let mut reader = BufReader::with_capacity(1 << 16, stream);
    let mut line = Vec::new();
    while let Ok(available) = reader.fill_buf()
        && !available.is_empty()
    {
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        line.extend_from_slice(&part[..part.len().min(LONGEST_LINE - line.len())]);
        let used = part.len() + usize::from(end.is_some());
        if end.is_some() {
            each(line.trim_ascii_end());
            line.clear();
        }
        reader.consume(used);
    }
    if !line.is_empty() {
        each(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        read_lines(text, |line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn lines_come_without_their_breaks_and_the_last_one_too() {
        assert_eq!(lines_of(b"usiok\r\n\nreadyok"), [b"usiok".to_vec(), b"".to_vec(), b"readyok".to_vec()]);
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE];
        text.extend_from_slice(b"\nusiok\n");
        let lines = lines_of(&text);
        assert_eq!((lines[0].len(), lines[1].as_slice()), (LONGEST_LINE, b"usiok".as_slice()));
    }

    #[test]
    fn the_score_is_that_of_the_best_line_and_words_within_a_line_of_play_do_not_count() {
        let mut heard = Heard::default();
        for line in [
            "info depth 3 multipv 1 score cp 50 nodes 900 pv 7g7f",
            "info depth 3 multipv 2 score cp 20 nodes 950 pv 2g2f",
            "info depth 3 multipv 10 score cp 10 pv 9g9f",
            "info string the score 7 of nodes 3",
        ] {
            heard.note(line.as_bytes());
        }
        assert_eq!(heard.scored, b"info depth 3 multipv 1 score cp 50 nodes 900 pv 7g7f");
        assert_eq!(heard.counted, b"info depth 3 multipv 2 score cp 20 nodes 950");
    }
}
