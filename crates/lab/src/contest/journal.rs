//! The folder of a contest: what was agreed, and an append-only record of the games that came to their end.
//!
//! | file | what |
//! |---|---|
//! | `match.json` | the settings, written once |
//! | `openings.sfen` | the openings in the order in which they are played |
//! | `games.jsonl` | the journal: one line a game, on the disk before the next one is counted |
//! | `csa/000001.csa` | the same game for other programs |
//! | `games.pgn` | results for rating programs, written at the end |
//! | `elo.svg`, `llr.svg` | pictures of a match of two engines, written at the end |

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;

use super::game::Game;
use super::settings::Settings;
use crate::files::{write_atomically, write_json};

pub(crate) const JOURNAL: &str = "games.jsonl";
pub(crate) const SETTINGS: &str = "match.json";
pub(crate) const OPENINGS: &str = "openings.sfen";

/// The folder of a contest, held by this process alone.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    file: File,
}

impl Journal {
    /// Begins a contest in a folder that holds no game yet.
    ///
    /// # Errors
    /// The folder holds games, another process works on it, or it cannot be written.
    pub(crate) fn create(folder: &Path, settings: &Settings, openings: &[String]) -> Result<Self> {
        let place = || folder.display().to_string();
        fs::create_dir_all(folder.join("csa")).with_context(place)?;
        let file = open(folder)?;
        // A match that failed before its first game is no match yet.
        ensure!(
            file.metadata().with_context(place)?.len() == 0,
            "{} holds a match already: go on with it by `--resume`, or name another folder",
            place()
        );
        write_atomically(&folder.join(OPENINGS), (openings.join("\n") + "\n").as_bytes())?;
        // The settings come last: a folder with settings is complete.
        write_json(&folder.join(SETTINGS), settings)?;
        sync_folder(folder);
        Ok(Self { folder: folder.to_owned(), file })
    }

    /// Goes on with a contest. Returns its settings and openings too.
    ///
    /// # Errors
    /// The folder holds no contest, or another process works on it.
    pub(crate) fn resume(folder: &Path) -> Result<(Self, Settings, Vec<String>)> {
        let path = folder.join(SETTINGS);
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("{} holds no match: cannot read {SETTINGS}", folder.display()))?;
        let settings: Settings = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let openings = super::openings::read(&folder.join(OPENINGS))?;
        let file = open(folder)?;
        fs::create_dir_all(folder.join("csa"))?;
        Ok((Self { folder: folder.to_owned(), file }, settings, openings))
    }

    /// Hands on the games that are written down. What a kill left of a line is taken away.
    ///
    /// # Errors
    /// Names file and line of what is no game, and those at which the caller fails.
    pub(crate) fn replay(&mut self, each: impl FnMut(Game) -> Result<()>) -> Result<()> {
        let place = || self.folder.join(JOURNAL).display().to_string();
        self.file.seek(SeekFrom::Start(0)).with_context(place)?;
        let whole = read_lines(BufReader::new(&self.file), each).with_context(place)?;
        self.file.set_len(whole).with_context(place)?;
        self.file.seek(SeekFrom::End(0)).with_context(place)?;
        Ok(())
    }

    /// Writes a game down. When this returns it is on the disk.
    pub(crate) fn append(&mut self, game: &Game) -> Result<()> {
        let place = || self.folder.join(JOURNAL).display().to_string();
        let mut line = serde_json::to_string(game)?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).with_context(place)?;
        self.file.sync_data().with_context(place)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Hands on the games of a journal's text. Returns how many bytes whole lines take; behind them only part of a line may stand.
///
/// # Errors
/// Names the line and what is wrong with it.
pub(crate) fn read_lines<T: DeserializeOwned>(
    mut text: impl BufRead,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<u64> {
    let mut line = Vec::new();
    let mut whole = 0;
    for number in 1.. {
        line.clear();
        let length = text.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            break;
        }
        let game = serde_json::from_slice(&line).map_err(|error| {
            // A line is all that the parser knows of the file.
            anyhow!("line {number}, column {}: {}", error.column(), without_place(&error))
        })?;
        each(game).with_context(|| format!("line {number}"))?;
        whole += length as u64;
    }
    Ok(whole)
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

fn open(folder: &Path) -> Result<File> {
    let path = folder.join(JOURNAL);
    let file = OpenOptions::new().create(true).read(true).append(true).open(&path);
    let file = file.with_context(|| path.display().to_string())?;
    if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
        bail!("another process plays the match in {}", folder.display());
    }
    Ok(file)
}

/// Puts the folder's own list of files on the disk; where folders cannot be opened there is nothing to do.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Number {
        n: u32,
    }

    fn read(text: &str) -> Result<(Vec<u32>, u64)> {
        let mut numbers = Vec::new();
        let whole = read_lines(text.as_bytes(), |Number { n }| {
            numbers.push(n);
            ensure!(n != 13, "unlucky");
            Ok(())
        })?;
        Ok((numbers, whole))
    }

    #[test]
    fn what_a_kill_left_of_the_last_line_does_not_count() {
        assert_eq!(read("{\"n\":1}\n{\"n\":2}\n{\"n\"").unwrap(), (vec![1, 2], 16));
        assert_eq!(read("{\"n\":1}\n{\"n\":2}").unwrap(), (vec![1], 8));
        assert_eq!(read("").unwrap(), (vec![], 0));
    }

    #[test]
    fn a_broken_line_is_named_with_its_place() {
        let error = |text| format!("{:#}", read(text).unwrap_err());
        assert!(error("{\"n\":1}\n{\"m\":1}\n").starts_with("line 2, column 7: missing field `n`"));
        assert!(error("{\"n\":1}\nnonsense\n").starts_with("line 2, column 2: expected"));
        assert_eq!(error("{\"n\":13}\n"), "line 1: unlucky");
    }
}
