//! The summary of a whole book.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_board::Position;
use kiki_book::{BookStatistics, EntryCounts};

use super::book_file::{entries, open_book};
use kiki_run::output::table;
use kiki_run::say;

pub(super) fn print(path: &Path) -> Result<()> {
    let place = || path.display().to_string();
    let mut statistics = BookStatistics::default();
    for entry in entries(path)? {
        statistics.add(&entry?.1);
    }
    ensure!(statistics.all.positions > 0, "{}: there is no position in it", place());
    let all = std::iter::once(("all".to_owned(), &statistics.all));
    let name = |ply: &Option<u32>| ply.map_or_else(|| "-".to_owned(), |ply| ply.to_string());
    let plies = statistics.by_ply.iter().map(|(ply, counts)| (name(ply), counts));
    say!(
        "{}",
        table(
            &["ply", "positions", "moves", "with value", "least depth", "mean", "greatest"],
            all.chain(plies).map(row)
        )
    );
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
    match counts.depths {
        Some(depths) => {
            cells.extend([depths.least.to_string(), format!("{:.1}", depths.mean()), depths.greatest.to_string()]);
        }
        None => cells.extend(["-"; 3].map(str::to_owned)),
    }
    cells
}
