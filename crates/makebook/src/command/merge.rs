//! `kiki-lab book merge` and `convert`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use kiki_book::{MergedEntries, PlyRule, PositionedEntry};
use kiki_run::input_errors::InputErrors;
use kiki_run::say;

use super::book_file::{Entries, sorted_entries, write_book};

/// Merge several books into one
///
/// If several books have a move, the deepest one gives its value, depth and reply; at equal depth,
/// the book named first. Counts are added. The result is sorted. Sorted texts may be larger than
/// memory; binary books need memory for their positions, unsorted texts for everything. Files that
/// are not books and lines that are not moves are reported and left out. The rest is still merged,
/// and the exit status is 1.
#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// The books
    #[arg(required = true, value_name = "FILE")]
    books: Vec<PathBuf>,
    /// The file of the result: in the binary form if its name ends with .ybb
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Merge the entries of a position at several plies into one, at the first of these plies
    #[arg(long)]
    ignore_ply: bool,
}

/// Convert a book from one form to the other
///
/// The result is sorted, and a position has its moves once each, best value first. The binary form
/// has neither replies nor counts: one line says what is lost.
#[derive(Args, Debug)]
pub(super) struct BookConvertArgs {
    /// The book
    #[arg(value_name = "FILE")]
    book: PathBuf,
    /// The file of the result: in the binary form if its name ends with .ybb
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &MergeArgs) -> Result<ExitCode> {
    let rule = if arguments.ignore_ply { PlyRule::First } else { PlyRule::Keep };
    let mut errors = InputErrors::default();
    let mut books = Vec::with_capacity(arguments.books.len());
    for path in &arguments.books {
        let entries = told_entries(path, &mut errors);
        books.extend(errors.readable(entries));
    }
    ensure!(!books.is_empty(), "there is no book to merge");
    write(books, rule, &arguments.output, &errors)
}

pub(super) fn convert(arguments: &BookConvertArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let entries = told_entries(&arguments.book, &mut errors)?;
    write(vec![entries], PlyRule::Keep, &arguments.output, &errors)
}

fn write(books: Vec<Entries>, rule: PlyRule, output: &Path, errors: &InputErrors) -> Result<ExitCode> {
    let has_moves = |entry: &Result<PositionedEntry>| entry.as_ref().map_or(true, |(_, entry)| !entry.moves.is_empty());
    let size = write_book(output, MergedEntries::new(books, rule).filter(has_moves))?;
    say!("{}: {} positions, {} moves", output.display(), size.positions, size.moves);
    Ok(if size.left_out == 0 { errors.exit_code() } else { ExitCode::FAILURE })
}

/// Maximum number of faults reported for a book; `kiki-lab book check` reports all.
const MOST_TOLD: usize = 20;

/// The entries of a book in order. What is left out is reported.
fn told_entries(path: &Path, errors: &mut InputErrors) -> Result<Entries> {
    let mut count = 0_usize;
    let entries = sorted_entries(path, |fault| {
        count += 1;
        if count <= MOST_TOLD {
            errors.tell(&anyhow!("{}, {fault}; left out", path.display()));
        }
    })?;
    if count > MOST_TOLD {
        errors.tell(&anyhow!("{}: {} more are left out", path.display(), count - MOST_TOLD));
    }
    Ok(entries)
}
