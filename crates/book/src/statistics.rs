//! Statistics of a whole book.

use std::collections::{BTreeMap, HashSet};

use kiki_board::Position;

use crate::Book;
use crate::check::LookupError;
use crate::entry::{BookEntry, BookKey};

/// Greatest length of a line, in plies: books without plies may lead in circles.
const LONGEST_LINE: usize = 512;

/// Counts of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryCounts {
    /// Positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Moves with a value.
    pub valued: u64,
    /// The known search depths of moves.
    pub depths: Option<DepthCounts>,
}

/// Depths of moves, in plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthCounts {
    /// The least.
    pub least: u32,
    /// The greatest.
    pub greatest: u32,
    sum: u64,
    count: u64,
}

impl DepthCounts {
    /// The mean.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

impl EntryCounts {
    fn add(&mut self, entry: &BookEntry) {
        self.positions += 1;
        self.moves += entry.moves.len() as u64;
        for book_move in &entry.moves {
            self.valued += u64::from(book_move.value.is_some());
            let Some(depth) = book_move.depth else { continue };
            let depths = self.depths.get_or_insert(DepthCounts { least: depth, greatest: depth, sum: 0, count: 0 });
            depths.least = depths.least.min(depth);
            depths.greatest = depths.greatest.max(depth);
            depths.sum += u64::from(depth);
            depths.count += 1;
        }
    }
}

/// The statistics of a book.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookStatistics {
    /// Of the whole book.
    pub all: EntryCounts,
    /// By ply; `None` for positions without a ply in the book.
    pub by_ply: BTreeMap<Option<u32>, EntryCounts>,
}

impl BookStatistics {
    /// Counts an entry.
    pub fn add(&mut self, entry: &BookEntry) {
        self.all.add(entry);
        self.by_ply.entry(entry.ply).or_default().add(entry);
    }
}

/// The positions that a player of the book can reach.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookLines {
    /// The longest line of book moves, or one of several.
    pub longest: Vec<String>,
    /// Number of book positions reached, each counted once a ply.
    pub positions: u64,
}

impl Book {
    /// The lines of the book from a position. Both sides move by the book at its plies, also where
    /// it has the position with colours exchanged. Illegal moves are dropped.
    pub fn lines_from(&self, start: &Position) -> Result<BookLines, LookupError> {
        // For every position reached: its predecessor and the move.
        let mut steps: Vec<Option<(usize, String)>> = vec![None];
        let mut layer = vec![(0, start.to_sfen())];
        let (mut positions, mut last) = (0, 0);
        for _ in 0..LONGEST_LINE {
            let (mut next, mut met) = (Vec::new(), HashSet::new());
            for (step, sfen) in layer {
                let (Some(key), Ok(mut position)) = (BookKey::new(&sfen), Position::from_sfen(&sfen)) else { continue };
                let moves = self.moves_of_either_colour(&key, false)?;
                positions += u64::from(!moves.is_empty());
                for book_move in &moves {
                    let Ok(mv) = position.parse_move(&book_move.mv) else { continue };
                    position.make(mv);
                    let child = position.to_sfen();
                    position.unmake();
                    if met.insert(child.clone()) {
                        last = steps.len();
                        steps.push(Some((step, mv.to_string())));
                        next.push((last, child));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        let mut longest = Vec::new();
        while let Some((before, mv)) = &steps[last] {
            longest.push(mv.clone());
            last = *before;
        }
        longest.reverse();
        Ok(BookLines { longest, positions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryTexts;

    const TEXT: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 20 10\n2g2f none none none 4\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d\n9a9i\n\
        sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3\n2g2f none 7 20\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 4\n8c8d\n";

    #[test]
    fn a_book_is_counted_by_ply() {
        let mut statistics = BookStatistics::default();
        EntryTexts::new(TEXT.as_bytes()).for_each(|text| statistics.add(&text.unwrap().entry().unwrap().1));
        assert_eq!((statistics.all.positions, statistics.all.moves, statistics.all.valued), (4, 6, 2));
        let depths = statistics.all.depths.unwrap();
        assert_eq!((depths.least, depths.greatest, depths.mean()), (10, 20, 15.0));
        let plies: Vec<_> = statistics.by_ply.iter().map(|(ply, counts)| (ply.unwrap(), counts.moves)).collect();
        assert_eq!(plies, [(1, 2), (2, 2), (3, 1), (4, 1)]);
    }

    #[test]
    fn the_longest_line_is_made_of_legal_moves_at_their_plies() {
        let book = Book::from_text(TEXT.as_bytes()).unwrap();
        let lines = book.lines_from(&Position::startpos()).unwrap();
        // The position after 2g2f occurs at another ply.
        assert_eq!((lines.longest, lines.positions), (["7g7f", "3c3d", "2g2f"].map(str::to_owned).to_vec(), 3));
    }

    #[test]
    fn a_circle_ends() {
        let text = "sfen k8/9/9/9/9/9/9/9/8K b -\n1i1h\nsfen k8/9/9/9/9/9/9/8K/9 w -\n9a8a\nsfen 1k7/9/9/9/9/9/9/8K/9 b -\n1h1i\nsfen 1k7/9/9/9/9/9/9/9/8K w -\n8a9a\n";
        let start = Position::from_sfen("k8/9/9/9/9/9/9/9/8K b - 1").unwrap();
        assert_eq!(Book::from_text(text.as_bytes()).unwrap().lines_from(&start).unwrap().longest.len(), LONGEST_LINE);
    }
}
