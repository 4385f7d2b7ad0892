//! How games end: outcomes and reasons, in the words that records, journals and the laboratory
//! share.

use kiki_board::{GameRepetition, Position};
use serde::{Deserialize, Serialize};
use shogi_core::Color;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// Who won. In JSON: `black`, `white` or `draw`. A game without a result has no JSON form. In text,
/// as in Kiki's CSA files: `black-wins`, `white-wins`, `draw`, `unknown`.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum GameOutcome {
    /// Black, the side that moves first except in handicap games.
    #[serde(rename = "black")]
    BlackWins,
    /// White.
    #[serde(rename = "white")]
    WhiteWins,
    /// Neither.
    #[serde(rename = "draw")]
    Draw,
    /// The game has no result, or the record does not give it.
    #[default]
    #[serde(skip)]
    Unknown,
}

impl GameOutcome {
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

    /// Black's points: 1, 1/2 or 0. `None` if the outcome is unknown.
    #[must_use]
    pub const fn points_of_black(self) -> Option<f64> {
        match self {
            Self::BlackWins => Some(1.0),
            Self::WhiteWins => Some(0.0),
            Self::Draw => Some(0.5),
            Self::Unknown => None,
        }
    }

    /// The outcome in one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// How the game or a variation of a record ended, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ending {
    /// Who won.
    pub outcome: GameOutcome,
    /// Why it ended. `None` if unknown.
    pub reason: Option<EndReason>,
    /// More about the end, for people.
    pub remark: String,
    /// The time spent before it, in milliseconds, as for a move.
    pub time_ms: Option<u64>,
}

impl Ending {
    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Everything except the time.
    pub(crate) fn result(&self) -> (GameOutcome, Option<EndReason>, &str) {
        (self.outcome, self.reason, &self.remark)
    }
}

/// How a game ended: who won, and why it was over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// Who won.
    pub outcome: GameOutcome,
    /// Why it was over.
    pub reason: EndReason,
}

impl GameEnd {
    /// A side's win.
    #[must_use]
    pub const fn win_of(side: Color, reason: EndReason) -> Self {
        Self { outcome: GameOutcome::win_of(side), reason }
    }

    /// A side's loss.
    #[must_use]
    pub fn loss_of(side: Color, reason: EndReason) -> Self {
        Self::win_of(side.flip(), reason)
    }

    /// A draw.
    #[must_use]
    pub const fn draw(reason: EndReason) -> Self {
        Self { outcome: GameOutcome::Draw, reason }
    }

    /// The result if the position ends the game by mate or repetition before its side moves; else
    /// `None`.
    ///
    /// ```
    /// use kiki_board::{Color, Position};
    /// use kiki_record::{EndReason, GameEnd};
    ///
    /// let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")?;
    /// assert_eq!(GameEnd::of_position(&mated), Some(GameEnd::win_of(Color::Black, EndReason::Checkmate)));
    /// assert_eq!(GameEnd::of_position(&Position::startpos()), None);
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    #[must_use]
    pub fn of_position(position: &Position) -> Option<Self> {
        let mover = position.side_to_move();
        if position.legal_moves().is_empty() {
            return Some(Self::loss_of(mover, EndReason::Checkmate));
        }
        match position.game_repetition() {
            GameRepetition::None => None,
            GameRepetition::Draw => Some(Self::draw(EndReason::Sennichite)),
            GameRepetition::SideToMoveLoses => Some(Self::loss_of(mover, EndReason::PerpetualCheck)),
            GameRepetition::SideToMoveWins => Some(Self::win_of(mover, EndReason::PerpetualCheck)),
        }
    }
}

/// Why a game ended. Only games between engines have [`EndReason::Hang`] to
/// [`EndReason::NotReady`], [`EndReason::ResignRule`] and [`EndReason::DrawRule`].
/// [`EndReason::general`] maps these to reasons that other programs know. In text, as in Kiki's CSA
/// files: `resignation`, `failed-declaration`, `max-plies`.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum EndReason {
    /// A side resigned.
    Resignation,
    /// A side was checkmated or had no legal move. Both lose.
    Checkmate,
    /// A side declared a win correctly with its king in the enemy camp. Under the 24-point rule
    /// this may be a draw.
    Declaration,
    /// A side declared a win without meeting the conditions, which loses.
    #[serde(rename = "false-declaration")]
    FailedDeclaration,
    /// A side made an illegal move.
    IllegalMove,
    /// A side's time ran out.
    Time,
    /// A side's program never answered.
    Hang,
    /// A side's program ended, or closed its output.
    Crash,
    /// A side's program did not get ready for the game.
    NotReady,
    /// A side did not play (不戦敗), crashed, hung up or broke the protocol. The record does not say
    /// which.
    Forfeit,
    /// A position occurred for the fourth time.
    Sennichite,
    /// A position occurred for the fourth time with perpetual check by one side, which loses.
    PerpetualCheck,
    /// Both kings entered the enemy camp; the game is drawn by count or agreement.
    Impasse,
    /// The game reached the move limit.
    MaxPlies,
    /// The loser's own scores were hopeless for long enough.
    ResignRule,
    /// Both sides' scores were near zero for long enough.
    DrawRule,
    /// An arbiter ended the game by an unknown rule.
    Adjudication,
    /// The game was broken off.
    Interrupted,
}

impl EndReason {
    /// All of them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The reason in one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The reason as one word in the JSON of `kiki-lab`, as serde writes it: [`EndReason::name`],
    /// except for `false-declaration`.
    #[must_use]
    pub fn json_name(self) -> &'static str {
        match self {
            Self::FailedDeclaration => "false-declaration",
            other => other.name(),
        }
    }

    /// The nearest reason that every program knows: a program failure is a forfeit, a score rule an
    /// adjudication.
    #[must_use]
    pub const fn general(self) -> Self {
        match self {
            Self::Hang | Self::Crash | Self::NotReady => Self::Forfeit,
            Self::ResignRule | Self::DrawRule => Self::Adjudication,
            other => other,
        }
    }

    /// Whether the loser's program ended, never answered or did not get ready, so that the game
    /// tells nothing about playing strength. Illegal moves and losses on time do not count.
    #[must_use]
    pub const fn is_process_fault(self) -> bool {
        matches!(self, Self::Hang | Self::Crash | Self::NotReady)
    }

    /// Whether the loser broke the rules for engines: its process failed, it declared wrongly,
    /// moved illegally or lost on time.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        self.is_process_fault() || matches!(self, Self::FailedDeclaration | Self::IllegalMove | Self::Time)
    }

    /// The outcome, by the rules, of a game that ended in this position for this reason.
    pub(crate) fn outcome(self, position: &Position) -> GameOutcome {
        let mover = position.side_to_move();
        match self.general() {
            Self::Resignation | Self::Checkmate | Self::FailedDeclaration | Self::IllegalMove | Self::Time => {
                GameOutcome::win_of(mover.flip())
            }
            Self::Declaration => GameOutcome::win_of(mover),
            Self::Sennichite | Self::Impasse | Self::MaxPlies => GameOutcome::Draw,
            Self::PerpetualCheck => perpetual_check(position),
            _ => GameOutcome::Unknown,
        }
    }
}

/// The outcome of a perpetual check on the board.
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
    fn json_names_are_those_that_serde_writes_and_reads() {
        for &reason in EndReason::ALL {
            let text = format!("\"{}\"", reason.json_name());
            assert_eq!(serde_json::to_string(&reason).unwrap(), text);
            assert_eq!(serde_json::from_str::<EndReason>(&text).unwrap(), reason);
        }
        for (outcome, text) in
            [(GameOutcome::BlackWins, "black"), (GameOutcome::WhiteWins, "white"), (GameOutcome::Draw, "draw")]
        {
            assert_eq!(serde_json::from_str::<GameOutcome>(&format!("\"{text}\"")).unwrap(), outcome);
        }
        assert!(serde_json::to_string(&GameOutcome::Unknown).is_err());
        assert!(serde_json::from_str::<GameOutcome>("\"unknown\"").is_err());
    }
}
