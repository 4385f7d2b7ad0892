//! The last lines of a conversation, for the report of a failure.

use std::collections::VecDeque;
use std::time::Instant;

/// So many lines are kept.
const MOST_LINES: usize = 16;

/// So many characters of a line are kept.
const LONGEST_LINE: usize = 160;

/// More successive lines of `info` than this leave out those in the middle.
const MOST_INFO: usize = 3;

/// Lines in both directions, the latest ones only.
pub(crate) struct Transcript {
    start: Instant,
    lines: VecDeque<String>,
    /// How many lines of `info` came last.
    info: usize,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), lines: VecDeque::new(), info: 0 }
    }

    /// Notes a line that was told.
    pub(crate) fn told(&mut self, at: Instant, line: &str) {
        self.info = 0;
        self.push(at, '>', line);
    }

    /// Notes a line that was heard.
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

    /// Notes what happened.
    pub(crate) fn note(&mut self, at: Instant, text: &str) {
        self.info = 0;
        self.push(at, '-', text);
    }

    fn push(&mut self, at: Instant, direction: char, line: &str) {
        let seconds = at.saturating_duration_since(self.start).as_secs_f64();
        self.lines.push_back(format!("{seconds:8.3} {direction} {}", shown(line, LONGEST_LINE)));
        if self.lines.len() > MOST_LINES {
            self.lines.pop_front();
        }
    }

    /// The lines, each with its time in seconds and its direction.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.iter().cloned().collect()
    }
}

/// So many characters of what an engine says are quoted in the reason of a failure.
const LONGEST_QUOTE: usize = 80;

/// The beginning of a word or a line of an engine, to quote in a failure.
pub(crate) fn quoted(text: &str) -> String {
    shown(text, LONGEST_QUOTE)
}

/// The beginning of a text in ASCII without control characters: whatever an engine says can be shown on a terminal.
pub(crate) fn shown(text: &str, longest: usize) -> String {
    let is_plain = |letter| matches!(letter, ' '..='~');
    let mut shown = String::new();
    for letter in text.chars().take(longest) {
        if is_plain(letter) { shown.push(letter) } else { shown.extend(letter.escape_default()) }
    }
    if text.chars().nth(longest).is_some() {
        shown.push_str(" ...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_short_and_plain() {
        assert_eq!(shown("it's \u{1b}[31m \u{6b69}\0", 99), "it's \\u{1b}[31m \\u{6b69}\\u{0}");
        assert_eq!(shown(&"x".repeat(1 << 20), 3), "xxx ...");
    }

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
