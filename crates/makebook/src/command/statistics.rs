//! The summary of a whole book.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_board::Position;
use kiki_book::{BookStatistics, EntryCounts};
use kiki_run::output::{or_dash, table};
use kiki_run::say;

use super::book_file::{entries, open_book};

pub(super) fn print(path: &Path) -> Result<()> {
    let place = || path.display().to_string();
    let mut statistics = BookStatistics::default();
    for entry in entries(path)? {
        statistics.add(&entry?.1);
    }
    ensure!(statistics.all.positions > 0, "{}: there is no position in it", place());
    let all = std::iter::once(("all".to_owned(), &statistics.all));
    let plies = statistics.by_ply.iter().map(|(ply, counts)| (or_dash(*ply), counts));
    let header = ["ply", "positions", "moves", "with value", "least depth", "mean", "greatest"];
    say!("{}", table(&header, all.chain(plies).map(row)));
    // Books of gigabytes stay in their file, if positions can be found there.
    let book = open_book(path)?;
    let lines = book.lines_from(&Position::startpos()).with_context(place)?;
    let plies = lines.longest.len();
    say!("from the start of a game {} positions are reached; the longest line has {plies} plies", lines.positions);
    if plies > 0 {
        say!("{}", lines.longest.join(" "));
    }
    Ok(())
}

fn row((name, counts): (String, &EntryCounts)) -> Vec<String> {
    let mut cells = vec![name];
    cells.extend([counts.positions, counts.moves, counts.valued].map(|count| count.to_string()));
    cells.push(or_dash(counts.depths.map(|depths| depths.least)));
    cells.push(or_dash(counts.depths.map(|depths| format!("{:.1}", depths.mean()))));
    cells.push(or_dash(counts.depths.map(|depths| depths.greatest)));
    cells
}
