//! One result as a file gives it, before players are renamed and repeated games are left out.

use std::fmt;

use kiki_record::GameOutcome;

use super::identity::GameIdentity;

/// One result as a file gives it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RawResult {
    pub(super) first: String,
    pub(super) second: String,
    /// Wins, losses and draws of the first; none for a game without a result.
    pub(super) counts: Option<[f64; 3]>,
    pub(super) colors_known: bool,
    /// Where it stands in its file, if more than one result may stand there.
    pub(super) place: Option<RowPlace>,
    pub(super) identity: GameIdentity,
}

/// The place of a result in its file, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RowPlace {
    Line(usize),
    Game(usize),
}

impl fmt::Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Game(number) => write!(f, "game {number}"),
        }
    }
}

impl RawResult {
    /// The sums of several games: wins, losses and draws of the first player.
    pub(super) fn sums(first: &str, second: &str, counts: [f64; 3]) -> Self {
        let (first, second, identity) = (first.to_owned(), second.to_owned(), GameIdentity::None);
        Self { first, second, counts: Some(counts), colors_known: false, place: None, identity }
    }

    /// One game. Without an outcome it has no counts.
    pub(super) fn game(
        black: String,
        white: String,
        outcome: GameOutcome,
        place: Option<RowPlace>,
        identity: GameIdentity,
    ) -> Self {
        let counts = match outcome {
            GameOutcome::BlackWins => Some([1.0, 0.0, 0.0]),
            GameOutcome::WhiteWins => Some([0.0, 1.0, 0.0]),
            GameOutcome::Draw => Some([0.0, 0.0, 1.0]),
            GameOutcome::Unknown => None,
        };
        Self { first: black, second: white, counts, colors_known: true, place, identity }
    }
}
