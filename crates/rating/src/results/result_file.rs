//! Files of results. The name shows the kind; each game or sum of games becomes a [`RawResult`].

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kiki_contest::export::{CSA, PGN};
use kiki_platform::{MOST_RECORDS, open_regular_file, read_regular_file, read_regular_text};
use kiki_record::{Game, GameOutcome, PgnGame, read_pgn};
use kiki_run::files::{entries, read_games};
use kiki_run::journal::{JOURNAL, read_all_lines};
use kiki_run::repeats::{GameIdentity, IdentityFacts, MovesHash, SeenGames, number_of_record};
use kiki_text::excerpt;
use serde::Deserialize;

/// One result as a file gives it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RawResult {
    pub(super) first: String,
    pub(super) second: String,
    /// Wins, losses and draws of the first; none for a game without a result.
    pub(super) counts: Option<[f64; 3]>,
    pub(super) colors_known: bool,
    /// Where it stands in its file, if more than one result may stand there: `line 3`.
    pub(super) place: Option<String>,
    pub(super) identity: GameIdentity,
}

impl RawResult {
    /// The sums of several games: wins, losses and draws of the first player.
    fn sums(first: &str, second: &str, counts: [f64; 3]) -> Self {
        let (first, second, identity) = (first.to_owned(), second.to_owned(), GameIdentity::None);
        Self { first, second, counts: Some(counts), colors_known: false, place: None, identity }
    }

    /// One game. Without an outcome it has no counts.
    fn game(black: String, white: String, outcome: GameOutcome, place: Option<String>, identity: GameIdentity) -> Self {
        let counts = match outcome {
            GameOutcome::BlackWins => Some([1.0, 0.0, 0.0]),
            GameOutcome::WhiteWins => Some([0.0, 1.0, 0.0]),
            GameOutcome::Draw => Some([0.0, 0.0, 1.0]),
            GameOutcome::Unknown => None,
        };
        Self { first: black, second: white, counts, colors_known: true, place, identity }
    }
}

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
    moves: Vec<String>,
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

    /// The main file of a folder of a match or of a run of ShogiArena; the other files repeat its
    /// games.
    fn of_run(folder: &Path) -> Option<Self> {
        let sources = [(JOURNAL, FileKind::Journal), (SHOGI_ARENA_RESULTS, FileKind::ShogiArena)];
        let mut sources = sources.into_iter().map(|(name, kind)| Self { path: folder.join(name), kind });
        sources.find(|source| source.path.is_file())
    }

    fn find_below(folder: &Path, sources: &mut Vec<Self>) -> Result<()> {
        for path in entries(folder)? {
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

    fn at_real_path(&self) -> Self {
        Self { path: fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone()), kind: self.kind }
    }

    /// Its path, for error messages.
    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Its results, and the faults of those that cannot be read.
    pub(super) fn rows(&self) -> Result<Vec<Result<RawResult>>> {
        match self.kind {
            FileKind::Record => self.record(),
            FileKind::Journal => self.journal(),
            FileKind::Pgn => self.pgn(),
            FileKind::Plain => Ok(plain(&read_regular_text(&self.path, MOST_RECORDS)?)),
            FileKind::ShogiArena => shogi_arena_rows(&read_regular_text(&self.path, MOST_RECORDS)?),
        }
    }

    fn pgn(&self) -> Result<Vec<Result<RawResult>>> {
        let row = |game: PgnGame| {
            let place = Some(format!("line {}", game.line));
            RawResult::game(game.black, game.white, game.outcome, place, GameIdentity::None)
        };
        let games = read_pgn(&read_regular_file(&self.path, MOST_RECORDS)?);
        Ok(games.into_iter().map(|game| Ok(row(game?))).collect())
    }

    fn journal(&self) -> Result<Vec<Result<RawResult>>> {
        let mut rows = Vec::new();
        let text = BufReader::with_capacity(1 << 16, open_regular_file(&self.path)?);
        read_all_lines(text, |number, line: Result<JournalLine>| {
            let line = match line {
                Ok(line) if line.voided => return Ok(()),
                Ok(line) => line,
                Err(error) => {
                    rows.push(Err(error));
                    return Ok(());
                }
            };
            let outcome = line.outcome;
            let facts = IdentityFacts {
                players: [&line.black, &line.white],
                outcome,
                root: &line.root,
                moves: MovesHash::of(&line.moves),
                started: &line.started,
                times: None,
                number: line.game,
            };
            let identity = facts.identity();
            let place = Some(format!("line {number}"));
            rows.push(Ok(RawResult::game(line.black, line.white, outcome, place, identity)));
            Ok(())
        })?;
        Ok(rows)
    }

    fn record(&self) -> Result<Vec<Result<RawResult>>> {
        let games = read_games(&self.path)?;
        let is_single = games.len() == 1;
        let number = number_of_record(&self.path, games.len());
        let row = |(index, game): (usize, Result<Game>)| {
            let game = game?;
            let identity = GameIdentity::of_record(&game, number);
            let place = (!is_single).then(|| format!("game {}", index + 1));
            Ok(RawResult::game(game.black, game.white, game.outcome, place, identity))
        };
        Ok(games.into_iter().enumerate().map(row).collect())
    }

    /// Games with different numbers are different within this path: the folder of a record, or the
    /// file.
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
            FileKind::Pgn if self.path.ends_with(PGN) => self.path.parent(),
            FileKind::ShogiArena => self.path.parent()?.parent(),
            _ => None,
        }
    }

    /// Whether `run`, a main file, contains the games of this file, where comparing games cannot
    /// show it: results without moves, or sums.
    fn is_covered_by(&self, run: &Self) -> bool {
        let Some(folder) = run.run_folder() else { return false };
        match (self.kind, run.kind) {
            (FileKind::Pgn, FileKind::Journal) => self.path == folder.join(PGN),
            (FileKind::Record, FileKind::Pgn) => self.path.starts_with(folder.join(CSA)),
            (FileKind::Pgn | FileKind::Record, FileKind::ShogiArena) => self.path.starts_with(folder),
            _ => false,
        }
    }
}

/// Removes files that are listed twice, under whatever paths, and files whose games are in a listed
/// main file, and counts both.
pub(super) fn leave_out_repeats(sources: &mut Vec<ResultFile>, seen: &mut SeenGames) {
    sources.retain(|source| seen.is_new_file(&source.path));
    let real: Vec<ResultFile> = sources.iter().map(ResultFile::at_real_path).collect();
    let runs: Vec<&ResultFile> = real.iter().filter(|source| source.run_folder().is_some()).collect();
    let before = sources.len();
    let mut covered = real.iter().map(|source| runs.iter().any(|run| source.is_covered_by(run)));
    sources.retain(|_| !covered.next().unwrap_or_default());
    seen.repeats.covered_files += (before - sources.len()) as u64;
}

impl FileKind {
    /// The kind by the name of the file; `None` if the name does not show it.
    fn of(path: &Path) -> Option<Self> {
        if path.ends_with(SHOGI_ARENA_RESULTS) {
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

/// Reads lines `player player wins losses [draws]`, seen from the first player. `#` begins a
/// comment; a line with zero games only adds the players.
fn plain(text: &str) -> Vec<Result<RawResult>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let row = |(number, line): (usize, &str)| {
        let place = format!("line {number}");
        let row = plain_line(line).with_context(|| place.clone())?;
        Ok(RawResult { place: Some(place), ..row })
    };
    (1..).zip(lines).filter(|(_, line)| !line.is_empty()).map(row).collect()
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
    number.ok_or_else(|| anyhow!("`{}` is not a number of games", excerpt(word)))
}

fn form(line: &str) -> anyhow::Error {
    anyhow!("`{}` is not of the form: player player wins losses [draws]", excerpt(line))
}

/// Where ShogiArena, the tournament platform for USI engines, writes results in the folder of a
/// run.
const SHOGI_ARENA_RESULTS: &str = "results/tournament_results.json";

#[derive(Deserialize)]
struct ShogiArenaResults {
    /// For each pairing the wins of both players, as `NAME_wins`, and `draws`. The name of the
    /// pairing, `A_vs_B`, is ignored: names may hold `_vs_` themselves.
    pair_results: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The sums of ShogiArena for each pairing; they do not record colours. Games that failed are not
/// among them.
fn shogi_arena_rows(text: &str) -> Result<Vec<Result<RawResult>>> {
    let tournament: ShogiArenaResults = serde_json::from_str(text)?;
    let row = |(name, counts): (&String, _)| shogi_arena_row(counts).with_context(|| format!("pair `{name}`"));
    Ok(tournament.pair_results.iter().map(row).collect())
}

fn shogi_arena_row(counts: &BTreeMap<String, u64>) -> Result<RawResult> {
    let mut players = Vec::new();
    let mut draws = 0;
    for (key, &count) in counts {
        match key.strip_suffix("_wins") {
            Some(name) => players.push((name, count)),
            None if key == "draws" => draws = count,
            None => bail!("`{key}` is neither a player's wins nor draws"),
        }
    }
    let [(first, wins), (second, losses)] = players.as_slice() else {
        bail!("it has {} players", players.len());
    };
    let counts = [*wins, *losses, draws].map(|count| count as f64);
    Ok(RawResult::sums(first, second, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_found_whatever_their_names_hold() {
        let text = r#"{"pair_results":{"a_vs_b_vs_c":{"a_vs_b_wins":9,"c_wins":2,"draws":1}},"total_games":12}"#;
        let rows: Vec<RawResult> = shogi_arena_rows(text).unwrap().into_iter().collect::<Result<_>>().unwrap();
        assert_eq!((rows[0].first.as_str(), rows[0].second.as_str()), ("a_vs_b", "c"));
        assert_eq!(rows[0].counts, Some([9.0, 2.0, 1.0]));
    }

    #[test]
    fn a_file_of_another_form_is_named() {
        let rows = |text| shogi_arena_rows(text).and_then(|rows| rows.into_iter().collect::<Result<Vec<_>>>());
        let error = |text| format!("{:#}", rows(text).unwrap_err());
        assert!(error("{}").contains("missing field `pair_results`"));
        assert_eq!(error(r#"{"pair_results":{"x":{"a_wins":1}}}"#), "pair `x`: it has 1 players");
        assert_eq!(error(r#"{"pair_results":{"x":{"a":1}}}"#), "pair `x`: `a` is neither a player's wins nor draws");
    }
}
