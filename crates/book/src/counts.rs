//! Books made from game counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::entry::{BookEntry, BookKey, BookMove, flipped_move};
use crate::merge::PositionedEntry;

/// The games in which a move was played.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MoveCounts {
    /// Number of games.
    pub games: u64,
    /// Games won by the side that played it.
    pub wins: u64,
    /// Games that it drew.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    replies: BTreeMap<String, u64>,
}

impl MoveCounts {
    /// The share of the points in games whose result is known.
    pub fn points(&self) -> Option<f64> {
        let known = self.wins + self.draws + self.losses;
        (known > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / known as f64)
    }

    fn add(&mut self, points: Option<f64>) {
        self.games += 1;
        match points {
            Some(1.0) => self.wins += 1,
            Some(0.0) => self.losses += 1,
            Some(_) => self.draws += 1,
            None => {}
        }
    }

    /// The most frequent reply; of several the first in the alphabet.
    fn usual_reply(&self) -> Option<String> {
        let most = self.replies.values().max()?;
        self.replies.iter().find(|(_, count)| *count == most).map(|(reply, _)| reply.clone())
    }
}

/// Which moves a book made from games keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CountFilter {
    /// Least number of games with the move.
    pub games: u64,
    /// Least share of the points, from 0 to 1. Moves without any known result are kept.
    pub points: f64,
}

impl CountFilter {
    fn keeps(self, counts: &MoveCounts) -> bool {
        counts.games >= self.games && counts.points().is_none_or(|points| points >= self.points)
    }
}

/// Whether to count a position and its mirror with colours exchanged as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourRule {
    /// They count apart.
    Apart,
    /// They count as one, with Black to move; [`crate::Book::moves_of_either_colour`] finds it for
    /// White. The only difference between the colours is a point at declarations, which no opening
    /// reaches.
    Merge,
}

/// A position and the moves played in it.
#[derive(Debug)]
struct CountedPosition {
    ply: u32,
    /// Whether that ply belongs to this colour.
    of_colour: bool,
    moves: BTreeMap<String, MoveCounts>,
}

/// The moves of games, by position.
#[derive(Debug)]
pub struct PlayedMoves {
    colours: ColourRule,
    positions: HashMap<String, CountedPosition>,
    /// The positions and moves added for the current game.
    of_game: HashSet<(String, String)>,
}

impl PlayedMoves {
    /// Empty counts.
    pub fn new(colours: ColourRule) -> Self {
        Self { colours, positions: HashMap::new(), of_game: HashSet::new() }
    }

    /// Starts the next game.
    pub fn begin_game(&mut self) {
        self.of_game.clear();
    }

    /// Adds a move played in a position, the reply to it, and the points of the side that made it: 1,
    /// 1/2 or 0, or `None` if the result is unknown. If a game repeats the position, the move counts
    /// once.
    pub fn add(&mut self, key: &BookKey, mv: &str, reply: Option<&str>, points: Option<f64>) {
        let turned = self.colours == ColourRule::Merge && key.is_white_to_move();
        let turn = |mv: &str| if turned { flipped_move(mv) } else { mv.to_owned() };
        // The other colour reaches a position at least a move later.
        let (board, ply) = if turned { (key.flipped().board, key.ply + 1) } else { (key.board.clone(), key.ply) };
        let new = CountedPosition { ply, of_colour: !turned, moves: BTreeMap::new() };
        let position = self.positions.entry(board.clone()).or_insert(new);
        if (position.of_colour, std::cmp::Reverse(position.ply)) < (!turned, std::cmp::Reverse(ply)) {
            (position.ply, position.of_colour) = (ply, !turned);
        }
        let mv = turn(mv);
        if !self.of_game.insert((board, mv.clone())) {
            return;
        }
        let counts = position.moves.entry(mv).or_default();
        counts.add(points);
        if let Some(reply) = reply {
            *counts.replies.entry(turn(reply)).or_default() += 1;
        }
    }

    /// The positions in book order, each with the moves kept by the filter and their counts, the
    /// most frequent move first.
    pub fn kept(&self, filter: CountFilter) -> Vec<(PositionedEntry, Vec<&MoveCounts>)> {
        let mut kept = Vec::new();
        for (board, position) in &self.positions {
            let mut moves: Vec<_> = position.moves.iter().filter(|(_, counts)| filter.keeps(counts)).collect();
            moves.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.games));
            if moves.is_empty() {
                continue;
            }
            let book_moves = moves.iter().map(|(mv, counts)| BookMove {
                ponder: counts.usual_reply(),
                count: Some(counts.games),
                ..BookMove::new(mv.as_str())
            });
            let entry = BookEntry { ply: Some(position.ply), moves: book_moves.collect() };
            kept.push(((board.clone(), entry), moves.into_iter().map(|(_, counts)| counts).collect()));
        }
        // Each position occurs once here, so its ply does not matter.
        kept.sort_by(|one, other| one.0.0.cmp(&other.0.0));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    const AFTER_2G2F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2";
    /// The start with White to move, as after a lost tempo.
    const START_OF_WHITE: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 4";
    const ALL: CountFilter = CountFilter { games: 1, points: 0.0 };

    fn key(sfen: &str) -> BookKey {
        BookKey::new(sfen).unwrap()
    }

    fn counted(colours: ColourRule) -> PlayedMoves {
        let mut played = PlayedMoves::new(colours);
        for (mv, reply, points) in [
            ("7g7f", Some("3c3d"), Some(1.0)),
            ("7g7f", Some("8c8d"), Some(0.5)),
            ("7g7f", Some("8c8d"), Some(0.0)),
            ("2g2f", None, None),
        ] {
            played.begin_game();
            played.add(&key(START), mv, reply, points);
            played.add(&key(START), mv, None, points);
        }
        played.begin_game();
        played.add(&key(START_OF_WHITE), "3c3d", Some("2g2f"), Some(1.0));
        played.add(&key(AFTER_2G2F), "8c8d", None, Some(0.0));
        played
    }

    #[test]
    fn moves_are_counted_with_their_results_and_usual_replies() {
        let played = counted(ColourRule::Apart);
        let kept = played.kept(ALL);
        assert_eq!(kept.len(), 3);
        let ((board, entry), counts) = &kept[1];
        assert_eq!((board.as_str(), entry.ply), (&START[..START.len() - 2], Some(1)));
        assert_eq!((entry.moves[0].mv.as_str(), entry.moves[0].ponder.as_deref()), ("7g7f", Some("8c8d")));
        assert_eq!((entry.moves[0].count, counts[0].points()), (Some(3), Some(0.5)));
        assert_eq!((entry.moves[1].count, counts[1].points()), (Some(1), None));
        assert_eq!(played.kept(CountFilter { games: 2, points: 0.0 }).len(), 1);
        assert_eq!(played.kept(CountFilter { games: 1, points: 0.6 })[0].0.1.moves[0].mv, "2g2f");
    }

    #[test]
    fn both_colours_are_one_position_with_black_to_move() {
        let played = counted(ColourRule::Merge);
        let kept = played.kept(ALL);
        assert_eq!(kept.len(), 2);
        let find = |board: &str| kept.iter().find(|((found, _), _)| found == board).unwrap();
        let ((_, entry), counts) = find(&START[..START.len() - 2]);
        assert_eq!((entry.ply, entry.moves[0].mv.as_str(), counts[0].games, counts[0].wins), (Some(1), "7g7f", 4, 2));
        let turned = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
        let ((_, entry), _) = find(turned);
        assert_eq!((entry.ply, entry.moves[0].mv.as_str()), (Some(3), "2g2f"));
    }
}
