//! Whether two records are of the same game.
//!
//! Players, moves and result are not enough: engines that always play the same repeat whole games.
//! So the start time decides, to the second, which is the precision of CSA files. The numbers of
//! games decide where several games of one journal, or of one folder of numbered CSA files, began
//! in the same second. The times of the moves decide between records without a time of day. A
//! record with neither never counts as a copy.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use kiki_record::GameOutcome;

/// What identifies the game of a record. Texts and moves are kept as hashes: a million games take
/// some megabytes, and the chance of a collision is below 1e-7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GameIdentity {
    /// Sums of games, or results without moves and start: nothing to compare.
    None,
    /// A game whose start is not known.
    Moves(u64),
    /// A game, and its number where games are numbered.
    Game { key: u64, number: Option<u64> },
}

/// The facts of a record from which its identity is computed.
pub(super) struct IdentityFacts<'a> {
    pub(super) players: [&'a str; 2],
    pub(super) outcome: GameOutcome,
    /// `startpos`, `sfen ..`, or the fields of an SFEN.
    pub(super) root: &'a str,
    pub(super) moves: MovesHash,
    /// The start time in any usual form.
    pub(super) started: &'a str,
    /// A hash of the times of the moves, if the record has them.
    pub(super) times: Option<u64>,
    pub(super) number: Option<u64>,
}

impl IdentityFacts<'_> {
    pub(super) fn identity(&self) -> GameIdentity {
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
pub(super) struct MovesHash {
    hash: u64,
    count: usize,
}

impl MovesHash {
    /// The hash of moves in USI notation.
    pub(super) fn of(moves: impl IntoIterator<Item = impl std::fmt::Display>) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut count = 0;
        for mv in moves {
            mv.to_string().hash(&mut hasher);
            count += 1;
        }
        Self { hash: hasher.finish(), count }
    }
}

/// The games that have been counted. Records come in groups, such as a journal or a folder of CSA
/// files: within a group games with different numbers are different games, and between groups it is
/// the group with most games that counts.
#[derive(Debug, Default)]
pub(super) struct SeenGames {
    /// Number of counted games of each key.
    counted: HashMap<u64, usize>,
    /// The numbers of the games of a key in a group.
    numbers: HashMap<(usize, u64), HashSet<Option<u64>>>,
    /// The moves of games whose start is not known.
    moves: HashSet<u64>,
    /// Records of games that count already.
    pub(super) repeated: u64,
    /// Games that count although they repeat the moves of another, as neither records when it was
    /// played.
    pub(super) alike: u64,
}

impl SeenGames {
    /// Whether a record of a group is to be counted.
    pub(super) fn counts(&mut self, group: usize, identity: GameIdentity) -> bool {
        match identity {
            GameIdentity::None => {}
            GameIdentity::Moves(moves) => self.alike += u64::from(!self.moves.insert(moves)),
            GameIdentity::Game { key, number } => {
                let here = self.numbers.entry((group, key)).or_default();
                let counted = self.counted.entry(key).or_default();
                if !here.insert(number) || here.len() <= *counted {
                    self.repeated += 1;
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
        assert_eq!((seen.repeated, seen.alike), (5, 0));
    }
}
