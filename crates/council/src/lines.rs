//! What a member has said in a search.

use kiki_usi::{Info, Reply};

/// The most lines of play that are kept.
const MOST_LINES: usize = 64;

/// The last line of play of each rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchLines {
    lines: Vec<Info>,
    nodes: u64,
}

impl SearchLines {
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.nodes = 0;
    }

    /// Takes a line of output over, if it tells of a line of play.
    pub(crate) fn record(&mut self, line: &[u8]) {
        if !line.starts_with(b"info ") {
            return;
        }
        let Reply::Info(info) = Reply::parse(line) else { return };
        self.nodes = info.nodes.unwrap_or(0).max(self.nodes);
        if info.pv.is_empty() || info.score.is_none() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        if rank < self.lines.len() {
            self.lines[rank] = *info;
        } else if rank == self.lines.len() && rank < MOST_LINES {
            self.lines.push(*info);
        }
    }

    /// The lines, best first.
    pub(crate) fn ranked(&self) -> &[Info] {
        &self.lines
    }

    /// Positions visited so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_each_rank_is_kept() {
        let mut lines = SearchLines::default();
        for line in [
            "info depth 1 score cp 5 pv 7g7f",
            "info depth 2 multipv 1 score cp 9 nodes 70 pv 2g2f 8c8d",
            "info depth 2 multipv 2 score cp 3 nodes 90 pv 7g7f",
            "info depth 3 nodes 100 currmove 2g2f",
            "info string the score cp 7 pv 9g9f",
            "sent: info depth 9 score cp 9 pv 9g9f",
        ] {
            lines.record(line.as_bytes());
        }
        let firsts: Vec<&str> = lines.ranked().iter().map(|info| info.pv[0].as_str()).collect();
        assert_eq!((firsts, lines.nodes()), (vec!["2g2f", "7g7f"], 100));
        lines.clear();
        assert!(lines.ranked().is_empty() && lines.nodes() == 0);
    }
}
