//! Where games come from: records, folders of them, and the journals of matches.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_platform::{MOST_RECORDS, read_regular_file};
use kiki_play::game::PlayedGame;
use kiki_record::{Game, read_records};

use kiki_contest::export::record;
use kiki_contest::settings::ContestSettings;
use kiki_run::files::{entries, is_record};
use kiki_run::input_errors::InputErrors;
use kiki_run::journal::{CONTEST, JOURNAL, Journal};

/// A file of games, or the folder of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordSource {
    pub path: PathBuf,
    /// Its path below the named folder; its file name if it was named itself.
    pub place: PathBuf,
    pub is_match: bool,
}

/// All records at these paths and in folders below them. Reports a path that cannot be read or has
/// no records.
pub fn find(paths: &[PathBuf], errors: &mut InputErrors) -> Vec<RecordSource> {
    paths.iter().filter_map(|path| errors.readable(find_at(path))).flatten().collect()
}

/// The same at one path; a folder without records is an error.
pub fn find_at(path: &Path) -> Result<Vec<RecordSource>> {
    let mut sources = Vec::new();
    let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
    if metadata.is_dir() {
        find_below(path, Path::new(""), &mut sources)?;
        ensure!(!sources.is_empty(), "{}: there are no game records in this folder", path.display());
    } else if path.file_name().is_some_and(|name| name == JOURNAL) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        sources.push(RecordSource::of_match(folder, Path::new("")));
    } else {
        let place = path.file_name().map_or_else(PathBuf::new, PathBuf::from);
        sources.push(RecordSource { path: path.to_owned(), place, is_match: false });
    }
    Ok(sources)
}

fn find_below(folder: &Path, place: &Path, sources: &mut Vec<RecordSource>) -> Result<()> {
    // The other files of a match hold the same games.
    if CONTEST.is_in(folder) {
        sources.push(RecordSource::of_match(folder, place));
        return Ok(());
    }
    for path in entries(folder)? {
        let place = place.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            find_below(&path, &place, sources)?;
        } else if is_record(&path) {
            sources.push(RecordSource { path, place, is_match: false });
        }
    }
    Ok(())
}

impl RecordSource {
    fn of_match(folder: &Path, place: &Path) -> Self {
        let name = fs::canonicalize(folder).ok().and_then(|path| path.file_name().map(PathBuf::from));
        let name = name.unwrap_or_else(|| PathBuf::from("games"));
        let place = if place.as_os_str().is_empty() { name } else { place.to_owned() };
        Self { path: folder.to_owned(), place, is_match: true }
    }

    /// Its place with another extension.
    pub fn place_with_extension(&self, extension: &str) -> PathBuf {
        if !self.is_match {
            return self.place.with_extension(extension);
        }
        // A dot in the name of a match begins no extension.
        let mut name = self.place.clone().into_os_string();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    }

    /// Its games, and the errors of those that cannot be read, which name the line but not the
    /// path. A file without a game is an error.
    pub fn games(&self) -> Result<Vec<Result<Game>>> {
        if self.is_match {
            return of_match(&self.path);
        }
        let games = read_records(&self.path.to_string_lossy(), &read_regular_file(&self.path, MOST_RECORDS)?);
        ensure!(!games.is_empty(), "there is no game in it");
        Ok(games.into_iter().map(|game| game.map_err(anyhow::Error::new)).collect())
    }
}

fn of_match(folder: &Path) -> Result<Vec<Result<Game>>> {
    let journal = Journal::<ContestSettings>::read(folder, CONTEST)?;
    let mut games = Vec::new();
    journal.replay_lines(|number, line: Result<PlayedGame>| {
        let game = match line {
            Ok(game) if game.voided => return Ok(()),
            Ok(game) => record(&journal.settings, &game).with_context(|| format!("line {number}")),
            Err(error) => Err(error),
        };
        games.push(game.context(JOURNAL));
        Ok(())
    })?;
    Ok(games)
}
