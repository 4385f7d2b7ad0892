//! One file of results.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kiki_record::{Outcome, read_csa, read_pgn};
use serde::Deserialize;

use super::{RawRow, arena};
use crate::contest::game::Verdict;
use crate::contest::journal::{JOURNAL, read_lines};

/// A file and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Source {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Journal,
    Csa,
    Pgn,
    Plain,
    /// ShogiArena's results.
    Arena,
}

/// What a rating needs of a line of a journal.
#[derive(Deserialize)]
struct Line {
    black: String,
    white: String,
    result: Verdict,
    /// Ended by a fault and played again.
    #[serde(default)]
    voided: bool,
}

impl Source {
    /// Adds the file, or the files below the folder.
    pub(super) fn find(path: &Path, sources: &mut Vec<Self>) -> Result<()> {
        let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
        if metadata.is_file() {
            let kind = Kind::of(path).unwrap_or(Kind::Plain);
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

    /// The results of a folder that one run of this laboratory or of ShogiArena wrote. Its other files tell of the same games.
    fn of_run(folder: &Path) -> Option<Self> {
        let sources = [(JOURNAL, Kind::Journal), (arena::RESULTS, Kind::Arena)];
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
            } else if let Some(kind) = Kind::of(&path) {
                sources.push(Self { path, kind });
            }
        }
        Ok(())
    }

    /// For errors.
    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn rows(&self) -> Result<Vec<RawRow>> {
        match self.kind {
            Kind::Journal => self.journal(),
            Kind::Csa => self.csa(),
            Kind::Pgn => {
                let games = read_pgn(&fs::read(&self.path)?)?;
                Ok(games.into_iter().map(|game| RawRow::game(game.black, game.white, game.outcome)).collect())
            }
            Kind::Plain => plain(&fs::read_to_string(&self.path)?),
            Kind::Arena => arena::rows(&fs::read_to_string(&self.path)?),
        }
    }

    fn journal(&self) -> Result<Vec<RawRow>> {
        let mut rows = Vec::new();
        read_lines(BufReader::with_capacity(1 << 16, File::open(&self.path)?), |line: Line| {
            if !line.voided {
                rows.push(RawRow::game(line.black, line.white, line.result.into()));
            }
            Ok(())
        })?;
        Ok(rows)
    }

    fn csa(&self) -> Result<Vec<RawRow>> {
        let mut rows = Vec::new();
        for game in read_csa(&fs::read(&self.path)?).without_pv() {
            let game = game?;
            ensure!(!game.black.is_empty() && !game.white.is_empty(), "a game does not tell who played (N+ and N-)");
            rows.push(RawRow::game(game.black, game.white, game.outcome));
        }
        Ok(rows)
    }
}

impl Kind {
    /// By the name of the file; `None` for what may be anything.
    fn of(path: &Path) -> Option<Self> {
        if path.ends_with(arena::RESULTS) {
            return Some(Self::Arena);
        }
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" => Some(Self::Journal),
            "csa" => Some(Self::Csa),
            "pgn" => Some(Self::Pgn),
            "txt" => Some(Self::Plain),
            _ => None,
        }
    }
}

impl RawRow {
    fn game(black: String, white: String, outcome: Outcome) -> Self {
        let counts = match outcome {
            Outcome::BlackWins => Some([1.0, 0.0, 0.0]),
            Outcome::WhiteWins => Some([0.0, 1.0, 0.0]),
            Outcome::Draw => Some([0.0, 0.0, 1.0]),
            Outcome::Unknown => None,
        };
        Self { first: black, second: white, counts, colors_known: true }
    }
}

/// Reads lines `player player wins losses [draws]`, seen from the first player. `#` begins a comment; no games at all only name the players.
fn plain(text: &str) -> Result<Vec<RawRow>> {
    let mut rows = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        rows.push(plain_line(content).with_context(|| format!("line {}", index + 1))?);
    }
    Ok(rows)
}

fn plain_line(line: &str) -> Result<RawRow> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [first, second, counts @ ..] = words.as_slice() else { bail!(form(line)) };
    ensure!((2..=3).contains(&counts.len()), form(line));
    let counts: Vec<f64> = counts.iter().map(|word| count(word)).collect::<Result<_>>()?;
    let counts = Some([counts[0], counts[1], counts.get(2).copied().unwrap_or(0.0)]);
    Ok(RawRow { first: (*first).to_owned(), second: (*second).to_owned(), counts, colors_known: false })
}

/// Halves occur where somebody has split draws already.
fn count(word: &str) -> Result<f64> {
    /// Up to here halves are exact, with room for sums.
    const MOST: f64 = 1e15;
    let number =
        word.parse().ok().filter(|number: &f64| (0.0..=MOST).contains(number) && (2.0 * number).fract() == 0.0);
    number.ok_or_else(|| anyhow!("`{word}` is not a number of games"))
}

fn form(line: &str) -> anyhow::Error {
    anyhow!("`{line}` is not of the form: player player wins losses [draws]")
}
