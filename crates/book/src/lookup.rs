//! Books to play from: the moves of a position, from memory or from a file of any size, and the
//! choice among them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use kiki_platform::{open_regular_file, read_regular_file};
use rand::{Rng, RngExt};

use crate::binary::{BinaryBook, BinaryFault, MAGIC};
use crate::check::{BookError, LONGEST_LINE, LookupError, NotABook, check_beginning, check_text};
use crate::entry::{BookEntry, BookKey, BookLine, BookMove, split};
use crate::text::{EntryTexts, read_line};

/// Greatest size of a book in memory, in bytes. Larger ones must stay in their files.
const MOST_BOOK: u64 = 4 << 30;

/// A book.
#[derive(Debug)]
pub struct Book {
    source: BookSource,
}

#[derive(Debug)]
enum BookSource {
    /// By board, side and hands: the entries, one for each ply.
    Memory(HashMap<String, Vec<BookEntry>>),
    File(BookFile),
    Binary(BinaryBook),
}

impl Book {
    /// Reads a book into memory, or with `on_the_fly` leaves it in its file, which must then be
    /// sorted by position. A file of gigabytes opens at once: only its beginning is checked now,
    /// the rest when it is read. The first bytes determine the form.
    pub fn open(path: &Path, on_the_fly: bool) -> Result<Self, BookError> {
        let open = || {
            if !on_the_fly {
                return Self::from_bytes(read_regular_file(path, MOST_BOOK)?);
            }
            let source = match BinaryBook::open(path)? {
                Some(book) => BookSource::Binary(book),
                None => BookSource::File(BookFile::new(open_regular_file(path)?)?),
            };
            Ok(Self { source })
        };
        open().map_err(|cause| BookError { path: path.to_owned(), cause })
    }

    /// Reads a book in either form.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, LookupError> {
        if bytes.starts_with(&MAGIC) {
            return Ok(Self { source: BookSource::Binary(BinaryBook::of_bytes(bytes)?) });
        }
        Ok(Self::from_text(&bytes)?)
    }

    /// The first fault of a binary book in what has been read so far. The rest is used.
    pub fn damage(&self) -> Option<&BinaryFault> {
        if let BookSource::Binary(book) = &self.source { book.damage() } else { None }
    }

    /// Reads a book and skips lines that are neither positions nor moves.
    /// Refuses bytes that are not text, and text without any position.
    pub fn from_text(text: &[u8]) -> Result<Self, NotABook> {
        check_text(text)?;
        let mut entries: HashMap<String, Vec<BookEntry>> = HashMap::new();
        // No entry is an error: reading memory cannot fail, and the text was checked above.
        for (board, entry) in EntryTexts::new(text).map_while(Result::ok).filter_map(|text| text.entry()) {
            entries.entry(board).or_default().push(entry);
        }
        Ok(Self { source: BookSource::Memory(entries) })
    }

    /// The moves of a position at its ply or, with `any_ply`, at the first ply that the book has.
    /// The list is often empty.
    pub fn moves(&self, key: &BookKey, any_ply: bool) -> Result<Vec<BookMove>, LookupError> {
        let fits = |ply: Option<u32>| any_ply || ply.is_none_or(|ply| ply == key.ply);
        let found = match &self.source {
            BookSource::Memory(entries) => {
                let entries = entries.get(&key.board).into_iter().flatten();
                entries.filter(|entry| fits(entry.ply)).min_by_key(|entry| entry.ply).cloned()
            }
            BookSource::File(file) => file.find(&key.board, fits)?,
            BookSource::Binary(book) => book.find(key, fits)?,
        };
        Ok(found.map(|entry| entry.moves).unwrap_or_default())
    }

    /// The moves of a position, as from [`Self::moves`]. Without any, those of the position with
    /// colours exchanged and the board turned. These count at any ply, because the other side
    /// reaches the position a move earlier or later.
    pub fn moves_of_either_colour(&self, key: &BookKey, any_ply: bool) -> Result<Vec<BookMove>, LookupError> {
        let direct = self.moves(key, any_ply)?;
        if !direct.is_empty() {
            return Ok(direct);
        }
        let mut moves = self.moves(&key.flipped(), true)?;
        moves.iter_mut().for_each(BookMove::flip);
        Ok(moves)
    }
}

/// Number of bytes checked when a file is opened: enough for a complete first line.
const CHECKED: usize = 2 * LONGEST_LINE;

/// A sorted book file.
#[derive(Debug)]
pub(crate) struct BookFile {
    reader: Mutex<BufReader<File>>,
    length: u64,
}

/// A position and where the line after it begins.
struct FoundPosition {
    board: String,
    ply: Option<u32>,
    after: u64,
}

impl BookFile {
    /// Checks the beginning of the file.
    pub(crate) fn new(mut file: File) -> Result<Self, LookupError> {
        let length = file.metadata()?.len();
        let mut beginning = Vec::new();
        file.by_ref().take(CHECKED as u64).read_to_end(&mut beginning)?;
        if beginning.len() < CHECKED { check_text(&beginning) } else { check_beginning(&beginning) }?;
        Ok(Self { reader: Mutex::new(BufReader::new(file)), length })
    }

    /// The entry of a position at the first ply that `wanted` accepts.
    pub(crate) fn find(
        &self,
        board: &str,
        wanted: impl Fn(Option<u32>) -> bool,
    ) -> Result<Option<BookEntry>, LookupError> {
        // A panic of another thread does not affect the reader: every lookup begins with a seek.
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = first_not_before(&mut reader, self.length, board)?;
        let mut first: Option<FoundPosition> = None;
        // The entries of a position at several plies are adjacent, and as texts 10 comes before 9.
        while let Some(found) = next_position(&mut reader, at)?.filter(|found| found.board == board) {
            at = found.after;
            if wanted(found.ply) && first.as_ref().is_none_or(|first| found.ply < first.ply) {
                first = Some(found);
            }
        }
        let Some(FoundPosition { ply, after, .. }) = first else { return Ok(None) };
        Ok(Some(BookEntry { ply, moves: read_moves(&mut reader, after)? }))
    }
}

/// The offset from which the first position read is the first one not sorted before `board`.
fn first_not_before(reader: &mut BufReader<File>, length: u64, board: &str) -> Result<u64, LookupError> {
    // Positions before `low` sort before `board`; the first one from `high` on does not.
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = low + (high - low) / 2;
        let line = start_of_line(reader, middle)?;
        match next_position(reader, line)? {
            // Positions are sorted as text, including the blank after the hands.
            Some(found) if found.board.as_str() < board => low = found.after,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The first line that begins at or after `offset`.
fn start_of_line(reader: &mut BufReader<File>, offset: u64) -> Result<u64, LookupError> {
    let Some(before) = offset.checked_sub(1) else { return Ok(0) };
    reader.seek(SeekFrom::Start(before))?;
    Ok(before + read_line(reader, &mut Vec::new(), before)? as u64)
}

/// The first position at or after `offset`, which begins a line.
fn next_position(reader: &mut BufReader<File>, mut offset: u64) -> Result<Option<FoundPosition>, LookupError> {
    reader.seek(SeekFrom::Start(offset))?;
    let mut line = Vec::new();
    loop {
        let read = read_line(reader, &mut line, offset)?;
        if read == 0 {
            return Ok(None);
        }
        offset += read as u64;
        if let BookLine::Position(sfen) = BookLine::read(&String::from_utf8_lossy(&line))
            && let Some((board, ply)) = split(sfen)
        {
            return Ok(Some(FoundPosition { board, ply, after: offset }));
        }
    }
}

/// The moves up to the next position, of the lines from `offset` on.
fn read_moves(reader: &mut BufReader<File>, mut offset: u64) -> Result<Vec<BookMove>, LookupError> {
    let (mut line, mut moves) = (Vec::new(), Vec::new());
    reader.seek(SeekFrom::Start(offset))?;
    loop {
        offset += read_line(reader, &mut line, offset)? as u64;
        match BookLine::read(&String::from_utf8_lossy(&line)) {
            BookLine::Position(_) => return Ok(moves),
            BookLine::Move(book_move) => moves.push(book_move),
            BookLine::Nothing | BookLine::Unknown(_) if line.is_empty() => return Ok(moves),
            BookLine::Nothing | BookLine::Unknown(_) => {}
        }
    }
}

/// The conditions for playing a book move. A missing depth or count does not exclude a move. A
/// missing value does if another move of the position has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookPolicy {
    /// Greatest difference to the best move's value, in centipawns.
    pub value_difference: i32,
    /// The lowest value for the side to move, in centipawns.
    pub least_value: i32,
    /// The lowest search depth of a move's value, in plies; 0 for any.
    pub least_depth: u32,
    /// Choose moves with probabilities proportional to their counts.
    pub by_count: bool,
    /// Drop moves with less than a tenth of the games.
    pub narrow: bool,
}

impl BookPolicy {
    /// Chooses one of the moves that meet all conditions; `None` without such a move. With
    /// `by_count`, probabilities are proportional to the counts. Otherwise they are equal: among
    /// all moves if the book has values, else among those with the greatest count.
    pub fn choose<'a>(&self, moves: &'a [BookMove], random: &mut impl Rng) -> Option<&'a BookMove> {
        let suitable = self.suitable(moves);
        let count = |book_move: &BookMove| book_move.count.unwrap_or(0);
        if self.by_count {
            return by_weight(&suitable, |book_move| count(book_move).max(1), random);
        }
        let has_values = suitable.iter().any(|book_move| book_move.value.is_some());
        let most = suitable.iter().map(|book_move| count(book_move)).max()?;
        by_weight(&suitable, |book_move| u64::from(has_values || count(book_move) == most), random)
    }

    /// The moves that meet all conditions.
    fn suitable<'a>(&self, moves: &'a [BookMove]) -> Vec<&'a BookMove> {
        let games: u128 = moves.iter().filter_map(|book_move| book_move.count).map(u128::from).sum();
        let has_values = moves.iter().any(|book_move| book_move.value.is_some());
        let trusted = |book_move: &&BookMove| {
            book_move.value.is_some() == has_values
                && book_move.depth.is_none_or(|depth| depth >= self.least_depth)
                && (!self.narrow || book_move.count.is_none_or(|count| 10 * u128::from(count) >= games))
        };
        let mut suitable: Vec<&BookMove> = moves.iter().filter(trusted).collect();
        // The best value is that of trusted moves. Otherwise a shallow overestimate could exclude
        // other moves.
        let best = suitable.iter().filter_map(|book_move| book_move.value).max();
        let least = best.map(|best| best.saturating_sub(self.value_difference).max(self.least_value));
        suitable.retain(|book_move| book_move.value.zip(least).is_none_or(|(value, least)| value >= least));
        suitable
    }
}

/// One of several moves, with probabilities proportional to their weights.
fn by_weight<'a>(
    moves: &[&'a BookMove],
    weight: impl Fn(&BookMove) -> u64,
    random: &mut impl Rng,
) -> Option<&'a BookMove> {
    // The sum of the counts of a book may exceed 64 bits.
    let total: u128 = moves.iter().map(|book_move| u128::from(weight(book_move))).sum();
    let mut ticket = match u64::try_from(total) {
        Ok(0) => return None,
        Ok(total) => random.random_range(0..total).into(),
        Err(_) => random.random_range(0..total),
    };
    moves.iter().copied().find(|book_move| {
        let weight = u128::from(weight(book_move));
        let drawn = ticket < weight;
        ticket = ticket.saturating_sub(weight);
        drawn
    })
}
