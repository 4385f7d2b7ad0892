//! The folder of a run, such as a match or a tuning: its settings, a list, and an append-only
//! journal of finished work.
//!
//! Each kind of run has a layout, [`JournalLayout`], with the names of its files. No folder may
//! hold two kinds.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_platform::{MOST_SETTINGS, lock_file, open_regular_file, read_regular_text};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::{self, read_openings, write_atomically, write_json};

/// The folder of a run, with its settings and its list.
#[derive(Debug)]
pub struct Journal<S> {
    pub settings: S,
    /// One item a line.
    pub list: Vec<String>,
    folder: PathBuf,
    layout: JournalLayout,
    file: File,
    mode: JournalMode,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JournalMode {
    /// This process alone writes it.
    Write,
    /// Another process may be writing it.
    Read,
}

impl<S: Serialize> Journal<S> {
    /// Begins a run. Refuses a folder whose journal is not empty or in use, and one with another
    /// kind of run.
    pub fn begin(folder: &Path, layout: JournalLayout, settings: S, list: Vec<String>) -> Result<Self> {
        let place = || folder.display().to_string();
        fs::create_dir_all(folder).with_context(place)?;
        layout.check_no_other_kind(folder)?;
        let file = open(folder, layout)?;
        // A run that failed before its first game may begin again.
        ensure!(
            file.metadata().with_context(place)?.len() == 0,
            "{} holds {} already: go on with it by `kiki-lab resume`, or name another folder",
            place(),
            layout.with_article()
        );
        write_atomically(&folder.join(layout.list), (list.join("\n") + "\n").as_bytes())?;
        let journal = Self { settings, list, folder: folder.to_owned(), layout, file, mode: JournalMode::Write };
        // The settings come last: a folder with settings is complete.
        journal.write_settings()?;
        sync_folder(folder);
        Ok(journal)
    }

    /// Writes settings that have changed.
    pub fn write_settings(&self) -> Result<()> {
        write_json(&self.folder.join(self.layout.settings), &self.settings)
    }
}

impl<S: DeserializeOwned> Journal<S> {
    /// Opens the folder of an earlier process to continue it, unless another process works on it.
    pub fn resume(folder: &Path, layout: JournalLayout) -> Result<Self> {
        Self::of(folder, layout, JournalMode::Write)
    }

    /// Opens a folder for reading only, even while another process writes it.
    pub fn read(folder: &Path, layout: JournalLayout) -> Result<Self> {
        Self::of(folder, layout, JournalMode::Read)
    }

    fn of(folder: &Path, layout: JournalLayout, mode: JournalMode) -> Result<Self> {
        let path = folder.join(layout.settings);
        let text = read_regular_text(&path, MOST_SETTINGS).with_context(|| {
            format!("{} holds no {}: cannot read {}", folder.display(), layout.what, layout.settings)
        })?;
        let settings = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let list = (layout.read_list)(&folder.join(layout.list))?;
        let journal = folder.join(layout.journal);
        let file = match mode {
            JournalMode::Write => open(folder, layout)?,
            JournalMode::Read => open_regular_file(&journal).with_context(|| journal.display().to_string())?,
        };
        Ok(Self { settings, list, folder: folder.to_owned(), layout, file, mode })
    }
}

impl<S> Journal<S> {
    /// Whether another process writes it.
    pub fn is_busy(&self) -> bool {
        let busy =
            self.mode == JournalMode::Read && matches!(self.file.try_lock_shared(), Err(fs::TryLockError::WouldBlock));
        if self.mode == JournalMode::Read && !busy {
            // The next process that wants to write must not find it locked.
            let _ = self.file.unlock();
        }
        busy
    }

    /// The items of the list. Errors name file and line.
    pub fn items<T>(&self, read: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
        let list = self.folder.join(self.layout.list);
        let place = |index| format!("{}, line {}", list.display(), index + 1);
        self.list.iter().enumerate().map(|(index, line)| read(line).with_context(|| place(index))).collect()
    }

    /// Calls `each` with every line. Cuts off an incomplete last line, as left by a kill, unless
    /// the journal is only read. Errors name file and line.
    pub fn replay<T: DeserializeOwned>(&self, mut each: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.replay_lines(|number, line| each(line?).with_context(|| format!("line {number}")))
    }

    /// The same with the number of each line; `each` also gets the faults of unreadable lines.
    pub fn replay_lines<T: DeserializeOwned>(&self, each: impl FnMut(usize, Result<T>) -> Result<()>) -> Result<()> {
        let place = || self.folder.join(self.layout.journal).display().to_string();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0)).with_context(place)?;
        let whole = read_lines(BufReader::new(file), each).with_context(place)?;
        if self.mode == JournalMode::Read {
            return Ok(());
        }
        file.set_len(whole).with_context(place)?;
        file.seek(SeekFrom::End(0)).with_context(place)?;
        Ok(())
    }

    /// Appends a line. When this returns it is on the disk.
    pub fn append(&self, entry: &impl Serialize) -> Result<()> {
        let place = || self.folder.join(self.layout.journal).display().to_string();
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        (&self.file).write_all(line.as_bytes()).with_context(place)?;
        self.file.sync_data().with_context(place)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Calls `each` with the number and the value of every complete line, or its place and fault.
/// Returns the length of the complete lines in bytes.
pub fn read_lines<T: DeserializeOwned>(
    text: impl BufRead,
    each: impl FnMut(usize, Result<T>) -> Result<()>,
) -> Result<u64> {
    read_while(text, |line| line.ends_with(b"\n"), each)
}

/// The same for a file that nobody continues: its last line may lack the end of a line.
pub fn read_all_lines<T: DeserializeOwned>(
    text: impl BufRead,
    each: impl FnMut(usize, Result<T>) -> Result<()>,
) -> Result<()> {
    read_while(text, |line| !line.is_empty(), each).map(drop)
}

fn read_while<T: DeserializeOwned>(
    mut text: impl BufRead,
    goes_on: fn(&[u8]) -> bool,
    mut each: impl FnMut(usize, Result<T>) -> Result<()>,
) -> Result<u64> {
    let mut line = Vec::new();
    let mut whole = 0;
    for number in 1.. {
        line.clear();
        let length = text.read_until(b'\n', &mut line)?;
        if !goes_on(&line) {
            break;
        }
        let read = serde_json::from_slice(&line).map_err(|error| {
            // The parser sees this line alone. A fault of the whole line has no column.
            let column = if error.column() == 0 { String::new() } else { format!(", column {}", error.column()) };
            anyhow!("line {number}{column}: {}", without_place(&error))
        });
        each(number, read)?;
        whole += length as u64;
    }
    Ok(whole)
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

fn open(folder: &Path, layout: JournalLayout) -> Result<File> {
    let path = folder.join(layout.journal);
    let file = OpenOptions::new().create(true).read(true).append(true).open(&path);
    let file = file.with_context(|| path.display().to_string())?;
    ensure!(lock_file(&file), "another process works on the {} in {}", layout.what, folder.display());
    Ok(file)
}

/// Writes the folder's list of files to the disk. Systems that cannot open folders do not need it.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

pub const JOURNAL: &str = "games.jsonl";
/// The files that tell the folder of a training and that of `learn`. These have no journal.
pub const TRAINING: &str = "training.json";
pub const LEARNING: &str = "learn.json";

/// What a folder holds, and the names of its files.
#[derive(Clone, Copy, Debug)]
pub struct JournalLayout {
    /// `match` or `tuning`, for messages.
    pub what: &'static str,
    pub settings: &'static str,
    pub journal: &'static str,
    /// The file with the list of work, one item a line.
    pub list: &'static str,
    /// How the lines of the list are read.
    pub read_list: fn(&Path) -> Result<Vec<String>>,
}

impl JournalLayout {
    /// A layout whose list has an item on every line.
    const fn of_lines(what: &'static str, settings: &'static str, journal: &'static str, list: &'static str) -> Self {
        Self { what, settings, journal, list, read_list: files::read_lines }
    }

    const ALL: [Self; 9] = [CONTEST, TUNING, STUDY, ANALYSIS, PLAYER, MAKING, JUDGING, SAMPLE, CALIBRATION];

    /// Whether a folder holds such a journal with its settings.
    pub fn is_in(&self, folder: &Path) -> bool {
        [self.settings, self.journal].iter().all(|file| folder.join(file).is_file())
    }

    /// Refuses a folder that holds another kind of run, and names that kind. Kinds share names of
    /// files, so a new run would overwrite the old one's.
    pub fn check_no_other_kind(&self, folder: &Path) -> Result<()> {
        let others = Self::ALL.iter().filter(|other| other.settings != self.settings);
        let others = others.map(|other| (other.settings, other.with_article()));
        let without = [(TRAINING, "a training".to_owned()), (LEARNING, "a run of `learn`".to_owned())];
        for (file, what) in others.chain(without) {
            let holds_it = folder.join(file).exists();
            ensure!(!holds_it, "{} holds {what} already: name another folder", folder.display());
        }
        Ok(())
    }

    /// `what` with its article.
    fn with_article(&self) -> String {
        let article = if self.what.starts_with('a') { "an" } else { "a" };
        format!("{article} {}", self.what)
    }
}

/// The folder of a contest:
///
/// | file | what |
/// |---|---|
/// | `match.json` | the settings |
/// | `openings.sfen` | the openings in the order in which they are played |
/// | `games.jsonl` | the journal: one line a game, on the disk before the next one is counted |
/// | `csa/000001.csa` | the same game for other programs |
/// | `games.pgn` | results for rating programs, written at the end |
/// | `elo.svg`, `llr.svg` | pictures of a match of two engines, written at the end |
pub const CONTEST: JournalLayout = JournalLayout {
    what: "match",
    settings: "match.json",
    journal: JOURNAL,
    list: "openings.sfen",
    read_list: read_openings,
};

/// The folder of a tuning:
///
/// | file | what |
/// |---|---|
/// | `tuning.json` | the settings |
/// | `openings.sfen` | the openings in the order in which they are played |
/// | `updates.jsonl` | the journal: one line for each pair of games |
/// | `parameters.toml` | the result, in the form of a file of parameters |
/// | `parameters.svg` | how it was found |
pub const TUNING: JournalLayout =
    JournalLayout { what: "tuning", settings: "tuning.json", journal: "updates.jsonl", ..CONTEST };

/// The folder of an ablation study:
///
/// | file | what |
/// |---|---|
/// | `ablation.json` | the settings, the list of ablations with them |
/// | `openings.sfen` | the openings in the order in which they are played |
/// | `nodes.jsonl` | the journal: one line for each engine whose nodes were counted |
/// | `NAME/` | the match without a step, as `kiki-lab match` writes it |
/// | `elo.svg`, `nodes.svg` | pictures, written at the end |
pub const STUDY: JournalLayout =
    JournalLayout { what: "ablation study", settings: "ablation.json", journal: "nodes.jsonl", ..CONTEST };

/// The folder of an analysis:
///
/// | file | what |
/// |---|---|
/// | `analysis.json` | the settings |
/// | `games.jsonl` | the games, one a line |
/// | `searches.jsonl` | the journal: one line for each search |
/// | `NAME.json`, `NAME.html` | what was found about a game, written at the end |
pub const ANALYSIS: JournalLayout =
    JournalLayout::of_lines("analysis", "analysis.json", "searches.jsonl", "games.jsonl");

/// The folder of a player's page:
///
/// | file | what |
/// |---|---|
/// | `player.json` | the settings |
/// | `games.jsonl` | the player's games, one a line |
/// | `searches.jsonl` | the journal: one line for each search |
/// | `NAME.json`, `NAME.html` | what was found about the player, written at the end |
pub const PLAYER: JournalLayout = JournalLayout { what: "page of a player", settings: "player.json", ..ANALYSIS };

/// The folder of a book that is made by searches:
///
/// | file | what |
/// |---|---|
/// | `book.json` | the settings |
/// | `start.txt` | what the book begins with |
/// | `searches.jsonl` | the journal: one line for each search |
pub const MAKING: JournalLayout = JournalLayout::of_lines("book", "book.json", "searches.jsonl", "start.txt");

/// The folder of judged positions:
///
/// | file | what |
/// |---|---|
/// | `judging.json` | the settings |
/// | `turns.tsv` | the positions: SFEN, number of the game, player, move played, why it is not judged |
/// | `values.jsonl` | the journal: one line for each position that was judged |
pub const JUDGING: JournalLayout = JournalLayout::of_lines("judging", "judging.json", "values.jsonl", "turns.tsv");

/// The folder of a sample:
///
/// | file | what |
/// |---|---|
/// | `sample.json` | the settings |
/// | `positions.tsv` | the positions: SFEN, number of the game, which part of it had been played |
/// | `values.jsonl` | the journal: one line for each position that was searched |
pub const SAMPLE: JournalLayout = JournalLayout::of_lines("sample", "sample.json", "values.jsonl", "positions.tsv");

/// The folder of a calibration:
///
/// | file | what |
/// |---|---|
/// | `calibration.json` | the settings |
/// | `positions.sfen` | the positions |
/// | `answers.jsonl` | the journal: one line for each position that was searched |
pub const CALIBRATION: JournalLayout =
    JournalLayout::of_lines("calibration", "calibration.json", "answers.jsonl", "positions.sfen");

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Number {
        n: u32,
    }

    fn read(text: &str) -> Result<(Vec<u32>, u64)> {
        let mut numbers = Vec::new();
        let whole = read_lines(text.as_bytes(), |number, line: Result<Number>| {
            let Number { n } = line?;
            numbers.push(n);
            ensure!(n != 13, "line {number}: unlucky");
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

    /// The file of the settings shows the kind of a folder, so each kind has its own name for it.
    #[test]
    fn a_folder_holds_one_kind_only() {
        for layout in JournalLayout::ALL {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(layout.settings), "{}").unwrap();
            for other in JournalLayout::ALL {
                let is_free = other.check_no_other_kind(folder.path()).is_ok();
                assert_eq!(is_free, other.what == layout.what, "{} in {}", other.what, layout.what);
            }
        }
        for file in [TRAINING, LEARNING] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(file), "{}").unwrap();
            assert!(
                JournalLayout::ALL.iter().all(|layout| layout.check_no_other_kind(folder.path()).is_err()),
                "{file}"
            );
        }
        assert_eq!([STUDY.with_article(), CONTEST.with_article()], ["an ablation study", "a match"]);
    }
}
