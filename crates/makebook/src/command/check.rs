//! `kiki-lab book check`.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_book::{BinaryBook, BinaryEntry, CheckedEntry, DuplicateCheck, EntryText, OrderCheck};
use kiki_run::evaluation::ThreadArgs;
use kiki_run::input_errors::InputErrors;
use kiki_run::say;
use rayon::prelude::*;

use super::book_file::{BookSize, binary_book, entry_texts};

/// Number of entries read before they are checked in parallel.
const BATCH: u64 = 4096;

/// List every fault in books, one line each with its line or offset
///
/// Positions, moves and replies must be legal. Positions must be in the usual notation, sorted and
/// unique. Numbers must be valid, and values at most 32000. Memory use does not grow with a sorted
/// book; in an unsorted one each position takes about 50 bytes. The exit status is 1 if there is
/// any fault.
#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// The books
    #[arg(required = true, value_name = "FILE")]
    books: Vec<PathBuf>,
    #[command(flatten)]
    threads: ThreadArgs,
}

pub(super) fn run(arguments: &CheckArgs) -> Result<ExitCode> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.count()?).build()?;
    let mut errors = InputErrors::default();
    let checked = arguments.books.iter().filter_map(|path| errors.readable(pool.install(|| check(path))));
    let faults: u64 = checked.sum();
    Ok(if faults == 0 { errors.exit_code() } else { ExitCode::FAILURE })
}

/// Checks a book; returns the number of faults.
fn check(path: &Path) -> Result<u64> {
    let started = Instant::now();
    let mut faults = 0;
    let size = match binary_book(path)? {
        Some(book) => check_binary(path, &book, &mut faults)?,
        None => check_text(path, &mut faults)?,
    };
    let place = path.display();
    let BookSize { positions, moves, .. } = size;
    ensure!(positions > 0 || faults > 0, "{place}: there is no position in it");
    let seconds = started.elapsed().as_secs_f64();
    let speed = positions as f64 / seconds.max(1e-9);
    say!("{place}: {positions} positions, {moves} moves, {faults} faults; {speed:.0} positions a second");
    Ok(faults)
}

fn check_text(path: &Path, faults: &mut u64) -> Result<BookSize> {
    let place = || path.display().to_string();
    let mut entries = entry_texts(path)?;
    let mut order = OrderCheck::default();
    let mut size = BookSize::default();
    loop {
        let batch: Vec<EntryText> =
            entries.by_ref().take(BATCH as usize).collect::<Result<_, _>>().with_context(place)?;
        if batch.is_empty() {
            break;
        }
        let checked: Vec<CheckedEntry> = batch.par_iter().map(EntryText::check).collect();
        for entry in &checked {
            size.positions += u64::from(entry.position.is_some());
            size.moves += entry.moves;
            let misplaced = entry.position.as_deref().and_then(|position| order.compare(entry.line, position));
            misplaced.iter().chain(&entry.faults).for_each(|fault| tell(path, fault, faults));
        }
    }
    if order.is_unsorted() {
        let mut duplicates = DuplicateCheck::default();
        for entry in entry_texts(path)? {
            if let Some(fault) = duplicates.next(&entry.with_context(place)?) {
                tell(path, fault, faults);
            }
        }
    }
    Ok(size)
}

fn check_binary(path: &Path, book: &BinaryBook, faults: &mut u64) -> Result<BookSize> {
    let mut size = BookSize::default();
    for first in (0..book.positions()).step_by(BATCH as usize) {
        let batch = first..book.positions().min(first + BATCH);
        let checked: Result<Vec<BinaryEntry>, _> = batch.into_par_iter().map(|index| book.entry(index)).collect();
        for entry in checked.with_context(|| path.display().to_string())? {
            size.positions += u64::from(entry.entry.is_some());
            size.moves += entry.entry.map_or(0, |(_, entry)| entry.moves.len() as u64);
            entry.faults.iter().for_each(|fault| tell(path, fault, faults));
        }
    }
    // Damage at the end of the file, which the records do not show.
    book.damage().into_iter().for_each(|fault| tell(path, fault, faults));
    Ok(size)
}

fn tell(path: &Path, fault: impl Display, faults: &mut u64) {
    *faults += 1;
    say!("{}, {fault}", path.display());
}
