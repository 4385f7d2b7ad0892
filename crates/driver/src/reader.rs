//! The threads that read an engine's output all the time, so that it never blocks, and what they
//! keep.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::process::ChildStdout;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use kiki_platform::prefer_short_time_slices;
use kiki_usi::{Info, Reply};
use parking_lot::Mutex;

use crate::answers::{AnswerLine, AnswerSender, CountedOutput, LONGEST_LINE, OutputProgress, answer_queue, is_answer};

/// Longest part of a search line to keep, in bytes. A line of play of 3,000 moves fits.
const LONGEST_INFO: usize = 1 << 14;

/// How long output in the pipe may wait for the reading thread, and how often to check.
const READER_TIMEOUT: Duration = Duration::from_millis(200);
const READER_POLL: Duration = Duration::from_millis(1);

/// Output other than answers.
#[derive(Default)]
pub(crate) struct EngineOutput {
    pub(crate) recent: RecentLines,
    /// The last `info` line with a score of the best line of play, and the last with a node count;
    /// often the same.
    pub(crate) scored: Vec<u8>,
    pub(crate) counted: Vec<u8>,
    pub(crate) search: SearchOutput,
}

impl EngineOutput {
    pub(crate) fn forget_search(&mut self) {
        self.scored.clear();
        self.counted.clear();
        self.search.clear();
    }

    fn record(&mut self, line: &[u8]) {
        self.recent.push(line, is_answer(line));
        if !line.starts_with(b"info ") {
            return;
        }
        if line.starts_with(b"info string ") {
            return self.search.add_text(line);
        }
        let line = whole_words(line, LONGEST_INFO);
        let play = find(line, b" pv ");
        let head = &line[..play.or_else(|| find(line, b" string ")).unwrap_or(line.len())];
        if find(head, b" score ").is_some() {
            let rank = find(head, b" multipv ").map_or(Some(1), |at| first_number(&head[at + 9..]));
            if rank == Some(1) {
                self.scored.clear();
                self.scored.extend_from_slice(line);
            }
            if let (Some(rank), Some(_)) = (rank, play) {
                let is_bound = [&b" lowerbound"[..], b" upperbound"].iter().any(|word| find(line, word).is_some());
                self.search.add_line(rank, line, is_bound);
            }
        }
        if find(head, b" nodes ").is_some() {
            self.counted.clear();
            self.counted.extend_from_slice(head);
        }
    }
}

/// The beginning of a line, cut between words: half a move may be another move.
fn whole_words(line: &[u8], longest: usize) -> &[u8] {
    if line.len() <= longest {
        return line;
    }
    &line[..line[..=longest].iter().rposition(u8::is_ascii_whitespace).unwrap_or(0)]
}

/// The first word, if it is a number.
fn first_number(words: &[u8]) -> Option<u32> {
    let word = words.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn find(line: &[u8], words: &[u8]) -> Option<usize> {
    line.windows(words.len()).position(|window| window == words)
}

/// The receiving ends of the two threads that read an engine's streams.
pub(crate) struct EngineReader {
    /// Closed at the end of standard output.
    pub(crate) answers: Receiver<AnswerLine>,
    pub(crate) output: Arc<Mutex<EngineOutput>>,
    /// Closed at the end of both streams.
    pub(crate) end: Receiver<()>,
    progress: Arc<OutputProgress>,
}

impl EngineReader {
    /// The unread answers that the engine has written by now. On a busy machine the reading thread
    /// may lag.
    pub(crate) fn unread_answers(&self) -> impl Iterator<Item = AnswerLine> + '_ {
        let (begin, arrived) = (Instant::now(), self.progress.arrived());
        // Number of answers left once everything that had arrived was handled.
        let mut left = None;
        std::iter::from_fn(move || {
            while left.is_none() {
                if self.progress.handled() >= arrived || begin.elapsed() >= READER_TIMEOUT {
                    left = Some(self.answers.len());
                } else if let Ok(line) = self.answers.recv_timeout(READER_POLL) {
                    return Some(line);
                }
            }
            left = Some(left?.checked_sub(1)?);
            self.answers.try_recv().ok()
        })
    }
}

pub(crate) fn spawn_readers(
    output: ChildStdout,
    errors: impl Read + Send + 'static,
    logger: Option<&LineLogger>,
) -> EngineReader {
    let lines = Arc::new(Mutex::new(EngineOutput::default()));
    let (answers, received) = answer_queue();
    let (open, end) = bounded(0);
    let (logger, error_logger) = (logger.cloned(), logger.cloned());
    let output = CountedOutput::new(output);
    let progress = output.progress();
    let (shared, until_end) = (Arc::clone(&lines), open.clone());
    thread::spawn(move || {
        prefer_short_time_slices();
        read_lines(output, |line| {
            // Taken before logging, which may be slow.
            let at = Instant::now();
            log(logger.as_ref(), LineDirection::FromEngine, line);
            handle_line(at, line, &shared, &answers);
            ControlFlow::Continue(())
        });
        drop::<Sender<()>>(until_end);
    });
    let shared = Arc::clone(&lines);
    thread::spawn(move || {
        read_lines(errors, |line| {
            log(error_logger.as_ref(), LineDirection::StandardError, line);
            shared.lock().recent.push(line, false);
            ControlFlow::Continue(())
        });
        drop(open);
    });
    EngineReader { answers: received, output: lines, end, progress }
}

fn log(logger: Option<&LineLogger>, direction: LineDirection, line: &[u8]) {
    if let Some(logger) = logger {
        logger(direction, line);
    }
}

fn handle_line(at: Instant, line: &[u8], output: &Mutex<EngineOutput>, answers: &AnswerSender) {
    output.lock().record(line);
    answers.send(at, line);
}

/// Calls `each` with every line, without its line break and cut to a mebibyte, until the stream
/// ends or `each` stops.
pub fn read_lines(stream: impl Read, mut each: impl FnMut(&[u8]) -> ControlFlow<()>) {
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
            if each(line.trim_ascii_end()).is_break() {
                return;
            }
            line.clear();
        }
        reader.consume(used);
    }
    if !line.is_empty() {
        let _ = each(&line);
    }
}

/// Which stream a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineDirection {
    /// Sent to the engine.
    ToEngine,
    /// From its standard output.
    FromEngine,
    /// From its standard error.
    StandardError,
}

/// Receives every line, without its line break, when it is sent or read. Several threads call it,
/// and it must not block: meanwhile, no more output of the engine is read.
pub type LineLogger = Arc<dyn Fn(LineDirection, &[u8]) + Send + Sync>;

/// Number of lines to keep for explaining a failure.
const MAX_LINES: usize = 12;

/// Longest part of a line to keep, in bytes.
const LONGEST_RECENT_LINE: usize = 400;

/// The same for an answer, whose beginning says everything.
const LONGEST_RECENT_ANSWER: usize = 80;

/// The last lines of an engine's output, standard error included; bounded in number and length.
#[derive(Default)]
pub(crate) struct RecentLines {
    lines: VecDeque<String>,
}

impl RecentLines {
    /// Keeps a line; a cut-off part becomes `...`.
    pub(crate) fn push(&mut self, line: &[u8], is_answer: bool) {
        let longest = if is_answer { LONGEST_RECENT_ANSWER } else { LONGEST_RECENT_LINE };
        // Reuse the oldest line's allocation: engines print a lot.
        let mut text = if self.lines.len() < MAX_LINES { None } else { self.lines.pop_front() }.unwrap_or_default();
        text.clear();
        text.push_str(&String::from_utf8_lossy(&line[..line.len().min(longest)]));
        if line.len() > longest {
            text.push_str("...");
        }
        self.lines.push_back(text);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.iter().cloned().collect()
    }
}

/// No position has more legal moves, so no search has more ranks.
const MAX_RANKS: usize = 600;

const MAX_TEXTS: usize = 32;

/// Longer lines are dropped, in bytes. A line of play of a hundred moves takes a fifth of it.
const LONGEST_SEARCH_LINE: usize = 4096;

/// Lines of one search; bounded in number and length.
#[derive(Default)]
pub(crate) struct SearchOutput {
    ranks: BTreeMap<u32, RankedLine>,
    texts: VecDeque<Vec<u8>>,
}

struct RankedLine {
    text: Vec<u8>,
    is_bound: bool,
}

impl SearchOutput {
    pub(crate) fn clear(&mut self) {
        self.ranks.clear();
        self.texts.clear();
    }

    /// Keeps `info string ..`.
    pub(crate) fn add_text(&mut self, line: &[u8]) {
        if line.len() > LONGEST_SEARCH_LINE {
            return;
        }
        // Reuse the oldest line's allocation.
        let mut text = if self.texts.len() < MAX_TEXTS { None } else { self.texts.pop_front() }.unwrap_or_default();
        text.clear();
        text.extend_from_slice(line);
        self.texts.push_back(text);
    }

    /// Keeps an `info` line with a score and a line of play. A bound replaces only bounds.
    pub(crate) fn add_line(&mut self, rank: u32, line: &[u8], is_bound: bool) {
        if line.len() > LONGEST_SEARCH_LINE || (self.ranks.len() >= MAX_RANKS && !self.ranks.contains_key(&rank)) {
            return;
        }
        let kept = self.ranks.entry(rank).or_insert(RankedLine { text: Vec::new(), is_bound: true });
        if is_bound && !kept.is_bound {
            return;
        }
        kept.is_bound = is_bound;
        kept.text.clear();
        kept.text.extend_from_slice(line);
    }

    /// The last line of each rank, in the order of ranks.
    pub(crate) fn lines(&self) -> Vec<Info> {
        let parse = |line: &RankedLine| match Reply::parse(&line.text) {
            Reply::Info(info) => Some(*info),
            _ => None,
        };
        self.ranks.values().filter_map(parse).collect()
    }

    /// The last texts of `info string`, oldest first.
    pub(crate) fn texts(&self) -> Vec<String> {
        let parse = |line: &Vec<u8>| match Reply::parse(line) {
            Reply::Info(info) => info.string,
            _ => None,
        };
        self.texts.iter().filter_map(parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        read_lines(text, |line| {
            lines.push(line.to_owned());
            ControlFlow::Continue(())
        });
        lines
    }

    #[test]
    fn lines_come_without_their_breaks_and_the_last_one_too() {
        assert_eq!(lines_of(b"usiok\r\n\nreadyok"), [b"usiok".to_vec(), b"".to_vec(), b"readyok".to_vec()]);
    }

    /// A pipe whose reader is suspended whenever it has taken something out.
    #[cfg(target_os = "linux")]
    struct DelayedPipe(std::io::PipeReader);

    #[cfg(target_os = "linux")]
    impl Read for DelayedPipe {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let bytes = self.0.read(buffer)?;
            thread::sleep(Duration::from_millis(30));
            Ok(bytes)
        }
    }

    #[cfg(target_os = "linux")]
    impl std::os::fd::AsFd for DelayedPipe {
        fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    /// The unread answer after `text` was written. The reading thread begins after `begins`
    /// milliseconds; the referee asks after `asks`. Then the engine prints more text, unless
    /// `goes_on_with` is empty.
    #[cfg(target_os = "linux")]
    fn unread_answer_after(text: &[u8], begins: u64, asks: u64, goes_on_with: &'static [u8]) -> Option<Vec<u8>> {
        use std::io::{Write as _, pipe};
        let (output, mut input) = pipe().unwrap();
        let output = CountedOutput::new(DelayedPipe(output));
        let (sender, answers) = answer_queue();
        let reader = EngineReader { answers, output: Arc::default(), end: bounded(0).1, progress: output.progress() };
        input.write_all(text).unwrap();
        let lines = Arc::clone(&reader.output);
        let reading = thread::spawn(move || {
            thread::sleep(Duration::from_millis(begins));
            read_lines(output, |line| {
                handle_line(Instant::now(), line, &lines, &sender);
                ControlFlow::Continue(())
            });
        });
        let writing = thread::spawn(move || {
            for _ in 0..100 {
                thread::sleep(Duration::from_millis(2));
                if !goes_on_with.is_empty() {
                    input.write_all(b"info string on and on\n").unwrap();
                }
            }
            input.write_all(goes_on_with).unwrap();
        });
        thread::sleep(Duration::from_millis(asks));
        let answer = reader.unread_answers().next().map(|line| line.text);
        writing.join().unwrap();
        reading.join().unwrap();
        answer
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_answer_in_the_pipe_is_waited_for_and_nothing_that_comes_after() {
        let answer = Some(b"bestmove 7g7f".to_vec());
        assert_eq!(unread_answer_after(b"info depth 3\nbestmove 7g7f\n", 30, 0, b""), answer);
        assert_eq!(unread_answer_after(b"bestmove 7g7f\n", 0, 15, b""), answer, "neither in the pipe nor counted");
        assert_eq!(unread_answer_after(b"info depth 3\n", 30, 0, b"bestmove 7g7f\n"), None);
        assert_eq!(unread_answer_after(b"", 30, 0, b"bestmove 7g7f\n"), None);
        assert_eq!(unread_answer_after(b"bestmove 7g7f\n", 600, 0, b""), None, "nobody reads");
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE];
        text.extend_from_slice(b"\nusiok\n");
        let lines = lines_of(&text);
        assert_eq!((lines[0].len(), lines[1].as_slice()), (LONGEST_LINE, b"usiok".as_slice()));
    }

    #[test]
    fn lines_of_play_are_cut_between_moves() {
        let mut output = EngineOutput::default();
        output.record(format!("info score cp 1 nodes 7 pv{}", " 7g7f+".repeat(100_000)).as_bytes());
        assert!(output.scored.len() <= LONGEST_INFO && output.scored.ends_with(b" 7g7f+"));
        assert_eq!(whole_words(b"info", 3), b"");
        assert_eq!(whole_words(b"7g7f 3c3d", 9), b"7g7f 3c3d");
        assert_eq!(whole_words(b"7g7f 3c3d+", 9), b"7g7f");
    }

    #[test]
    fn the_score_is_that_of_the_best_line_and_words_within_a_line_of_play_do_not_count() {
        let mut output = EngineOutput::default();
        for line in [
            "info depth 3 multipv 1 score cp 50 nodes 900 pv 7g7f",
            "info depth 3 multipv 2 score cp 20 nodes 950 pv 2g2f",
            "info depth 3 multipv 10 score cp 10 pv 9g9f",
            "info string the score 7 of nodes 3",
        ] {
            output.record(line.as_bytes());
        }
        assert_eq!(output.scored, b"info depth 3 multipv 1 score cp 50 nodes 900 pv 7g7f");
        assert_eq!(output.counted, b"info depth 3 multipv 2 score cp 20 nodes 950");
        let ranks: Vec<_> = output.search.lines().iter().map(|info| info.multipv).collect();
        assert_eq!(ranks, [Some(1), Some(2), Some(10)]);
        assert_eq!(output.search.texts(), ["the score 7 of nodes 3"]);
    }

    #[test]
    fn only_the_latest_lines_are_kept_and_each_only_in_part() {
        let mut recent = RecentLines::default();
        for number in 0..100 {
            recent.push(format!("line {number}").as_bytes(), false);
        }
        recent.push(&[b'x'; 100_000], false);
        let lines = recent.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MAX_LINES, "line 89"));
        assert_eq!(lines[MAX_LINES - 1].len(), LONGEST_RECENT_LINE + 3);
        recent.push(&[b"bestmove ".as_slice(), &[b'x'; 100_000]].concat(), true);
        assert_eq!(recent.lines()[MAX_LINES - 1].len(), LONGEST_RECENT_ANSWER + 3);
    }

    #[test]
    fn each_rank_keeps_its_last_exact_line() {
        let mut output = SearchOutput::default();
        output.add_line(2, b"info depth 4 multipv 2 score cp 1 pv 2g2f", false);
        output.add_line(1, b"info depth 4 multipv 1 score cp 9 lowerbound pv 7g7f", true);
        output.add_line(1, b"info depth 4 multipv 1 score cp 10 pv 7g7f", false);
        output.add_line(1, b"info depth 5 multipv 1 score cp 50 lowerbound pv 7g7f", true);
        output.add_line(3, b"info depth 5 multipv 3 score cp -50 upperbound pv 1g1f", true);
        let depths: Vec<_> = output.lines().iter().map(|info| (info.multipv, info.depth)).collect();
        assert_eq!(depths, [(Some(1), Some(4)), (Some(2), Some(4)), (Some(3), Some(5))]);
        output.clear();
        assert!(output.lines().is_empty());
    }

    #[test]
    fn floods_take_bounded_memory() {
        let mut output = SearchOutput::default();
        for number in 0..10_000 {
            output.add_text(format!("info string sigma {number}").as_bytes());
            output.add_line(number, b"info score cp 1 pv 7g7f", false);
        }
        output.add_text(&[b'x'; 2 * LONGEST_SEARCH_LINE]);
        output.add_line(1, &[b'x'; 2 * LONGEST_SEARCH_LINE], false);
        assert_eq!((output.texts().len(), output.lines().len()), (MAX_TEXTS, MAX_RANKS));
        assert_eq!(output.texts().last().map(String::as_str), Some("sigma 9999"));
    }
}
