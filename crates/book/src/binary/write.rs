//! Writes binary books.

use std::fmt;
use std::io::{self, Write};

use kiki_board::{PackedSfen, Position};

use super::layout::{BinaryMove, BinaryRecord, HAS_DEPTHS, Header};
use crate::entry::BookEntry;

/// Collects a binary book. It needs all positions before it can be written: about 50 bytes of
/// memory a position and 8 a move.
#[derive(Debug, Default)]
pub struct BinaryWriter {
    /// Here `place` counts moves instead of bytes.
    records: Vec<BinaryRecord>,
    moves: Vec<BinaryMove>,
    lost: LostData,
}

/// Counts of the data in a book that the binary form cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LostData {
    /// Replies of moves.
    pub replies: u64,
    /// Counts of moves.
    pub counts: u64,
    /// Moves without a value, which get 0 where no move of the position has one.
    pub values: u64,
    /// Moves without a value where another has one. With 0 they might look better than it.
    pub unvalued: u64,
    /// Moves without a depth in a book with depths, which get 0.
    pub depths: u64,
    /// Values, depths and plies beyond sixteen bits, which become the nearest within.
    pub cut: u64,
    /// Illegal moves.
    pub moves: u64,
    /// Invalid positions, and positions without a king.
    pub positions: u64,
}

impl LostData {
    /// Whether nothing is lost.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for LostData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.replies, "replies are left out"),
            (self.counts, "counts are left out"),
            (self.values, "moves without a value get 0"),
            (self.unvalued, "moves without a value beside others with one are left out"),
            (self.depths, "moves without a depth get 0"),
            (self.cut, "numbers are cut"),
            (self.moves, "illegal moves are left out"),
            (self.positions, "positions that cannot be packed are left out"),
        ];
        let mut separator = "";
        for (count, words) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {words}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl BinaryWriter {
    /// Adds an entry of a position, given as board, side and hands. Entries may come in any order;
    /// those of one position at different plies keep theirs. Returns the number of moves added;
    /// drops an entry without any.
    pub fn add(&mut self, board: &str, entry: &BookEntry) -> u64 {
        let position = Position::from_sfen(board).ok();
        let packed = position.as_ref().and_then(|position| PackedSfen::pack(position).ok());
        let (Some(position), Some(sfen)) = (position, packed) else {
            self.lost.positions += 1;
            return 0;
        };
        let place = self.moves.len();
        let has_values = entry.moves.iter().any(|book_move| book_move.value.is_some());
        // No position has that many legal moves, but a faulty entry may repeat one.
        for book_move in entry.moves.iter().take(u16::MAX.into()) {
            let Ok(mv) = position.parse_move(&book_move.mv) else {
                self.lost.moves += 1;
                continue;
            };
            if has_values && book_move.value.is_none() {
                self.lost.unvalued += 1;
                continue;
            }
            self.lost.replies += u64::from(book_move.ponder.is_some());
            self.lost.counts += u64::from(book_move.count.is_some());
            self.lost.values += u64::from(book_move.value.is_none());
            let value = book_move.value.unwrap_or(0);
            let near = value.clamp(i16::MIN.into(), i16::MAX.into());
            self.lost.cut += u64::from(near != value);
            let depth = book_move.depth.map(|depth| self.cut(depth));
            self.moves.push(BinaryMove { bits: mv.packed(), value: near as i16, depth });
        }
        let moves = self.moves.len() - place;
        if moves > 0 {
            let ply = self.cut(entry.ply.unwrap_or(0));
            self.records.push(BinaryRecord { sfen, place: place as u64, ply, moves: moves as u16 });
        }
        moves as u64
    }

    /// The nearest sixteen-bit number.
    fn cut(&mut self, number: u32) -> u16 {
        u16::try_from(number).unwrap_or_else(|_| {
            self.lost.cut += 1;
            u16::MAX
        })
    }

    /// Writes the book, and returns what it could not hold. Moves have depths if any depth is
    /// known.
    pub fn finish(mut self, out: &mut impl Write) -> io::Result<LostData> {
        let has_depths = self.moves.iter().any(|book_move| book_move.depth.is_some());
        if has_depths {
            self.lost.depths = self.moves.iter().filter(|book_move| book_move.depth.is_none()).count() as u64;
        }
        let flags = if has_depths { HAS_DEPTHS } else { 0 };
        out.write_all(&Header { records: self.records.len() as u64, flags }.to_bytes())?;
        // Entries of a position at the same ply keep their order, so that both forms have the same
        // first entry.
        self.records.sort_by_key(|record| record.sfen);
        let size = BinaryMove::size(has_depths);
        let mut place = 0;
        for record in &self.records {
            out.write_all(&BinaryRecord { place, ..*record }.to_bytes())?;
            place += u64::from(record.moves) * size;
        }
        for record in &self.records {
            let from = record.place as usize;
            for book_move in &self.moves[from..from + usize::from(record.moves)] {
                out.write_all(&book_move.to_bytes()[..size as usize])?;
            }
        }
        out.flush()?;
        Ok(self.lost)
    }
}
