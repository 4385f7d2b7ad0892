//! The last lines that an engine said.

use std::collections::VecDeque;

/// As many lines as tell what an engine was about when it failed.
const MOST_LINES: usize = 12;

/// The part of a long line that is kept.
const LONGEST_LINE: usize = 400;

/// A bounded memory of an engine's output, standard error included.
#[derive(Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
}

impl Tail {
    pub(crate) fn push(&mut self, line: &[u8]) {
        // The oldest line's memory serves the newest: engines print a lot.
        let mut text = if self.lines.len() < MOST_LINES { None } else { self.lines.pop_front() }.unwrap_or_default();
        text.clear();
        text.push_str(&String::from_utf8_lossy(&line[..line.len().min(LONGEST_LINE)]));
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
        let mut tail = Tail::default();
        for number in 0..100 {
            tail.push(format!("line {number}").as_bytes());
        }
        tail.push(&[b'x'; 100_000]);
        let lines = tail.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MOST_LINES, "line 89"));
        assert_eq!(lines[MOST_LINES - 1].len(), LONGEST_LINE);
    }
}
