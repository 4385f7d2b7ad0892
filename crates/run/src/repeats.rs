//! Games and files that are read more than once. A game that counts twice would make errors too
//! small.
//!
//! Players, moves and result are not enough: engines that always play the same repeat whole games.
//! So the start time decides, to the second, which is the precision of CSA files. The numbers of
//! games decide where several games of one journal, or of one folder of numbered CSA files, began
//! in the same second. The times of the moves decide between records without a time of day. A
//! record with neither never counts as a copy.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};

use kiki_record::{Game, GameOutcome};
use serde::Serialize;

use crate::output::print_warning;

/// How many games and files were read more than once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Repeats {
    /// Records of games that count already.
    pub games: u64,
    /// Files that were named already.
    pub files: u64,
    /// Files with games of a match or run whose main file is read as well.
    pub covered_files: u64,
    /// Games that repeat another move by move, and count because neither record has a time.
    pub alike: u64,
}

impl Repeats {
    /// One line for each kind that occurred.
    pub fn warnings(&self) -> Vec<String> {
        let kinds = [
            (self.games, "records of games that were read before, each of which counts once"),
            (self.files, "files that were named twice, each of which counts once"),
            (self.covered_files, "files left out, as the results of their run were read as well"),
            (self.alike, "games that repeat another move by move and tell no time of their own, which all count"),
        ];
        let occurred = kinds.into_iter().filter(|(number, _)| *number > 0);
        occurred.map(|(number, kind)| format!("warning: {kind}: {number}")).collect()
    }

    /// Prints them on standard error.
    pub fn warn(&self) {
        self.warnings().iter().for_each(|text| print_warning(text));
    }
}

/// What identifies the game of a record. Texts and moves are kept as hashes: a million games take
/// some megabytes, and the chance of a collision is below 1e-7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameIdentity {
    /// Sums of games, or results without moves and start: nothing to compare.
    None,
    /// A game whose start is not known.
    Moves(u64),
    /// A game, and its number where games are numbered.
    Game { key: u64, number: Option<u64> },
}

/// The facts of a record from which its identity is computed.
pub struct IdentityFacts<'a> {
    pub players: [&'a str; 2],
    pub outcome: GameOutcome,
    /// `startpos`, `sfen ..`, or the fields of an SFEN.
    pub root: &'a str,
    pub moves: MovesHash,
    /// The start time in any usual form.
    pub started: &'a str,
    /// A hash of the times of the moves, if the record has them.
    pub times: Option<u64>,
    pub number: Option<u64>,
}

impl GameIdentity {
    /// The identity of a record. `number` is the number of the game in its folder, if known.
    pub fn of_record(game: &Game, number: Option<u64>) -> Self {
        let times = game.moves.iter().any(|played| played.time_ms.is_some_and(|time| time > 0)).then(|| {
            let mut hasher = DefaultHasher::new();
            game.moves.iter().for_each(|played| played.time_ms.hash(&mut hasher));
            hasher.finish()
        });
        let facts = IdentityFacts {
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
}

/// The number of the game that a record holds alone: this laboratory names files by it. In a file
/// with several games it is the number of none.
pub fn number_of_record(path: &Path, games: usize) -> Option<u64> {
    path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).filter(|_| games == 1)
}

impl IdentityFacts<'_> {
    pub fn identity(&self) -> GameIdentity {
        let mut hasher = DefaultHasher::new();
        (self.players, self.outcome as u8, root(self.root), self.moves.hash).hash(&mut hasher);
        /// Year, month, day, hour and minute.
        const DIGITS_OF_A_MOMENT: usize = 12;
        // Fractions of seconds are left out, as CSA has none.
        let digits: String = self.started.chars().take(19).filter(char::is_ascii_digit).collect();
        if digits.len() >= DIGITS_OF_A_MOMENT {
            digits.hash(&mut hasher);
        } else if self.moves.count == 0 {
            return GameIdentity::None;
        } else if let Some(times) = self.times {
            (digits, times).hash(&mut hasher);
        } else {
            return GameIdentity::Moves(hasher.finish());
        }
        GameIdentity::Game { key: hasher.finish(), number: self.number }
    }
}

/// The position without the move number, which CSA does not have.
fn root(text: &str) -> String {
    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    let position = text.strip_prefix("sfen ").unwrap_or(text);
    if position.is_empty() || position == "startpos" {
        return START.to_owned();
    }
    position.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// A hash of the moves of a game, and their number.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MovesHash {
    hash: u64,
    count: usize,
}

impl MovesHash {
    /// The hash of moves in USI notation.
    pub fn of(moves: impl IntoIterator<Item = impl std::fmt::Display>) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut count = 0;
        for mv in moves {
            mv.to_string().hash(&mut hasher);
            count += 1;
        }
        Self { hash: hasher.finish(), count }
    }
}

/// The files and games that have been counted. Records come in groups, such as a journal or a
/// folder of CSA files: within a group games with different numbers are different games, and
/// between groups it is the group with most games that counts.
#[derive(Debug, Default)]
pub struct SeenGames {
    files: HashSet<PathBuf>,
    groups: HashMap<PathBuf, usize>,
    /// Number of counted games of each key.
    counted: HashMap<u64, usize>,
    /// The numbers of the games of a key in a group.
    numbers: HashMap<(usize, u64), HashSet<Option<u64>>>,
    /// The moves of games whose start is not known.
    moves: HashSet<u64>,
    pub repeats: Repeats,
}

impl SeenGames {
    /// Whether a file, or the folder of a match, was not named before, under whatever path.
    pub fn is_new_file(&mut self, path: &Path) -> bool {
        let is_new = self.files.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        self.repeats.files += u64::from(!is_new);
        is_new
    }

    /// The group of the records of a folder, or of a journal.
    pub fn group(&mut self, path: &Path) -> usize {
        let next = self.groups.len();
        *self.groups.entry(path.to_owned()).or_insert(next)
    }

    /// Whether a record of a group is to be counted.
    pub fn counts(&mut self, group: usize, identity: GameIdentity) -> bool {
        match identity {
            GameIdentity::None => {}
            GameIdentity::Moves(moves) => self.repeats.alike += u64::from(!self.moves.insert(moves)),
            GameIdentity::Game { key, number } => {
                let here = self.numbers.entry((group, key)).or_default();
                let counted = self.counted.entry(key).or_default();
                if !here.insert(number) || here.len() <= *counted {
                    self.repeats.games += 1;
                    return false;
                }
                *counted = here.len();
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known<'a>(root: &'a str, started: &'a str, times: Option<u64>) -> GameIdentity {
        let moves = MovesHash::of(["7g7f", "3c3d"]);
        IdentityFacts { players: ["a", "b"], outcome: GameOutcome::Draw, root, moves, started, times, number: None }
            .identity()
    }

    #[test]
    fn all_forms_of_one_moment_and_one_position_are_one_game() {
        let journal = known("startpos", "2026-11-21T12:00:07.123Z", Some(3));
        let csa = known("", "2026/11/21 12:00:07", None);
        assert_eq!(journal, csa);
        assert_ne!(journal, known("", "2026/11/21 12:00:08", None));
        let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 5";
        assert_eq!(journal, known(start, "2026-11-21T12:00:07Z", None));
        assert_ne!(journal, known("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", "2026-11-21T12:00:07Z", None));
    }

    #[test]
    fn a_day_is_no_moment() {
        assert!(matches!(known("", "2026/11/21", None), GameIdentity::Moves(_)));
        assert_eq!(known("", "2026/11/21", Some(7)), known("", "2026-11-21", Some(7)));
        assert_ne!(known("", "2026/11/21", Some(7)), known("", "2026/11/21", Some(8)));
    }

    /// An engine that does not get ready loses without a move.
    #[test]
    fn a_game_without_moves_is_known_by_its_start() {
        let moves = MovesHash::of([""; 0]);
        let identity = |started, number| {
            let players = ["a", "b"];
            IdentityFacts { players, outcome: GameOutcome::Draw, root: "", moves, started, times: None, number }
                .identity()
        };
        let journal = identity("2026-11-21T12:00:07.123Z", Some(1));
        assert_eq!(journal, identity("2026/11/21 12:00:07", Some(1)));
        assert_ne!(journal, identity("2026/11/21 12:00:08", Some(1)));
        assert_ne!(journal, identity("2026/11/21 12:00:07", Some(2)));
        assert_eq!([identity("2026/11/21", Some(1)), identity("", None)], [GameIdentity::None; 2]);
    }

    #[test]
    fn the_group_with_most_games_counts() {
        let game = |number| GameIdentity::Game { key: 1, number };
        let mut seen = SeenGames::default();
        // Two games of one second in a journal, three in another; copies without numbers in a third
        // group.
        let counted =
            [(0, Some(1)), (0, Some(3)), (0, Some(3)), (1, Some(1)), (1, Some(2)), (1, Some(3)), (2, None), (2, None)]
                .map(|(group, number)| seen.counts(group, game(number)));
        assert_eq!(counted, [true, true, false, false, false, true, false, false]);
        assert_eq!((seen.repeats.games, seen.repeats.alike), (5, 0));
    }
}
