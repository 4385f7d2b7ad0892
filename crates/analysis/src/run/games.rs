//! The games that are analysed, from folders of matches, game records and positions on the command
//! line.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::game::AnalyzedGame;
use anyhow::{Context as _, Result, ensure};

use super::RESERVED;
use kiki_games::records::{RecordSource, find};
use kiki_run::files::free_name;
use kiki_run::input_errors::InputErrors;
use kiki_run::position_text::position_spec;

/// The games of records, folders of records and folders of matches, each with a unique name.
/// `numbers` (from 1) select games of each source; an empty list selects all. Reports the place of
/// unreadable input, and of sources without a selected game.
pub(crate) fn games_of(paths: &[PathBuf], numbers: &[usize], errors: &mut InputErrors) -> Vec<AnalyzedGame> {
    let mut games = Vec::new();
    let mut taken: HashSet<String> = RESERVED.map(str::to_owned).into();
    for source in find(paths, errors) {
        let place = || source.path.display().to_string();
        let found = errors.readable(of_source(&source, numbers, &mut taken).with_context(place));
        games.extend(found.into_iter().flatten().filter_map(|game| errors.readable(game.with_context(place))));
    }
    games
}

/// The selected games of a source, and their faults.
fn of_source(
    source: &RecordSource,
    numbers: &[usize],
    taken: &mut HashSet<String>,
) -> Result<Vec<Result<AnalyzedGame>>> {
    let records = source.games()?;
    let count = records.len();
    ensure!(count > 0, "there is no game in it");
    let place = source.place_with_extension("");
    let stem = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = stem.trim_end_matches('.');
    let mut games = Vec::new();
    for (index, record) in records.into_iter().enumerate() {
        let number = index + 1;
        if !numbers.is_empty() && !numbers.contains(&number) {
            continue;
        }
        let name = free_name(&if count > 1 { format!("{stem}-{number:04}") } else { stem.to_owned() }, taken);
        games.push(record.and_then(|record| {
            let game = AnalyzedGame::from_record(name, &record);
            if count > 1 { game.with_context(|| format!("game {number}")) } else { Ok(game?) }
        }));
    }
    ensure!(!games.is_empty(), "--game names none of its games, of which it has {count}");
    Ok(games)
}

/// A position and moves from the command line.
pub(crate) fn line_of(sfen: Option<&str>, moves: Option<&str>) -> Result<AnalyzedGame> {
    let spec = position_spec(sfen, moves)?;
    AnalyzedGame::from_line("position".to_owned(), &spec).context("--sfen, --moves")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_written_in_every_usual_way() {
        let plies = |sfen, moves| line_of(sfen, moves).map(|game| game.moves.len());
        assert_eq!(plies(None, Some("7g7f 3c3d")).unwrap(), 2);
        assert_eq!(plies(Some("startpos moves 7g7f"), Some("3c3d")).unwrap(), 2);
        assert_eq!(plies(Some("4k4/9/9/9/9/9/9/9/4K4 b - 1"), None).unwrap(), 0);
        assert_eq!(plies(Some("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h"), None).unwrap(), 1);
        assert!(plies(Some(""), None).is_err());
    }
}
