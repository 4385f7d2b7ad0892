//! Reads binary books: a position by bisection, in memory or in a file of any size, or record by
//! record.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use kiki_board::{Move, PackedSfen, Position};
use kiki_platform::open_regular_file;

use super::faults::{BinaryFault, BinaryProblem};
use super::layout::{BinaryMove, BinaryRecord, HAS_DEPTHS, HEADER_BYTES, Header, MAGIC, RECORD_BYTES};
use crate::check::{LookupError, NotABook, NotABookReason};
use crate::entry::{BookEntry, BookKey, BookMove, split};
use crate::faults::GREATEST_VALUE;
use crate::merge::PositionedEntry;

/// A binary book.
#[derive(Debug)]
pub struct BinaryBook {
    bytes: BookBytes,
    length: u64,
    header: Header,
    /// The first fault found.
    damage: OnceLock<BinaryFault>,
}

/// Where the bytes are.
#[derive(Debug)]
enum BookBytes {
    Memory(Vec<u8>),
    File(Mutex<File>),
}

/// A record as far as it is readable, and its faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BinaryEntry {
    /// The position with its legal moves; `None` if the bytes are not a position.
    pub entry: Option<PositionedEntry>,
    /// The faults in the order of the bytes.
    pub faults: Vec<BinaryFault>,
}

impl BookBytes {
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => {
                let from = usize::try_from(offset).map_err(|_| ErrorKind::UnexpectedEof)?;
                let found = bytes.get(from..).and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(found.ok_or(ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            Self::File(file) => {
                // A panic of another thread does not affect the file: every read begins with a
                // seek.
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                file.read_exact(buffer)
            }
        }
    }
}

impl BinaryBook {
    /// Opens a book and leaves it in its file; `None` if the first bytes are not those of a binary
    /// book.
    pub fn open(path: &Path) -> Result<Option<Self>, LookupError> {
        let mut file = open_regular_file(path)?;
        let mut beginning = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
        if beginning != MAGIC {
            return Ok(None);
        }
        let length = file.metadata()?.len();
        Self::new(BookBytes::File(Mutex::new(file)), length).map(Some)
    }

    /// A book in memory. Unsorted records are sorted, and invalid positions are never found:
    /// [`Self::damage`] reports them.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<Self, LookupError> {
        let length = bytes.len() as u64;
        let mut book = Self::new(BookBytes::Memory(bytes), length)?;
        let (mut last, mut is_sorted) = (None, true);
        for index in 0..book.header.records {
            let record = book.record(index)?;
            let problems = [
                (last > Some(record.sfen)).then_some(BinaryProblem::Order),
                record.sfen.unpack().err().map(BinaryProblem::Position),
                book.place_of(&record).err(),
            ];
            is_sorted &= problems[0].is_none();
            for problem in problems.into_iter().flatten() {
                book.note(BinaryFault { offset: offset_of(index), problem });
            }
            last = Some(record.sfen);
        }
        if !is_sorted {
            book.sort();
        }
        Ok(book)
    }

    /// Checks the header.
    fn new(bytes: BookBytes, length: u64) -> Result<Self, LookupError> {
        let refused = |offset, problem| {
            LookupError::NotABook(NotABook { line: None, offset, reason: NotABookReason::Binary(problem) })
        };
        if length < HEADER_BYTES {
            return Err(refused(length, BinaryProblem::Header));
        }
        let mut header = [0; HEADER_BYTES as usize];
        bytes.read(0, &mut header)?;
        let header = Header::read(&header);
        let room = (length - HEADER_BYTES) / RECORD_BYTES;
        if header.records > room {
            return Err(refused(16, BinaryProblem::Records { told: header.records, room }));
        }
        if header.flags & !HAS_DEPTHS != 0 {
            return Err(refused(24, BinaryProblem::Flags(header.flags)));
        }
        let book = Self { bytes, length, header, damage: OnceLock::new() };
        let rest = (length - book.moves_begin()) % book.move_size();
        if rest > 0 {
            book.note(BinaryFault { offset: length - rest, problem: BinaryProblem::Trailing(rest) });
        }
        Ok(book)
    }

    /// Sorts the records of a book in memory.
    fn sort(&mut self) {
        let records = HEADER_BYTES as usize..self.moves_begin() as usize;
        let BookBytes::Memory(bytes) = &mut self.bytes else { return };
        let (records, _) = bytes[records].as_chunks_mut::<{ RECORD_BYTES as usize }>();
        records.sort_by(|one, other| one[..32].cmp(&other[..32]));
    }

    /// The first fault found in what has been read so far. The rest of the book is used anyway.
    pub fn damage(&self) -> Option<&BinaryFault> {
        self.damage.get()
    }

    fn note(&self, fault: BinaryFault) {
        // Keep only the first fault.
        let _ = self.damage.set(fault);
    }

    /// Number of records.
    pub const fn positions(&self) -> u64 {
        self.header.records
    }

    const fn moves_begin(&self) -> u64 {
        offset_of(self.header.records)
    }

    const fn move_size(&self) -> u64 {
        BinaryMove::size(self.header.has_depths())
    }

    fn record(&self, index: u64) -> io::Result<BinaryRecord> {
        let mut bytes = [0; RECORD_BYTES as usize];
        self.bytes.read(offset_of(index), &mut bytes)?;
        Ok(BinaryRecord::read(&bytes))
    }

    /// The offset in the file at which the moves of a record begin.
    fn place_of(&self, record: &BinaryRecord) -> Result<u64, BinaryProblem> {
        let bytes = u64::from(record.moves) * self.move_size();
        let begin = self.moves_begin().checked_add(record.place);
        let fits = |begin: &u64| begin.checked_add(bytes).is_some_and(|end| end <= self.length);
        begin.filter(fits).ok_or(BinaryProblem::BeyondEnd { moves: record.moves, place: record.place })
    }

    /// The legal moves of a record. `fault` receives invalid ones, and an offset beyond the end.
    fn moves(
        &self,
        record: &BinaryRecord,
        index: u64,
        position: &Position,
        mut fault: impl FnMut(BinaryFault),
    ) -> io::Result<Vec<BookMove>> {
        let begin = match self.place_of(record) {
            Ok(begin) => begin,
            Err(problem) => {
                fault(BinaryFault { offset: offset_of(index), problem });
                return Ok(Vec::new());
            }
        };
        let size = self.move_size();
        let mut bytes = vec![0; usize::from(record.moves) * size as usize];
        self.bytes.read(begin, &mut bytes)?;
        let mut moves = Vec::with_capacity(record.moves.into());
        for (offset, bytes) in (begin..).step_by(size as usize).zip(bytes.chunks_exact(size as usize)) {
            let BinaryMove { bits, value, depth } = BinaryMove::read(bytes);
            let mv = Move::from_packed(bits);
            let problem = if mv.is_none() {
                BinaryProblem::MoveBits(bits)
            } else if !position.is_legal(mv) {
                BinaryProblem::Illegal { mv: mv.to_string(), sfen: position.to_sfen() }
            } else {
                let (value, depth) = (Some(value.into()), depth.map(u32::from));
                moves.push(BookMove { value, depth, ..BookMove::new(mv.to_string()) });
                continue;
            };
            fault(BinaryFault { offset, problem });
        }
        Ok(moves)
    }

    /// The entry of a position at the first ply that `wanted` accepts.
    pub(crate) fn find(
        &self,
        key: &BookKey,
        wanted: impl Fn(Option<u32>) -> bool,
    ) -> Result<Option<BookEntry>, LookupError> {
        // An invalid position, or one without a king, is in no binary book.
        let Ok(position) = Position::from_sfen(key.board()) else { return Ok(None) };
        let Ok(sfen) = PackedSfen::pack(&position) else { return Ok(None) };
        let mut first: Option<(u64, BinaryRecord)> = None;
        for index in self.first_not_before(&sfen)?..self.header.records {
            let record = self.record(index)?;
            if record.sfen != sfen {
                break;
            }
            if wanted(ply_of(&record)) && first.is_none_or(|(_, first)| record.ply < first.ply) {
                first = Some((index, record));
            }
        }
        let Some((index, record)) = first else { return Ok(None) };
        let moves = self.moves(&record, index, &position, |fault| self.note(fault))?;
        Ok(Some(BookEntry { ply: ply_of(&record), moves }))
    }

    /// The first record that is not sorted before a position.
    fn first_not_before(&self, sfen: &PackedSfen) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.header.records);
        // The records just outside of the range: those inside must sort between them.
        let (mut before, mut after) = (None, None);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.record(middle)?.sfen;
            if before.is_some_and(|before| found < before) || after.is_some_and(|after| found > after) {
                self.note(BinaryFault { offset: offset_of(middle), problem: BinaryProblem::Order });
            }
            if found < *sfen {
                (low, before) = (middle + 1, Some(found));
            } else {
                (high, after) = (middle, Some(found));
            }
        }
        Ok(low)
    }

    /// The record at `index`, from 0, with all its faults.
    pub fn entry(&self, index: u64) -> Result<BinaryEntry, LookupError> {
        let record = self.record(index)?;
        let before = index.checked_sub(1).map(|before| self.record(before)).transpose()?;
        let mut faults = Vec::new();
        let mut fault = |problem| faults.push(BinaryFault { offset: offset_of(index), problem });
        if let Some(before) = before {
            match record.sfen.cmp(&before.sfen) {
                std::cmp::Ordering::Less => fault(BinaryProblem::Order),
                std::cmp::Ordering::Equal if record.ply == before.ply => fault(BinaryProblem::SecondPosition),
                _ => {}
            }
        }
        if record.moves == 0 {
            fault(BinaryProblem::NoMove);
        }
        let position = match record.sfen.position(record.ply) {
            Ok(position) => position,
            Err(error) => {
                fault(BinaryProblem::Position(error));
                return Ok(BinaryEntry { entry: None, faults });
            }
        };
        let moves = self.moves(&record, index, &position, |fault| faults.push(fault))?;
        for (number, book_move) in moves.iter().enumerate() {
            if moves[..number].iter().any(|earlier| earlier.mv == book_move.mv) {
                let problem = BinaryProblem::SecondMove(book_move.mv.clone());
                faults.push(BinaryFault { offset: offset_of(index), problem });
            }
            if let Some(value) = book_move.value.filter(|value| value.abs() > GREATEST_VALUE) {
                faults.push(BinaryFault { offset: offset_of(index), problem: BinaryProblem::Value(value) });
            }
        }
        let board = split(&position.to_sfen()).map(|(board, _)| board);
        Ok(BinaryEntry { entry: board.map(|board| (board, BookEntry { ply: ply_of(&record), moves })), faults })
    }
}

/// The offset in the file of a record.
const fn offset_of(index: u64) -> u64 {
    HEADER_BYTES + index * RECORD_BYTES
}

fn ply_of(record: &BinaryRecord) -> Option<u32> {
    (record.ply > 0).then_some(record.ply.into())
}
