//! A file with results: its kind is found by its name, and it is read into [`RawResult`]s.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kiki_platform::{MOST_RECORDS, open_regular_file, read_regular_file, read_regular_text};
use kiki_record::{Game, GameOutcome, PgnGame, read_pgn};
use serde::Deserialize;

use super::identity::{GameFacts, GameIdentity, MovesHash};
use super::raw_result::{RawResult, RowPlace};
use super::shogi_arena;
use kiki_run::files::read_games;
use kiki_run::journal::read_lines;
use kiki_run::journal_layouts::JOURNAL;

/// A file and what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ResultFile {
    path: PathBuf,
    kind: FileKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileKind {
    Journal,
    /// Game records that name players and results.
    Record,
    Pgn,
    Plain,
    /// ShogiArena's results.
    ShogiArena,
}

/// The part of a journal line that ratings need.
#[derive(Deserialize)]
struct JournalLine {
    black: String,
    white: String,
    #[serde(rename = "result")]
    outcome: GameOutcome,
    game: Option<u64>,
    #[serde(default)]
    root: String,
    #[serde(default)]
    moves: MovesHash,
    #[serde(default)]
    started: String,
    /// Whether it was voided and played again.
    #[serde(default)]
    voided: bool,
}

impl ResultFile {
    /// Adds the file at a path, or all files with results below a folder.
    pub(super) fn find(path: &Path, sources: &mut Vec<Self>) -> Result<()> {
        let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
        if !metadata.is_dir() {
            let kind = FileKind::of(path).unwrap_or(FileKind::Plain);
            sources.push(Self { path: path.to_owned(), kind });
            return Ok(());
        }
        if let Some(source) = Self::of_run(path) {
            sources.push(source);
            return Ok(());
        }
        let before = sources.len();
        Self::find_below(path, sources)?;
        ensure!(sources.len() > before, "{}: there are no records in this folder", path.display());
        Ok(())
    }

    /// The main file of a folder that a match of this laboratory or a run of ShogiArena wrote. Its other files contain the same games.
    fn of_run(folder: &Path) -> Option<Self> {
        let sources = [(JOURNAL, FileKind::Journal), (shogi_arena::RESULTS, FileKind::ShogiArena)];
        let mut sources = sources.into_iter().map(|(name, kind)| Self { path: folder.join(name), kind });
        sources.find(|source| source.path.is_file())
    }

    fn find_below(folder: &Path, sources: &mut Vec<Self>) -> Result<()> {
        let place = || folder.display().to_string();
        let entries = fs::read_dir(folder).with_context(place)?.collect::<Result<Vec<_>, _>>().with_context(place)?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                match Self::of_run(&path) {
                    Some(source) => sources.push(source),
                    None => Self::find_below(&path, sources)?,
                }
            } else if let Some(kind) = FileKind::of(&path) {
                sources.push(Self { path, kind });
            }
        }
        Ok(())
    }

    /// Its path, for error messages.
    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Its results; those of a record that cannot be read are errors.
    ///
    /// # Errors
    /// The file cannot be read, or it is of a kind in which what is broken ends all.
    pub(super) fn rows(&self) -> Result<Vec<Result<RawResult>>> {
        let rows = match self.kind {
            FileKind::Record => return self.record(),
            FileKind::Journal => self.journal()?,
            FileKind::Pgn => self.pgn()?,
            FileKind::Plain => plain(&read_regular_text(&self.path, MOST_RECORDS)?)?,
            FileKind::ShogiArena => shogi_arena::rows(&read_regular_text(&self.path, MOST_RECORDS)?)?,
        };
        Ok(rows.into_iter().map(Ok).collect())
    }

    fn pgn(&self) -> Result<Vec<RawResult>> {
        let row = |game: PgnGame| {
            let place = Some(RowPlace::Line(game.line));
            RawResult::game(game.black, game.white, game.outcome, place, GameIdentity::None)
        };
        Ok(read_pgn(&read_regular_file(&self.path, MOST_RECORDS)?)?.into_iter().map(row).collect())
    }

    fn journal(&self) -> Result<Vec<RawResult>> {
        let (mut rows, mut number) = (Vec::new(), 0);
        read_lines(BufReader::with_capacity(1 << 16, open_regular_file(&self.path)?), |line: JournalLine| {
            // A journal has a game in every line.
            number += 1;
            if line.voided {
                return Ok(());
            }
            let outcome = line.outcome;
            let facts = GameFacts {
                players: [&line.black, &line.white],
                outcome,
                root: &line.root,
                moves: line.moves,
                started: &line.started,
                times: None,
                number: line.game,
            };
            let identity = facts.identity();
            rows.push(RawResult::game(line.black, line.white, outcome, Some(RowPlace::Line(number)), identity));
            Ok(())
        })?;
        Ok(rows)
    }

    fn record(&self) -> Result<Vec<Result<RawResult>>> {
        let games = read_games(&self.path)?;
        // This laboratory numbers its files. A number of a file with several games is the number of none of them.
        let is_single = games.len() == 1;
        let number = self.path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).filter(|_| is_single);
        let row = |(index, game): (usize, Result<Game>)| {
            let game = game?;
            let identity = record_identity(&game, number);
            let place = (!is_single).then_some(RowPlace::Game(index + 1));
            Ok(RawResult::game(game.black, game.white, game.outcome, place, identity))
        };
        Ok(games.into_iter().enumerate().map(row).collect())
    }

    /// Games with different numbers are different within this path: the folder of a record, or the file.
    pub(super) fn group(&self) -> &Path {
        match (self.kind, self.path.parent()) {
            (FileKind::Record, Some(folder)) => folder,
            _ => &self.path,
        }
    }

    /// The folder of the match or run, if this is its main file.
    fn run_folder(&self) -> Option<&Path> {
        match self.kind {
            FileKind::Journal if self.path.ends_with(JOURNAL) => self.path.parent(),
            FileKind::ShogiArena => self.path.parent()?.parent(),
            _ => None,
        }
    }

    /// Whether `run`, a main file, contains the games of this file, where comparing games cannot show it: results without moves, or sums.
    fn is_covered_by(&self, run: &Self) -> bool {
        let Some(folder) = run.run_folder() else { return false };
        match (self.kind, run.kind) {
            (FileKind::Pgn, FileKind::Journal) => self.path == folder.join(RESULTS_PGN),
            (FileKind::Pgn | FileKind::Record, FileKind::ShogiArena) => self.path.starts_with(folder),
            _ => false,
        }
    }
}

/// Removes files that are in the list twice, under whatever paths, and files whose games are in a main file that is in the list too.
/// Returns the numbers of both.
pub(super) fn without_repeats(sources: &mut Vec<ResultFile>) -> [u64; 2] {
    let mut real = Vec::with_capacity(sources.len());
    let mut paths = HashSet::new();
    let mut repeated = 0;
    sources.retain(|source| {
        let path = fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone());
        let is_new = paths.insert(path.clone());
        if is_new {
            real.push(ResultFile { path, kind: source.kind });
        } else {
            repeated += 1;
        }
        is_new
    });
    let runs: Vec<ResultFile> = real.iter().filter(|source| source.run_folder().is_some()).cloned().collect();
    let mut real = real.iter();
    let before = sources.len();
    sources.retain(|_| real.next().is_none_or(|source| !runs.iter().any(|run| source.is_covered_by(run))));
    [repeated, (before - sources.len()) as u64]
}

fn record_identity(game: &Game, number: Option<u64>) -> GameIdentity {
    let times = game.moves.iter().any(|played| played.time_ms.is_some_and(|time| time > 0)).then(|| {
        let mut hasher = DefaultHasher::new();
        game.moves.iter().for_each(|played| played.time_ms.hash(&mut hasher));
        hasher.finish()
    });
    let facts = GameFacts {
        players: [&game.black, &game.white],
        outcome: game.outcome,
        root: game.root.as_deref().unwrap_or_default(),
        moves: MovesHash::of(game.moves.iter().map(|played| played.mv)),
        started: &game.start_time,
        times,
        number,
    };
    facts.identity()
}

/// The file of a match with results for rating programs.
const RESULTS_PGN: &str = "games.pgn";

impl FileKind {
    /// The kind by the name of the file; `None` if the name does not tell it.
    fn of(path: &Path) -> Option<Self> {
        if path.ends_with(shogi_arena::RESULTS) {
            return Some(Self::ShogiArena);
        }
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" => Some(Self::Journal),
            "csa" | "kif" | "kifu" | "ki2" | "ki2u" | "jkf" => Some(Self::Record),
            "pgn" => Some(Self::Pgn),
            "txt" => Some(Self::Plain),
            _ => None,
        }
    }
}

/// Reads lines `player player wins losses [draws]`, seen from the first player. `#` begins a comment; a line with zero games only adds the players.
fn plain(text: &str) -> Result<Vec<RawResult>> {
    let mut rows = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let row = plain_line(content).with_context(|| format!("line {}", index + 1))?;
        rows.push(RawResult { place: Some(RowPlace::Line(index + 1)), ..row });
    }
    Ok(rows)
}

fn plain_line(line: &str) -> Result<RawResult> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [first, second, counts @ ..] = words.as_slice() else { bail!(form(line)) };
    ensure!((2..=3).contains(&counts.len()), form(line));
    let counts: Vec<f64> = counts.iter().map(|word| count(word)).collect::<Result<_>>()?;
    let counts = [counts[0], counts[1], counts.get(2).copied().unwrap_or(0.0)];
    Ok(RawResult::sums(first, second, counts))
}

/// A number of games; halves are allowed, as from draws that were split.
fn count(word: &str) -> Result<f64> {
    /// Halves of numbers up to this are exact, and so are their sums.
    const MOST: f64 = 1e15;
    let number =
        word.parse().ok().filter(|number: &f64| (0.0..=MOST).contains(number) && (2.0 * number).fract() == 0.0);
    number.ok_or_else(|| anyhow!("`{word}` is not a number of games"))
}

fn form(line: &str) -> anyhow::Error {
    anyhow!("`{line}` is not of the form: player player wins losses [draws]")
}
