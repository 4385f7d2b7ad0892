//! The folders with journals, one layout for each kind of run: the names of their files, in one place, as no folder may hold two kinds.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::files::{read_lines, read_openings};

/// The name of the journal of a contest.
pub const JOURNAL: &str = "games.jsonl";

/// What a folder holds, and the names of its files.
#[derive(Clone, Copy, Debug)]
pub struct JournalLayout {
    /// `match` or `tuning`, for messages.
    pub what: &'static str,
    /// The words of the command that goes on with it.
    pub command: &'static [&'static str],
    /// The file of the settings.
    pub settings: &'static str,
    /// The file of the journal.
    pub journal: &'static str,
    /// The list that the work goes through, a line for each piece of it, and how its lines are read.
    pub list: &'static str,
    /// How the lines of the list are read.
    pub read_list: fn(&Path) -> Result<Vec<String>>,
}

impl JournalLayout {
    /// All layouts.
    const ALL: [Self; 8] = [CONTEST, TUNING, STUDY, ANALYSIS, MAKING, JUDGING, SAMPLE, CALIBRATION];

    /// Whether a folder holds such a journal with its settings.
    pub fn is_in(&self, folder: &Path) -> bool {
        [self.settings, self.journal].iter().all(|file| folder.join(file).is_file())
    }

    /// The kind of run that a folder holds.
    pub fn of(folder: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.is_in(folder))
    }

    /// Checks that no run of another kind was begun in a folder. Several kinds have lists of the same name, and the games of an analysis stand
    /// in a file named as the journal of a match: to begin there would overwrite them.
    ///
    /// # Errors
    /// Names what the folder holds.
    pub fn check_no_other_kind(&self, folder: &Path) -> Result<()> {
        for other in Self::ALL.iter().filter(|other| other.settings != self.settings) {
            let holds_it = folder.join(other.settings).exists();
            ensure!(!holds_it, "{} holds {} already: name another folder", folder.display(), other.with_article());
        }
        Ok(())
    }

    /// What a folder holds, in a sentence.
    pub fn with_article(&self) -> String {
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
    command: &["match"],
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
/// | `parameters.toml` | what was found, in the form in which parameters are given |
/// | `parameters.svg` | how it was found |
pub const TUNING: JournalLayout =
    JournalLayout { what: "tuning", command: &["spsa"], settings: "tuning.json", journal: "updates.jsonl", ..CONTEST };

/// The folder of an ablation study:
///
/// | file | what |
/// |---|---|
/// | `ablation.json` | the settings, the list of ablations with them |
/// | `openings.sfen` | the openings in the order in which they are played |
/// | `nodes.jsonl` | the journal: one line for each engine whose nodes were counted |
/// | `NAME/` | the match without a step, as `kiki-lab match` writes it |
/// | `elo.svg`, `nodes.svg` | pictures, written at the end |
pub const STUDY: JournalLayout = JournalLayout {
    what: "ablation study",
    command: &["ablation"],
    settings: "ablation.json",
    journal: "nodes.jsonl",
    ..CONTEST
};

/// The folder of an analysis:
///
/// | file | what |
/// |---|---|
/// | `analysis.json` | the settings |
/// | `games.jsonl` | the games, one a line |
/// | `searches.jsonl` | the journal: one line for each search |
/// | `NAME.json`, `NAME.html` | what was found about a game, written at the end |
pub const ANALYSIS: JournalLayout = JournalLayout {
    what: "analysis",
    command: &["analyze"],
    settings: "analysis.json",
    journal: "searches.jsonl",
    list: "games.jsonl",
    read_list: read_lines,
};

/// The folder of a book that is made by searches:
///
/// | file | what |
/// |---|---|
/// | `book.json` | the settings |
/// | `start.txt` | what the book begins with |
/// | `searches.jsonl` | the journal: one line for each search |
pub const MAKING: JournalLayout = JournalLayout {
    what: "book",
    command: &["book", "make"],
    settings: "book.json",
    journal: "searches.jsonl",
    list: "start.txt",
    read_list: read_lines,
};

/// The folder of judged positions:
///
/// | file | what |
/// |---|---|
/// | `judging.json` | the settings |
/// | `turns.tsv` | the positions: SFEN, number of the game, player, move played, why it is not judged |
/// | `values.jsonl` | the journal: one line for each position that was judged |
pub const JUDGING: JournalLayout = JournalLayout {
    what: "judging",
    command: &["intrinsic", "judge"],
    settings: "judging.json",
    journal: "values.jsonl",
    list: "turns.tsv",
    read_list: read_lines,
};

/// The folder of a sample:
///
/// | file | what |
/// |---|---|
/// | `sample.json` | the settings |
/// | `positions.tsv` | the positions: SFEN, number of the game, which part of it had been played |
/// | `values.jsonl` | the journal: one line for each position that was searched |
pub const SAMPLE: JournalLayout = JournalLayout {
    what: "sample",
    command: &["sigma", "sample"],
    settings: "sample.json",
    journal: "values.jsonl",
    list: "positions.tsv",
    read_list: read_lines,
};

/// The folder of a calibration:
///
/// | file | what |
/// |---|---|
/// | `calibration.json` | the settings |
/// | `positions.sfen` | the positions |
/// | `answers.jsonl` | the journal: one line for each position that was searched |
pub const CALIBRATION: JournalLayout = JournalLayout {
    what: "calibration",
    command: &["council", "calibrate"],
    settings: "calibration.json",
    journal: "answers.jsonl",
    list: "positions.sfen",
    read_list: read_lines,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings tell which kind a folder holds, so no two kinds have them under one name.
    #[test]
    fn a_folder_holds_one_kind_only() {
        for layout in JournalLayout::ALL {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(layout.settings), "{}").unwrap();
            for other in JournalLayout::ALL {
                let is_free = other.check_no_other_kind(folder.path()).is_ok();
                assert_eq!(is_free, other.what == layout.what, "{} in {}", other.what, layout.what);
            }
        }
        assert_eq!([STUDY.with_article(), CONTEST.with_article()], ["an ablation study", "a match"]);
    }
}
