//! What a member has said in a search.

use kiki_usi::{Info, Reply, ScoreBound, ScoreValue};

/// The most lines of play that are kept.
const MOST_LINES: usize = 64;

/// The last line of play of each rank in one search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchLines {
    /// The search that they belong to; the first is 1.
    search: u64,
    /// The process that they come from: one that was ended may still be read.
    process: u64,
    lines: Vec<Info>,
    nodes: u64,
    /// The search goes on: what is printed after `bestmove` does not count.
    open: bool,
}

impl SearchLines {
    /// A search begins in this process.
    pub(crate) fn begin(&mut self, search: u64, process: u64) {
        *self = Self { search, process, open: true, ..Self::default() };
    }

    /// Takes a line of output over, if it tells of a line of play.
    pub(crate) fn record(&mut self, process: u64, line: &[u8]) {
        if !self.open || process != self.process {
            return;
        }
        if line.starts_with(b"bestmove") {
            self.open = false;
        }
        if !line.starts_with(b"info ") {
            return;
        }
        let Reply::Info(info) = Reply::parse(line) else { return };
        self.nodes = info.nodes.unwrap_or(0).max(self.nodes);
        if info.pv.is_empty() || info.score.is_none() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        if let Some(kept) = self.lines.get_mut(rank) {
            if replaces(&info, kept) {
                *kept = *info;
            }
        } else if rank == self.lines.len() && rank < MOST_LINES {
            self.lines.push(*info);
        }
    }

    /// The lines of this search, best first; none if another one is going on.
    pub(crate) fn ranked(&self, search: u64) -> &[Info] {
        if search == self.search { &self.lines } else { &[] }
    }

    /// Positions visited so far in this search.
    pub(crate) fn nodes(&self, search: u64) -> u64 {
        if search == self.search { self.nodes } else { 0 }
    }
}

/// Whether a later line takes the place of the one that is kept. A bound says less of a move than its value, unless it proves a mate; of another
/// move it says that the member has changed its mind.
fn replaces(info: &Info, kept: &Info) -> bool {
    let is_exact = |info: &Info| info.score.is_none_or(|score| score.bound == ScoreBound::Exact);
    let proves_mate = info.score.is_some_and(|score| match score.value {
        ScoreValue::Mate(plies) => score.bound == if plies.get() > 0 { ScoreBound::Lower } else { ScoreBound::Upper },
        ScoreValue::Cp(_) => false,
    });
    is_exact(info) || !is_exact(kept) || proves_mate || info.pv.first() != kept.pv.first()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firsts(lines: &SearchLines, search: u64) -> Vec<&str> {
        lines.ranked(search).iter().map(|info| info.pv[0].as_str()).collect()
    }

    #[test]
    fn the_last_line_of_each_rank_is_kept() {
        let mut lines = SearchLines::default();
        lines.begin(1, 1);
        for line in [
            "info depth 1 score cp 5 pv 7g7f",
            "info depth 2 multipv 1 score cp 9 nodes 70 pv 2g2f 8c8d",
            "info depth 2 multipv 2 score cp 3 nodes 90 pv 7g7f",
            "info depth 3 nodes 100 currmove 2g2f",
            "info string the score cp 7 pv 9g9f",
            "sent: info depth 9 score cp 9 pv 9g9f",
        ] {
            lines.record(1, line.as_bytes());
        }
        assert_eq!((firsts(&lines, 1), lines.nodes(1)), (vec!["2g2f", "7g7f"], 100));
    }

    #[test]
    fn a_bound_takes_the_place_of_bounds_and_of_other_moves() {
        let cases = [
            ("cp 40 pv 7g7f", "cp -700 upperbound pv 7g7f", "cp 40"),
            ("cp 40 pv 7g7f", "cp 90 lowerbound pv 2g2f", "cp 90 lowerbound"),
            ("cp 40 pv 7g7f", "cp 50 pv 7g7f", "cp 50"),
            ("cp 40 lowerbound pv 7g7f", "cp 90 lowerbound pv 7g7f", "cp 90 lowerbound"),
            ("cp 40 lowerbound pv 7g7f", "cp 50 pv 7g7f", "cp 50"),
            ("cp 40 pv 7g7f", "mate 5 lowerbound pv 7g7f", "mate 5 lowerbound"),
            ("cp 40 pv 7g7f", "mate 5 upperbound pv 7g7f", "cp 40"),
        ];
        for (first, second, expected) in cases {
            let mut lines = SearchLines::default();
            lines.begin(1, 1);
            for line in [first, second] {
                lines.record(1, format!("info depth 5 score {line}").as_bytes());
            }
            let score = lines.ranked(1)[0].score.map(|score| score.to_string());
            assert_eq!(score.as_deref(), Some(expected), "{first}, {second}");
        }
    }

    #[test]
    fn lines_of_another_search_or_process_do_not_count() {
        let mut lines = SearchLines::default();
        lines.record(0, b"info score cp 1 nodes 1 pv 1g1f");
        lines.begin(4, 2);
        lines.record(2, b"info score cp 5 nodes 7 pv 7g7f");
        lines.record(1, b"info score cp 9 nodes 9 pv 9g9f");
        lines.record(2, b"bestmove 7g7f");
        lines.record(2, b"info score cp 2 nodes 8 pv 2g2f");
        assert_eq!((firsts(&lines, 4), lines.nodes(4)), (vec!["7g7f"], 7));
        for other in [0, 3, 5] {
            assert_eq!((lines.ranked(other), lines.nodes(other)), (&[][..], 0));
        }
        lines.begin(5, 2);
        assert!(lines.ranked(5).is_empty() && lines.ranked(4).is_empty());
    }
}
