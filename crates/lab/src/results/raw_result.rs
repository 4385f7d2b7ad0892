//! One result as a file gives it, before players are renamed and repeated games are left out.

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
    /// The line of the file, if the file has lines.
    pub(super) line: Option<usize>,
    pub(super) identity: GameIdentity,
}

impl RawResult {
    /// The sums of several games: wins, losses and draws of the first player.
    pub(super) fn sums(first: &str, second: &str, counts: [f64; 3]) -> Self {
        let (first, second, identity) = (first.to_owned(), second.to_owned(), GameIdentity::None);
        Self { first, second, counts: Some(counts), colors_known: false, line: None, identity }
    }

    /// One game. Without an outcome it has no counts.
    pub(super) fn game(
        black: String,
        white: String,
        outcome: GameOutcome,
        line: Option<usize>,
        identity: GameIdentity,
    ) -> Self {
        let counts = match outcome {
            GameOutcome::BlackWins => Some([1.0, 0.0, 0.0]),
            GameOutcome::WhiteWins => Some([0.0, 1.0, 0.0]),
            GameOutcome::Draw => Some([0.0, 0.0, 1.0]),
            GameOutcome::Unknown => None,
        };
        Self { first: black, second: white, counts, colors_known: true, line, identity }
    }
}
