//! How games end.

use std::fmt;

use kiki_board::{GameRepetition, Position};
use shogi_core::Color;

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameOutcome {
    /// Black, the side that moves first but in handicap games.
    BlackWins,
    /// White.
    WhiteWins,
    /// Nobody.
    Draw,
    /// The game has no result, or the record does not tell it.
    #[default]
    Unknown,
}

impl GameOutcome {
    const ALL: [Self; 4] = [Self::BlackWins, Self::WhiteWins, Self::Draw, Self::Unknown];

    /// The win of a side.
    #[must_use]
    pub const fn win_of(side: Color) -> Self {
        match side {
            Color::Black => Self::BlackWins,
            Color::White => Self::WhiteWins,
        }
    }

    /// The side that won.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::BlackWins => Some(Color::Black),
            Self::WhiteWins => Some(Color::White),
            Self::Draw | Self::Unknown => None,
        }
    }

    /// The outcome in one word, which names it in records: `black-wins`, `white-wins`, `draw`, `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlackWins => "black-wins",
            Self::WhiteWins => "white-wins",
            Self::Draw => "draw",
            Self::Unknown => "unknown",
        }
    }

    /// The outcome of a [`GameOutcome::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

impl fmt::Display for GameOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EndReason {
    /// A side resigned.
    Resignation,
    /// A side was checkmated or had no legal move, which loses too.
    Checkmate,
    /// A side declared with its king in the enemy camp, rightly.
    Declaration,
    /// A side declared without the right to, which loses.
    FailedDeclaration,
    /// A side made an illegal move.
    IllegalMove,
    /// A side's time ran out.
    Time,
    /// A side crashed, hung up or broke the protocol.
    Forfeit,
    /// A position occurred for the fourth time.
    Sennichite,
    /// A position occurred for the fourth time by one side's checks, which loses.
    PerpetualCheck,
    /// Both kings entered and neither side can win: a draw by count or agreement.
    Impasse,
    /// The game grew too long.
    MaxPlies,
    /// An arbiter ended the game.
    Adjudication,
    /// The game was broken off.
    Interrupted,
}

impl EndReason {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Resignation,
        Self::Checkmate,
        Self::Declaration,
        Self::FailedDeclaration,
        Self::IllegalMove,
        Self::Time,
        Self::Forfeit,
        Self::Sennichite,
        Self::PerpetualCheck,
        Self::Impasse,
        Self::MaxPlies,
        Self::Adjudication,
        Self::Interrupted,
    ];

    /// The reason in one word, which names it in records: `resignation`, `failed-declaration`, `max-plies`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resignation => "resignation",
            Self::Checkmate => "checkmate",
            Self::Declaration => "declaration",
            Self::FailedDeclaration => "failed-declaration",
            Self::IllegalMove => "illegal-move",
            Self::Time => "time",
            Self::Forfeit => "forfeit",
            Self::Sennichite => "sennichite",
            Self::PerpetualCheck => "perpetual-check",
            Self::Impasse => "impasse",
            Self::MaxPlies => "max-plies",
            Self::Adjudication => "adjudication",
            Self::Interrupted => "interrupted",
        }
    }

    /// The reason of a [`EndReason::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// What the rules say about a game that ended in this position for this reason, if they say it.
    pub(crate) fn outcome(self, position: &Position) -> GameOutcome {
        let mover = position.side_to_move();
        match self {
            Self::Resignation | Self::Checkmate | Self::FailedDeclaration | Self::IllegalMove | Self::Time => {
                GameOutcome::win_of(mover.flip())
            }
            Self::Declaration => GameOutcome::win_of(mover),
            Self::Sennichite | Self::Impasse | Self::MaxPlies => GameOutcome::Draw,
            Self::PerpetualCheck => perpetual_check(position),
            Self::Forfeit | Self::Adjudication | Self::Interrupted => GameOutcome::Unknown,
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The outcome of a perpetual check that the board shows.
pub(crate) fn perpetual_check(position: &Position) -> GameOutcome {
    let mover = position.side_to_move();
    match position.game_repetition() {
        GameRepetition::SideToMoveLoses => GameOutcome::win_of(mover.flip()),
        GameRepetition::SideToMoveWins => GameOutcome::win_of(mover),
        GameRepetition::None | GameRepetition::Draw => GameOutcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for reason in EndReason::ALL {
            assert_eq!(EndReason::from_name(reason.name()), Some(reason));
        }
        for outcome in GameOutcome::ALL {
            assert_eq!(GameOutcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(EndReason::from_name("Time"), None);
    }
}
