//! `kiki-lab book make`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use kiki_book::{BookWriter, MoveCounts, PlayedMoves, PositionedEntry};
use kiki_run::files::{read_openings, write_atomically};
use kiki_run::input_errors::{InputErrors, exit_code_of_run, tell_left_out};
use kiki_run::interrupt::{exit_code, stop_flag, tell_to_resume};
use kiki_run::journal::{Journal, MAKING};
use kiki_run::output::{ProgressLine, or_dash};
use kiki_run::{bail_usage, say};

use super::book_file::write_book;
use super::make_options::{MakeArgs, MakeResumeArgs};
use crate::games::count_games;
use crate::making::BookMaking;
use crate::settings::{BookTask, MakingSettings};

pub(super) fn run(arguments: &MakeArgs) -> Result<ExitCode> {
    if arguments.expand { expand(arguments) } else { count(arguments) }
}

pub fn resume(folder: &Path, arguments: &MakeResumeArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let mut journal = Journal::<MakingSettings>::resume(folder, MAKING)?;
    if let Some(wanted) = arguments.positions {
        let BookTask::Expand { positions, .. } = &mut journal.settings.task else {
            bail_usage!("--positions: the games decide the positions of this book");
        };
        *positions = wanted;
        journal.write_settings()?;
    }
    tell_left_out(&journal.settings.left_out);
    search(journal, threads)
}

/// Where the book goes, and where its searches are kept.
fn places(arguments: &MakeArgs) -> Result<(PathBuf, PathBuf)> {
    let output = &arguments.output;
    ensure!(!output.is_dir(), "{}: it is a folder", output.display());
    let mut folder = OsString::from(output);
    folder.push(".searches");
    let folder = arguments.journal.clone().unwrap_or_else(|| folder.into());
    // A later run may start in another folder.
    Ok((std::path::absolute(output)?, folder))
}

fn expand(arguments: &MakeArgs) -> Result<ExitCode> {
    let threads = arguments.search.threads.count()?;
    let (output, folder) = places(arguments)?;
    let openings = &arguments.expanding.openings;
    let start = openings.as_deref().map_or_else(|| Ok(vec!["startpos".to_owned()]), read_openings)?;
    let left_out = Vec::new();
    let settings = MakingSettings { output, task: arguments.expansion(), search: arguments.search()?, left_out };
    search(Journal::begin(&folder, MAKING, settings, start)?, threads)
}

fn count(arguments: &MakeArgs) -> Result<ExitCode> {
    let (output, folder) = places(arguments)?;
    let threads = arguments.search.threads.count()?;
    let filter = arguments.counting.filter()?;
    let mut played = PlayedMoves::new(arguments.counting.colours());
    let mut errors = InputErrors::default();
    let (selection, last_ply) = (&arguments.counting.selection, arguments.plies.unwrap_or(40));
    let games = count_games(&arguments.from, selection, last_ply, &mut played, &mut errors);
    let kept = played.kept(filter);
    ensure!(!kept.is_empty(), "no move of {games} games is left for the book");
    if let Some(path) = &arguments.counting.results {
        write_atomically(path, results_table(&kept).as_bytes())?;
    }
    let entries = kept.into_iter().map(|(entry, _)| entry);
    let Some(nodes) = arguments.counting.evaluate else {
        let size = write_book(&output, entries.map(Ok))?;
        say!("{}: {} positions, {} moves of {games} games", output.display(), size.positions, size.moves);
        return Ok(errors.exit_code());
    };
    let entries: Vec<PositionedEntry> = entries.collect();
    let lines = entries.iter().map(|(_, entry)| entry.moves.len()).max().unwrap_or(1);
    let left_out = errors.texts().to_vec();
    let settings =
        MakingSettings { output, task: BookTask::Evaluate, search: arguments.search_of(nodes, lines)?, left_out };
    search(Journal::begin(&folder, MAKING, settings, lines_of(&entries)?)?, threads)
}

fn lines_of(entries: &[PositionedEntry]) -> Result<Vec<String>> {
    let mut writer = BookWriter::new(Vec::new())?;
    entries.iter().try_for_each(|(board, entry)| writer.write(board, entry))?;
    Ok(String::from_utf8(writer.finish()?)?.lines().map(str::to_owned).collect())
}

fn results_table(kept: &[(PositionedEntry, Vec<&MoveCounts>)]) -> String {
    let mut table = "sfen\tmove\tgames\twins\tdraws\tlosses\tpoints\n".to_owned();
    for ((board, entry), counts) in kept {
        let sfen = format!("{board} {}", entry.ply.unwrap_or(1));
        for (book_move, counts) in entry.moves.iter().zip(counts) {
            let MoveCounts { games, wins, draws, losses, .. } = counts;
            let points = or_dash(counts.points().map(|points| format!("{points:.3}")));
            table += &format!("{sfen}\t{}\t{games}\t{wins}\t{draws}\t{losses}\t{points}\n", book_move.mv);
        }
    }
    table
}

/// Searches until the book is complete or the user stops.
fn search(journal: Journal<MakingSettings>, threads: usize) -> Result<ExitCode> {
    let mut making = BookMaking::new(journal)?;
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", making.wanted() as u64, making.searched() as u64);
    let entries = making.run(threads, &stop, |done, word| line.show(done as u64, || word.to_owned()))?;
    line.finish();
    let MakingSettings { output, left_out, .. } = &making.journal.settings;
    let Some(entries) = entries else {
        tell_to_resume(making.journal.folder());
        return Ok(exit_code(true));
    };
    let size = write_book(output, entries.into_iter().map(Ok))?;
    say!("{}: {} positions, {} moves", output.display(), size.positions, size.moves);
    Ok(exit_code_of_run(left_out, false))
}
