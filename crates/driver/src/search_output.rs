//! What an engine prints during one search, as far as it is kept: the last line of play of each rank, and the last texts.

use std::collections::{BTreeMap, VecDeque};

use kiki_usi::{Info, Reply};

/// No position has more legal moves, so no search has more ranks.
const MAX_RANKS: usize = 600;

/// Number of `info string` lines that are kept.
const MAX_TEXTS: usize = 32;

/// Longer lines are not kept, in bytes. A line of play of a hundred moves fits five times.
const LONGEST_LINE: usize = 4096;

/// Lines of one search; bounded in number and length.
#[derive(Default)]
pub(crate) struct SearchOutput {
    ranks: BTreeMap<u32, RankedLine>,
    texts: VecDeque<Vec<u8>>,
}

struct RankedLine {
    text: Vec<u8>,
    /// Whether its score is a bound.
    is_bound: bool,
}

impl SearchOutput {
    pub(crate) fn clear(&mut self) {
        self.ranks.clear();
        self.texts.clear();
    }

    /// Keeps `info string ..`.
    pub(crate) fn add_text(&mut self, line: &[u8]) {
        if line.len() > LONGEST_LINE {
            return;
        }
        // The allocation of the oldest line is used again.
        let mut text = if self.texts.len() < MAX_TEXTS { None } else { self.texts.pop_front() }.unwrap_or_default();
        text.clear();
        text.extend_from_slice(line);
        self.texts.push_back(text);
    }

    /// Keeps an `info` line with a score and a line of play. A bound takes the place of bounds alone.
    pub(crate) fn add_line(&mut self, rank: u32, line: &[u8], is_bound: bool) {
        if line.len() > LONGEST_LINE || (self.ranks.len() >= MAX_RANKS && !self.ranks.contains_key(&rank)) {
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
        output.add_text(&[b'x'; 2 * LONGEST_LINE]);
        output.add_line(1, &[b'x'; 2 * LONGEST_LINE], false);
        assert_eq!((output.texts().len(), output.lines().len()), (MAX_TEXTS, MAX_RANKS));
        assert_eq!(output.texts().last().map(String::as_str), Some("sigma 9999"));
    }
}
