//! The last lines of an engine's output.

use std::collections::VecDeque;

/// Number of lines that are kept to explain a failure.
const MAX_LINES: usize = 12;

/// Longest part of a line that is kept, in bytes.
const LONGEST_LINE: usize = 400;

/// The same of an answer, which says all that it has to say at its beginning.
const LONGEST_ANSWER: usize = 80;

/// The last lines of an engine's output, standard error included; bounded in number and length.
#[derive(Default)]
pub(crate) struct RecentLines {
    lines: VecDeque<String>,
}

impl RecentLines {
    /// Keeps a line; what is cut off it becomes `...`.
    pub(crate) fn push(&mut self, line: &[u8], is_answer: bool) {
        let longest = if is_answer { LONGEST_ANSWER } else { LONGEST_LINE };
        // The allocation of the oldest line is used again: engines print a lot.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_lines_are_kept_and_each_only_in_part() {
        let mut recent = RecentLines::default();
        for number in 0..100 {
            recent.push(format!("line {number}").as_bytes(), false);
        }
        recent.push(&[b'x'; 100_000], false);
        let lines = recent.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MAX_LINES, "line 89"));
        assert_eq!(lines[MAX_LINES - 1].len(), LONGEST_LINE + 3);
        recent.push(&[b"bestmove ".as_slice(), &[b'x'; 100_000]].concat(), true);
        assert_eq!(recent.lines()[MAX_LINES - 1].len(), LONGEST_ANSWER + 3);
    }
}
