//! `kiki-lab book merge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use kiki_book::{BookEntry, BookFault, EntryText, LookupError, MergedEntries, PlyRule, PositionedEntry};

use super::book_file::{entry_texts, is_sorted_with, write_book};
use kiki_run::input_errors::InputErrors;
use kiki_run::say;

/// Merge several books into one
///
/// If several books have a move, the deepest one gives its value, depth and reply; at equal depth, the book named first. Counts are added. The result
/// is sorted. Sorted books may be larger than memory; others are read into it. Files that are not books and lines that are not moves are reported and
/// left out. Then the rest is still merged, and the exit status is 1.
#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// The books
    #[arg(required = true, value_name = "FILE")]
    books: Vec<PathBuf>,
    /// The file of the result
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Merge the entries of a position at several plies into one, at the first of these plies
    #[arg(long)]
    ignore_ply: bool,
}

pub(super) fn run(arguments: &MergeArgs) -> Result<ExitCode> {
    let rule = if arguments.ignore_ply { PlyRule::First } else { PlyRule::Keep };
    let mut errors = InputErrors::default();
    let mut books = Vec::with_capacity(arguments.books.len());
    for path in &arguments.books {
        let entries = sorted_entries(path, &mut errors);
        books.extend(errors.readable(entries));
    }
    ensure!(!books.is_empty(), "there is no book to merge");
    let has_moves = |entry: &Result<PositionedEntry>| entry.as_ref().map_or(true, |(_, entry)| !entry.moves.is_empty());
    let size = write_book(&arguments.output, MergedEntries::new(books, rule).filter(has_moves))?;
    say!("{}: {} positions, {} moves", arguments.output.display(), size.positions, size.moves);
    Ok(errors.exit_code())
}

/// Greatest number of left-out lines reported for a book; `kiki-lab book check` reports all.
const MOST_TOLD: usize = 20;

type Entries = Box<dyn Iterator<Item = Result<PositionedEntry>>>;

/// The entries of a book in order. Lines that are left out are reported.
fn sorted_entries(path: &Path, errors: &mut InputErrors) -> Result<Entries> {
    let entries = entries(path)?;
    let (mut left_out, mut count) = (Vec::new(), 0_usize);
    // A file that is not a book is refused before anything is written.
    let is_sorted = is_sorted_with(path, |text| {
        let faults = text.left_out();
        count += faults.len();
        left_out.extend(faults.into_iter().take(MOST_TOLD - left_out.len()));
    })?;
    for BookFault { line, problem } in &left_out {
        errors.tell(&anyhow!("{}, line {line}: {problem}; left out", path.display()));
    }
    if count > left_out.len() {
        errors.tell(&anyhow!("{}: {} more are left out", path.display(), count - left_out.len()));
    }
    if is_sorted {
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
