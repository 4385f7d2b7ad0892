//! `kiki-lab book merge`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use kiki_book::{BookEntry, EntryText, LookupError, MergedEntries, PlyRule, PositionedEntry};

use super::book_file::{entry_texts, is_sorted, write_book};
use crate::numbers::say;

/// Make one book of several
///
/// Of a move that several books have, the value, depth and reply of the deepest one hold, and of several with the same depth those of the book that
/// is named first; counts are added. The result is sorted. Sorted books may be larger than memory, others are read into it.
#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// The books
    #[arg(required = true, value_name = "FILE")]
    books: Vec<PathBuf>,
    /// The file of the result
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Make one entry of a position that occurs at several plies, at the first of them
    #[arg(long)]
    ignore_ply: bool,
}

pub(super) fn run(arguments: &MergeArgs) -> Result<()> {
    let rule = if arguments.ignore_ply { PlyRule::First } else { PlyRule::Keep };
    let books = arguments.books.iter().map(|path| sorted_entries(path)).collect::<Result<Vec<_>>>()?;
    let has_moves = |entry: &Result<PositionedEntry>| entry.as_ref().map_or(true, |(_, entry)| !entry.moves.is_empty());
    let size = write_book(&arguments.output, MergedEntries::new(books, rule).filter(has_moves))?;
    say!("{}: {} positions, {} moves", arguments.output.display(), size.positions, size.moves);
    Ok(())
}

type Entries = Box<dyn Iterator<Item = Result<PositionedEntry>>>;

/// The entries of a book in order.
fn sorted_entries(path: &Path) -> Result<Entries> {
    let entries = entries(path)?;
    // What is no book is refused before anything is written.
    if is_sorted(path)? {
        return Ok(Box::new(entries));
    }
    let mut entries = entries.collect::<Result<Vec<_>>>()?;
    entries.sort_by_cached_key(|(board, entry)| BookEntry::sort_text(board, entry.ply));
    Ok(Box::new(entries.into_iter().map(Ok)))
}

fn entries(path: &Path) -> Result<impl Iterator<Item = Result<PositionedEntry>> + use<>> {
    let place = path.display().to_string();
    let entry = move |text: Result<EntryText, LookupError>| match text {
        Ok(text) => text.entry().map(Ok),
        Err(error) => Some(Err(anyhow::Error::new(error).context(place.clone()))),
    };
    Ok(entry_texts(path)?.filter_map(entry))
}
