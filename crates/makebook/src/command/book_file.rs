//! Files of books of either form, read and written an entry at a time.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, Error, Result, ensure};
use kiki_book::{
    BinaryBook, BinaryWriter, Book, BookEntry, BookWriter, EntryText, EntryTexts, LookupError, OrderCheck,
    PositionedEntry,
};
use kiki_platform::open_regular_file;
use kiki_run::files::write_atomically_by;
use kiki_run::say;

pub(super) type Entries = Box<dyn Iterator<Item = Result<PositionedEntry>>>;

/// The book of a file in the binary form; `None` for any other file.
pub(super) fn binary_book(path: &Path) -> Result<Option<BinaryBook>> {
    BinaryBook::open(path).with_context(|| path.display().to_string())
}

/// The entries of a text, one after the other.
pub(super) fn entry_texts(path: &Path) -> Result<EntryTexts<BufReader<File>>> {
    let place = || path.display().to_string();
    Ok(EntryTexts::new(BufReader::with_capacity(1 << 18, open_regular_file(path).with_context(place)?)))
}

/// The entries of a book in its order. What cannot be read is left out.
pub(super) fn entries(path: &Path) -> Result<Entries> {
    match binary_book(path)? {
        Some(book) => Ok(entries_at(path, 0..book.positions(), book)),
        None => {
            let place = path.display().to_string();
            let entry = move |text: Result<EntryText, LookupError>| match text {
                Ok(text) => text.entry().map(Ok),
                Err(error) => Some(Err(Error::new(error).context(place.clone()))),
            };
            Ok(Box::new(entry_texts(path)?.filter_map(entry)))
        }
    }
}

fn entries_at(path: &Path, records: impl Iterator<Item = u64> + 'static, book: BinaryBook) -> Entries {
    let place = path.display().to_string();
    Box::new(records.filter_map(move |index| match book.entry(index) {
        Ok(read) => read.entry.map(Ok),
        Err(error) => Some(Err(Error::new(error).context(place.clone()))),
    }))
}

/// The entries of a book in the order of texts; `left_out` gets what is left out, with its line or
/// offset. A sorted text is streamed; memory holds the positions of a binary book, and all of an
/// unsorted text. A book without positions is an error.
pub(super) fn sorted_entries(path: &Path, mut left_out: impl FnMut(String)) -> Result<Entries> {
    let key = |(board, entry): &PositionedEntry| BookEntry::sort_text(board, entry.ply);
    let place = || path.display().to_string();
    if let Some(book) = binary_book(path)? {
        left_out_of(book.damage(), &mut left_out);
        let mut keys = Vec::new();
        for index in 0..book.positions() {
            let read = book.entry(index).with_context(place)?;
            left_out_of(read.faults.iter().filter(|fault| fault.problem.leaves_out()), &mut left_out);
            keys.extend(read.entry.as_ref().map(|entry| (key(entry), index)));
        }
        ensure!(!keys.is_empty(), "{}: there is no position in it", place());
        keys.sort_unstable();
        return Ok(entries_at(path, keys.into_iter().map(|(_, index)| index), book));
    }
    // A file that is not a book is refused before anything is written.
    let is_sorted = is_sorted_with(path, |text| left_out_of(text.left_out(), &mut left_out))?;
    let entries = entries(path)?;
    if is_sorted {
        return Ok(entries);
    }
    let mut entries = entries.collect::<Result<Vec<_>>>()?;
    entries.sort_by_cached_key(key);
    Ok(Box::new(entries.into_iter().map(Ok)))
}

fn left_out_of<F: ToString>(faults: impl IntoIterator<Item = F>, left_out: &mut impl FnMut(String)) {
    faults.into_iter().for_each(|fault| left_out(fault.to_string()));
}

/// A book for lookups. It stays in its file if positions can be found there.
pub(super) fn open_book(path: &Path) -> Result<Book> {
    let on_the_fly = binary_book(path)?.is_some() || is_sorted_with(path, |_| ())?;
    Ok(Book::open(path, on_the_fly)?)
}

/// Whether the positions of a text are sorted, so that a lookup need not read the whole book;
/// `each` gets all that is read. A text without positions is an error.
fn is_sorted_with(path: &Path, mut each: impl FnMut(&EntryText)) -> Result<bool> {
    let place = || path.display().to_string();
    let mut order = OrderCheck::default();
    let mut positions = 0_u64;
    for text in entry_texts(path)? {
        let text = text.with_context(place)?;
        each(&text);
        if let Some((board, entry)) = text.entry() {
            positions += 1;
            order.compare(text.line, &BookEntry::sort_text(&board, entry.ply));
        }
    }
    ensure!(positions > 0, "{}: there is no position in it", place());
    Ok(!order.is_unsorted())
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BookSize {
    pub(super) positions: u64,
    pub(super) moves: u64,
    /// Positions and illegal moves, which the form cannot hold.
    pub(super) left_out: u64,
}

/// Writes entries in the order of texts. A file whose name ends with `.ybb` gets the binary form;
/// one line says what that cannot hold.
pub(super) fn write_book(path: &Path, entries: impl IntoIterator<Item = Result<PositionedEntry>>) -> Result<BookSize> {
    let place = || path.display().to_string();
    let is_binary = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ybb"));
    write_atomically_by(path, |file| {
        if !is_binary {
            let mut writer = BookWriter::new(file).with_context(place)?;
            let size = write_entries(entries, |board, entry| {
                writer.write(board, entry).with_context(place)?;
                Ok(entry.moves.len() as u64)
            })?;
            writer.finish().with_context(place)?;
            return Ok(size);
        }
        let mut writer = BinaryWriter::default();
        let size = write_entries(entries, |board, entry| Ok(writer.add(board, entry)))?;
        let lost = writer.finish(file).with_context(place)?;
        if !lost.is_empty() {
            say!("{}: the form .ybb does not hold everything: {lost}", path.display());
        }
        Ok(BookSize { left_out: lost.positions + lost.moves, ..size })
    })
}

/// Passes entries to `write`, which returns their number of moves.
fn write_entries(
    entries: impl IntoIterator<Item = Result<PositionedEntry>>,
    mut write: impl FnMut(&str, &BookEntry) -> Result<u64>,
) -> Result<BookSize> {
    let mut size = BookSize::default();
    for entry in entries {
        let (board, entry) = entry?;
        let moves = write(&board, &entry)?;
        size.positions += u64::from(moves > 0);
        size.moves += moves;
    }
    Ok(size)
}
