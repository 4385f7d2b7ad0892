//! Files of books, read and written an entry at a time.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_book::{BookEntry, BookWriter, EntryText, EntryTexts, OrderCheck, PositionedEntry};
use kiki_platform::open_regular_file;

use kiki_run::files::write_atomically_by;

/// The entries of a book, one after the other.
pub(super) fn entry_texts(path: &Path) -> Result<EntryTexts<BufReader<File>>> {
    let place = || path.display().to_string();
    Ok(EntryTexts::new(BufReader::with_capacity(1 << 18, open_regular_file(path).with_context(place)?)))
}

/// Positions and moves of a book.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BookSize {
    pub(super) positions: u64,
    pub(super) moves: u64,
}

/// Writes entries in the order of books.
pub(super) fn write_book(path: &Path, entries: impl IntoIterator<Item = Result<PositionedEntry>>) -> Result<BookSize> {
    let place = || path.display().to_string();
    write_atomically_by(path, |file| {
        let mut writer = BookWriter::new(file).with_context(place)?;
        let mut size = BookSize::default();
        for entry in entries {
            let (board, entry) = entry?;
            writer.write(&board, &entry).with_context(place)?;
            size.positions += 1;
            size.moves += entry.moves.len() as u64;
        }
        writer.finish().with_context(place)?;
        Ok(size)
    })
}

/// Whether the positions of a book are sorted, so that they are found without reading the whole book.
///
/// # Errors
/// If it cannot be read, or is no book.
pub(super) fn is_sorted(path: &Path) -> Result<bool> {
    is_sorted_with(path, |_| ())
}

/// The same; `each` gets all that is read.
pub(super) fn is_sorted_with(path: &Path, mut each: impl FnMut(&EntryText)) -> Result<bool> {
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
