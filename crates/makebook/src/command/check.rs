//! `kiki-lab book check`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_book::{BookFault, CheckedEntry, DuplicateCheck, EntryText, OrderCheck};
use rayon::prelude::*;

use super::book_file::{BookSize, entry_texts};
use kiki_run::evaluation::ThreadArgs;
use kiki_run::input_errors::InputErrors;
use kiki_run::say;

/// Number of entries read before they are checked in parallel.
const BATCH: usize = 4096;

/// List every fault in books, one line each
///
/// Positions, moves and replies must be legal. Positions must be in the usual notation, sorted and unique. Numbers must be valid, and values at most
/// 32000. Memory use does not grow with a sorted book; in an unsorted one each position takes about 50 bytes. The exit status is 1 if there is any
/// fault.
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
    let place = || path.display().to_string();
    let mut entries = entry_texts(path)?;
    let mut order = OrderCheck::default();
    let (mut size, mut faults) = (BookSize::default(), 0);
    loop {
        let batch: Vec<EntryText> = entries.by_ref().take(BATCH).collect::<Result<_, _>>().with_context(place)?;
        if batch.is_empty() {
            break;
        }
        let checked: Vec<CheckedEntry> = batch.par_iter().map(EntryText::check).collect();
        for entry in &checked {
            size.positions += u64::from(entry.position.is_some());
            size.moves += entry.moves;
            for fault in order.next(entry).iter().chain(&entry.faults) {
                tell(path, fault, &mut faults);
            }
        }
    }
    ensure!(size.positions > 0 || faults > 0, "{}: there is no position in it", place());
    if order.is_unsorted() {
        let mut duplicates = DuplicateCheck::default();
        for entry in entry_texts(path)? {
            if let Some(fault) = duplicates.next(&entry.with_context(place)?) {
                tell(path, &fault, &mut faults);
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let speed = size.positions as f64 / seconds.max(1e-9);
    let BookSize { positions, moves } = size;
    say!("{}: {positions} positions, {moves} moves, {faults} faults; {speed:.0} positions a second", place());
    Ok(faults)
}

fn tell(path: &Path, fault: &BookFault, faults: &mut u64) {
    *faults += 1;
    say!("{}, line {}: {}", path.display(), fault.line, fault.problem);
}
