//! A game with its scores, and which of its positions are learned from.

use kiki_board::{Color, GameRepetition, Move, PackedSfen, PieceKind, Position, UnpackError, mix, opponent};
use serde::{Deserialize, Serialize};

use crate::psv::TrainingRecord;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPlayEnding {
    /// A side was mated, or the search saw a forced mate.
    Mate { winner: Color },
    /// The value stayed beyond the limit.
    Adjudication { winner: Color },
    /// A win by declaration of an entered king.
    Declaration { winner: Color },
    PerpetualCheck {
        /// The side that did not give the checks.
        winner: Color,
    },
    /// The position occurred for the fourth time.
    Repetition,
    /// The game reached the maximum length.
    MaxPlies,
    /// The source does not say how.
    Unknown { winner: Option<Color> },
}

impl SelfPlayEnding {
    /// `None` after a draw.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Mate { winner }
            | Self::Adjudication { winner }
            | Self::Declaration { winner }
            | Self::PerpetualCheck { winner } => Some(winner),
            Self::Repetition | Self::MaxPlies => None,
            Self::Unknown { winner } => winner,
        }
    }

    /// The result for a side: 1, 0 or -1.
    #[must_use]
    pub fn result_for(self, side: Color) -> i8 {
        self.winner().map_or(0, |winner| if winner == side { 1 } else { -1 })
    }

    /// The ending by repetition, if there is one.
    #[must_use]
    pub fn of_repetition(repetition: GameRepetition, side_to_move: Color) -> Option<Self> {
        match repetition {
            GameRepetition::None => None,
            GameRepetition::Draw => Some(Self::Repetition),
            GameRepetition::SideToMoveWins => Some(Self::PerpetualCheck { winner: side_to_move }),
            GameRepetition::SideToMoveLoses => Some(Self::PerpetualCheck { winner: opponent(side_to_move) }),
        }
    }

    /// Ending and winner as numbers.
    pub(super) fn codes(self) -> (u32, u32) {
        let ending = match self {
            Self::Mate { .. } => 1,
            Self::Adjudication { .. } => 2,
            Self::Declaration { .. } => 3,
            Self::PerpetualCheck { .. } => 4,
            Self::Repetition => 5,
            Self::MaxPlies => 6,
            Self::Unknown { .. } => 7,
        };
        let winner = match self.winner() {
            Some(Color::Black) => 0,
            Some(Color::White) => 1,
            None => 2,
        };
        (ending, winner)
    }

    pub(super) fn of_codes(ending: u32, winner: u32) -> Option<Self> {
        let winner = *[Some(Color::Black), Some(Color::White), None].get(winner as usize)?;
        match (ending, winner) {
            (1, Some(winner)) => Some(Self::Mate { winner }),
            (2, Some(winner)) => Some(Self::Adjudication { winner }),
            (3, Some(winner)) => Some(Self::Declaration { winner }),
            (4, Some(winner)) => Some(Self::PerpetualCheck { winner }),
            (5, None) => Some(Self::Repetition),
            (6, None) => Some(Self::MaxPlies),
            (7, winner) => Some(Self::Unknown { winner }),
            _ => None,
        }
    }
}

/// Where the move of a ply came from. The numbers are codes of the file form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlySource {
    /// From the opening, without a search; there is no score.
    Unsearched = 0,
    /// Drawn among the good moves of a search; the score is that of the best.
    Drawn = 1,
    /// The best of a search.
    Best = 2,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamePly {
    pub mv: Move,
    pub source: PlySource,
    /// The score of the search, for the side to move, in centipawns; 0 without a search.
    pub score: i16,
}

/// A position and its ply in the game, from 1.
pub type PlacedSfen = (PackedSfen, u16);

/// Plies that follow each other from a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GamePart {
    /// The first position; `None` for the usual one.
    pub start: Option<PlacedSfen>,
    pub plies: Vec<GamePly>,
}

impl GamePart {
    /// The first position.
    pub fn position(&self) -> Result<Position, UnpackError> {
        match self.start {
            None => Ok(Position::startpos()),
            Some((sfen, ply)) => sfen.position(ply),
        }
    }
}

/// A game. Only games converted from records, which lack plies, have several parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingGame {
    pub parts: Vec<GamePart>,
    pub ending: SelfPlayEnding,
}

/// Which plies are positions to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordRule {
    /// Those whose move is the best of a search, without noise: the side to move is not in check,
    /// the move neither captures nor promotes a pawn, and the score is an evaluation.
    Quiet,
    /// All whose move is the best of a search.
    All,
}

/// Greatest evaluation, in centipawns. Values beyond it come from repetitions with a better or a
/// worse hand.
const LARGEST_SCORE: i16 = 25_000;

/// Whether a legal move captures or promotes a pawn.
#[must_use]
pub fn is_tactical(position: &Position, mv: Move) -> bool {
    position.is_capture(mv) || (mv.is_promotion() && position.cell(mv.from()).is_kind(PieceKind::Pawn))
}

impl RecordRule {
    /// The record of a ply; `None` if it is not to be learned from.
    #[must_use]
    pub fn record(self, position: &Position, ply: GamePly, ending: SelfPlayEnding) -> Option<TrainingRecord> {
        let noisy =
            || position.in_check() || is_tactical(position, ply.mv) || ply.score.unsigned_abs() > LARGEST_SCORE as u16;
        if ply.source != PlySource::Best || (self == Self::Quiet && noisy()) {
            return None;
        }
        TrainingRecord::new(position, ply.mv, ply.score, ending.result_for(position.side_to_move())).ok()
    }
}

impl TrainingGame {
    /// Calls `show` with each ply and the position before it. All moves must be legal.
    pub fn replay(&self, mut show: impl FnMut(&Position, GamePly)) -> Result<(), UnpackError> {
        for part in &self.parts {
            let mut position = part.position()?;
            for &ply in &part.plies {
                show(&position, ply);
                position.make(ply.mv);
            }
        }
        Ok(())
    }

    pub fn records(&self, rule: RecordRule) -> Result<Vec<TrainingRecord>, UnpackError> {
        let mut records = Vec::new();
        self.replay(|position, ply| records.extend(rule.record(position, ply, self.ending)))?;
        Ok(records)
    }

    /// A hash of the position after the opening and of the searched moves.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = None;
        // Plies before a part that cannot be read still count.
        let _ = self.replay(|position, ply| {
            if ply.source != PlySource::Unsearched {
                hash = Some(mix(hash.unwrap_or(position.key()) ^ u64::from(ply.mv.bits())));
            }
        });
        hash.unwrap_or(0)
    }
}
