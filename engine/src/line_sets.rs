//! The lines of an analysis as a person reads them: scores for Black, bounds marked, and with several lines each set in the order of ranks.

use kiki_board::{Color, Move, MoveList, Position};
use kiki_search::{Bound, Options, RootScore, SearchInfo};

use crate::notation;

/// Puts the lines that a search reports into sets of one line for each rank.
pub(crate) struct LineSets {
    position: Position,
    /// How many lines make a set.
    size: usize,
    /// The set that is coming in: ascending ranks.
    incoming: Vec<SearchInfo>,
    /// The last line of each rank.
    latest: Vec<SearchInfo>,
    /// The lines that stand last on the screen.
    shown: Vec<SearchInfo>,
}

impl LineSets {
    pub(crate) fn new(position: &Position, options: &Options) -> Self {
        let mut moves = MoveList::new();
        position.all_moves(&mut moves, options.rules.choice);
        Self {
            position: position.clone(),
            size: options.multipv.min(moves.len()).max(1),
            incoming: Vec::new(),
            latest: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Takes a line, and returns what is to be printed now: a set that is complete, or one that a bound has cut off.
    pub(crate) fn hear(&mut self, info: &SearchInfo) -> Vec<String> {
        let mut texts = Vec::new();
        if self.incoming.last().is_some_and(|last| last.multipv >= info.multipv) {
            texts = self.show_incoming();
        }
        self.latest.retain(|line| line.multipv != info.multipv);
        self.latest.push(info.clone());
        self.incoming.push(info.clone());
        if self.incoming.len() >= self.size || info.bound != Bound::Exact {
            texts.extend(self.show_incoming());
        }
        texts
    }

    /// What is still to be printed when the search has ended, so that the last lines on the screen are the last ones of every rank, in
    /// order. Nothing, if they stand there already.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let mut last = self.latest.clone();
        last.sort_by_key(|info| info.multipv);
        // A rank of an older set may hold a move that has risen since.
        let mut firsts: Vec<Move> = Vec::new();
        last.retain(|info| {
            let first = info.pv.first().copied();
            let is_new = first.is_none_or(|first| !firsts.contains(&first));
            firsts.extend(first);
            is_new
        });
        last.iter_mut().enumerate().for_each(|(place, info)| info.multipv = place + 1);
        self.incoming = last;
        self.show_incoming()
    }

    /// Prints the incoming lines, unless they stand there already.
    fn show_incoming(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.incoming);
        sort_behind_first(&mut lines);
        if lines.len() == self.shown.len()
            && lines.iter().zip(&self.shown).all(|(one, other)| says_the_same(one, other))
        {
            return Vec::new();
        }
        let texts = lines.iter().map(|info| self.describe(info)).collect();
        self.shown = lines;
        texts
    }

    fn describe(&self, info: &SearchInfo) -> String {
        let score = score_for_black(info, self.position.side_to_move() == Color::Black);
        let rank = if self.size > 1 { format!(" ({})", info.multipv) } else { String::new() };
        let (time, moves) = (info.time.as_secs_f64(), notation::moves(&self.position, &info.pv).join(" "));
        format!("{:>3}/{:<3}{time:>7.1}s {score:>9} (先手){rank}  {moves}", info.depth, info.seldepth)
    }
}

/// Sorts by scores what an interrupted iteration has left unsorted. The first line stays: it is the move to play. A bound cannot be
/// compared.
fn sort_behind_first(lines: &mut [SearchInfo]) {
    if lines.is_empty() || lines.iter().any(|info| info.bound != Bound::Exact) {
        return;
    }
    lines[1..].sort_by_key(|info| {
        std::cmp::Reverse(match info.score {
            RootScore::Centipawns(value) => (0, value),
            // A near mate is better than a far one, and to be mated late better than soon.
            RootScore::Mate(plies) => (if plies > 0 { 1 } else { -1 }, -plies),
        })
    });
    lines.iter_mut().enumerate().for_each(|(place, info)| info.multipv = place + 1);
}

/// Whether two lines differ in nothing but the work that was done meanwhile.
fn says_the_same(one: &SearchInfo, other: &SearchInfo) -> bool {
    let content = |info: &SearchInfo| (info.depth, info.multipv, info.score, info.bound);
    content(one) == content(other) && one.pv == other.pv
}

/// The score as diagrams and graphs show it, `>=` or `<=` before it if it is a bound; the protocol's view is the side to move's.
fn score_for_black(info: &SearchInfo, black_to_move: bool) -> String {
    // What is at least so much for White is at most so much for Black.
    let mark = match (info.bound, black_to_move) {
        (Bound::Exact, _) => "",
        (Bound::Lower, true) | (Bound::Upper, false) => ">=",
        (Bound::Lower, false) | (Bound::Upper, true) => "<=",
    };
    let for_black = |plies: i32| if (plies > 0) == black_to_move { '+' } else { '-' };
    match info.score {
        RootScore::Centipawns(value) => format!("{mark}{:+}", if black_to_move { value } else { -value }),
        // The game is over without a move.
        RootScore::Mate(plies) if info.pv.is_empty() && plies.abs() <= 1 => {
            format!("{}{}", for_black(plies), if plies > 0 { "宣言勝ち" } else { "詰み" })
        }
        RootScore::Mate(plies) => format!("{mark}{}詰{}手", for_black(plies), plies.abs()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn info(multipv: usize, depth: u32, value: i32, pv: Option<Move>) -> SearchInfo {
        SearchInfo {
            depth,
            seldepth: depth,
            multipv,
            score: RootScore::Centipawns(value),
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            pv: pv.into_iter().collect(),
        }
    }

    #[test]
    fn bounds_and_mates_are_seen_from_black() {
        let text = |score, bound, black| score_for_black(&SearchInfo { score, bound, ..info(1, 1, 0, None) }, black);
        let value = RootScore::Centipawns(35);
        assert_eq!(text(value, Bound::Exact, true), "+35");
        assert_eq!(text(value, Bound::Exact, false), "-35");
        assert_eq!(text(value, Bound::Lower, true), ">=+35");
        assert_eq!(text(value, Bound::Lower, false), "<=-35");
        assert_eq!(text(value, Bound::Upper, true), "<=+35");
        assert_eq!(text(value, Bound::Upper, false), ">=-35");
        assert_eq!(text(RootScore::Mate(3), Bound::Exact, true), "+詰3手");
        assert_eq!(text(RootScore::Mate(3), Bound::Exact, false), "-詰3手");
        assert_eq!(text(RootScore::Mate(-4), Bound::Lower, false), "<=+詰4手");
        // Without a move: who is to move is mated, or declares.
        assert_eq!(text(RootScore::Mate(-1), Bound::Exact, true), "-詰み");
        assert_eq!(text(RootScore::Mate(-1), Bound::Exact, false), "+詰み");
        assert_eq!(text(RootScore::Mate(1), Bound::Exact, true), "+宣言勝ち");
        assert_eq!(text(RootScore::Mate(1), Bound::Exact, false), "-宣言勝ち");
    }

    /// The ranks and depths of some printed lines.
    fn ranks(texts: &[String]) -> Vec<(usize, u32)> {
        let number = |text: &str, after: char, until: char| text.split(after).nth(1)?.split(until).next()?.parse().ok();
        let read = |text: &String| {
            let depth = text.split('/').next()?.trim().parse().ok()?;
            Some((number(text.split_once("(先手)")?.1, '(', ')')?, depth))
        };
        texts.iter().filter_map(read).collect()
    }

    #[test]
    fn the_last_lines_are_those_of_every_rank_in_order_and_stand_there_once() {
        let position = Position::startpos();
        let moves: Vec<Option<Move>> = position.legal_moves().iter().copied().map(Some).collect();
        let options = Options { multipv: 3, ..Options::default() };
        let mut sets = LineSets::new(&position, &options);
        assert_eq!(sets.hear(&info(1, 7, 30, moves[0])), [""; 0]);
        assert_eq!(sets.hear(&info(2, 7, 20, moves[1])), [""; 0]);
        assert_eq!(ranks(&sets.hear(&info(3, 7, 10, moves[2]))), [(1, 7), (2, 7), (3, 7)]);
        assert_eq!(sets.finish(), [""; 0], "they stand there");
        for (rank, value) in [(1, 30), (2, 20), (3, 10)] {
            let again = SearchInfo { nodes: 5, time: Duration::from_secs(1), ..info(rank, 7, value, moves[rank - 1]) };
            assert_eq!(sets.hear(&again), [""; 0], "the same once more");
        }
        // A bound is printed at once, with the lines before it.
        assert_eq!(sets.hear(&info(1, 8, 31, moves[0])), [""; 0]);
        let bound = SearchInfo { bound: Bound::Upper, ..info(2, 8, 12, moves[1]) };
        assert_eq!(ranks(&sets.hear(&bound)), [(1, 8), (2, 8)]);
        // The search ends in the middle: a new best move was the second before.
        assert_eq!(sets.hear(&info(1, 9, 40, moves[1])), [""; 0]);
        assert_eq!(ranks(&sets.finish()), [(1, 9), (2, 7)]);
        assert_eq!(sets.finish(), [""; 0]);
    }

    #[test]
    fn lines_behind_the_best_are_sorted_when_the_last_iteration_was_not_finished() {
        let mut lines: Vec<SearchInfo> = [10, -76, 3, -200, 5].map(|value| info(0, 11, value, None)).into();
        for (line, plies) in [(1, -8), (3, -2), (4, 5)] {
            lines[line].score = RootScore::Mate(plies);
        }
        lines.push(SearchInfo { score: RootScore::Mate(3), ..info(0, 11, 0, None) });
        let scores = |lines: &[SearchInfo]| lines.iter().map(|info| score_for_black(info, true)).collect::<Vec<_>>();
        sort_behind_first(&mut lines);
        assert_eq!(scores(&lines), ["+10", "+詰3手", "+詰5手", "+3", "-詰8手", "-詰2手"]);
        assert!(lines.iter().map(|info| info.multipv).eq(1..=6));
        lines[5].bound = Bound::Lower;
        lines.swap(1, 2);
        sort_behind_first(&mut lines);
        assert_eq!(scores(&lines)[1..3], ["+詰5手", "+詰3手"], "bounds are left where they are");
    }

    #[test]
    fn a_single_line_is_told_at_once_and_not_twice() {
        let mut sets = LineSets::new(&Position::startpos(), &Options::default());
        assert_eq!(sets.hear(&info(1, 7, 30, None)).len(), 1);
        assert_eq!(sets.hear(&info(1, 7, 30, None)).len(), 0);
        assert_eq!(sets.hear(&info(1, 8, 30, None)).len(), 1);
        assert_eq!(sets.finish().len(), 0);
    }
}
