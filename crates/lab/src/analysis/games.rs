//! The games that are analysed, from folders of matches, game records and positions on the command line.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use kiki_analysis::game::AnalyzedGame;
use kiki_play::game::PlayedGame;
use kiki_record::Game;
use kiki_usi::{Command, PositionSpec};

use super::RESERVED;
use crate::contest::export;
use crate::contest::settings::ContestSettings;
use crate::files::csa_files;
use crate::journal::{CONTEST, Journal};

/// The games of these records, folders of records and folders of matches, each with a name of its own. Of each source only those with these numbers
/// are taken, counted from 1, unless there are none.
///
/// # Errors
/// What cannot be read, with its place, and a source without such a game.
pub(crate) fn games_of(sources: &[impl AsRef<Path>], numbers: &[usize]) -> Result<Vec<AnalyzedGame>> {
    let mut games = Vec::new();
    let mut taken: HashSet<String> = HashSet::from([RESERVED.to_owned()]);
    for source in sources {
        let path = source.as_ref();
        let found = records_of(path)?;
        let count = found.len();
        let records = found.into_iter().enumerate().filter(|(index, _)| numbers.is_empty() || numbers.contains(&(index + 1)));
        let before = games.len();
        for (index, (stem, record)) in records {
            let name = free_name(&stem, &mut taken);
            let place = || format!("{}, game {}", path.display(), index + 1);
            games.push(AnalyzedGame::from_record(name, &record).with_context(place)?);
        }
        ensure!(games.len() > before, "{}: --game names none of its games, of which it has {count}", path.display());
    }
    Ok(games)
}

/// A position, with moves that lead on from it, from the command line: `startpos`, an SFEN, with or without the word `sfen`, and `moves ..`.
///
/// # Errors
/// What is no position, and illegal moves.
pub(crate) fn line_of(sfen: Option<&str>, moves: Option<&str>) -> Result<AnalyzedGame> {
    let sfen = sfen.unwrap_or("startpos").trim();
    let command = Command::parse(format!("position {sfen}").as_bytes()).with_context(|| format!("--sfen {sfen}"))?;
    let Command::Position(PositionSpec { root, moves: mut line }) = command else {
        bail!("--sfen {sfen}: this is no position")
    };
    line.extend(moves.unwrap_or_default().split_whitespace().map(str::to_owned));
    let spec = PositionSpec { root, moves: line };
    AnalyzedGame::from_line("position".to_owned(), &spec).context("--sfen, --moves")
}

/// The games of a source with the names of their files, which may occur more than once.
fn records_of(path: &Path) -> Result<Vec<(String, Game)>> {
    ensure!(path.exists(), "{}: there is no such file or folder", path.display());
    let found = if !path.is_dir() {
        of_file(path)?
    } else if path.join(CONTEST.settings).exists() {
        of_match(path)?
    } else {
        let files = csa_files(path).with_context(|| path.display().to_string())?;
        files.iter().map(|file| of_file(file)).collect::<Result<Vec<_>>>()?.concat()
    };
    ensure!(!found.is_empty(), "{}: there is no game in it", path.display());
    Ok(found)
}

/// The games of a record of any form.
fn of_file(path: &Path) -> Result<Vec<(String, Game)>> {
    let place = || path.display().to_string();
    let bytes = fs::read(path).with_context(place)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let games = kiki_record::read_records(&path.to_string_lossy(), &bytes);
    games.into_iter().map(|game| Ok((stem.clone(), game.with_context(place)?))).collect()
}

/// The games of a match, each named after it and numbered as there.
fn of_match(folder: &Path) -> Result<Vec<(String, Game)>> {
    let (mut journal, settings, _) = Journal::read::<ContestSettings>(folder, CONTEST)?;
    let stem = folder.canonicalize()?.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut games = Vec::new();
    journal.replay(|game: PlayedGame| {
        if !game.voided {
            games.push((game.game, export::record(&settings, &game)?));
        }
        Ok(())
    })?;
    // They are journalled as they end, which differs from the order in which they begin.
    games.sort_by_key(|(number, _)| *number);
    Ok(games.into_iter().map(|(number, game)| (format!("{stem}-{number:06}"), game)).collect())
}

/// A name for files on all systems that is not taken yet; now it is.
fn free_name(stem: &str, taken: &mut HashSet<String>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "+-_.".contains(letter);
    let plain: String = stem.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).take(100).collect();
    let stem = if plain.is_empty() { "game".to_owned() } else { plain };
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = [stem.clone()].into_iter().chain(numbered);
    // Some systems do not distinguish capital letters.
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_taken_once() {
        let mut taken = HashSet::from([RESERVED.to_owned()]);
        let names: Vec<String> =
            ["a b/c", "A_b_c", "analysis", "", "名人戦"].iter().map(|stem| free_name(stem, &mut taken)).collect();
        assert_eq!(names, ["a_b_c", "A_b_c-2", "analysis-2", "game", "名人戦"]);
    }

    #[test]
    fn a_line_may_be_written_in_every_usual_way() {
        let plies = |sfen, moves| line_of(sfen, moves).map(|game| game.moves.len());
        assert_eq!(plies(None, Some("7g7f 3c3d")).unwrap(), 2);
        assert_eq!(plies(Some("startpos moves 7g7f"), Some("3c3d")).unwrap(), 2);
        assert_eq!(plies(Some("4k4/9/9/9/9/9/9/9/4K4 b - 1"), None).unwrap(), 0);
        assert_eq!(plies(Some("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h"), None).unwrap(), 1);
        for (sfen, moves, reason) in [
            (Some("nonsense"), None, "--sfen"),
            (Some(""), None, "--sfen"),
            (None, Some("7g7f 7g7f"), "move 2"),
            (Some("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), None, "no position to search"),
        ] {
            let error = format!("{:#}", line_of(sfen, moves).unwrap_err());
            assert!(error.contains(reason), "{error}");
        }
    }
}
