//! A game with its scores, and which of its positions are learned from.

use kiki_board::{Color, GameRepetition, Move, PackedSfen, PieceKind, Position, UnpackError, opponent};
use serde::{Deserialize, Serialize};

use crate::mix;
use crate::psv::TrainingRecord;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPlayEnding {
    /// A side was mated, or the search saw a forced mate.
    Mate {
        /// Who mates.
        winner: Color,
    },
    /// The value stayed beyond the limit.
    Adjudication {
        /// Whom it favoured.
        winner: Color,
    },
    /// The win of an entered king was declared.
    Declaration {
        /// By whom.
        winner: Color,
    },
    /// Perpetual check.
    PerpetualCheck {
        /// Who did not give it.
        winner: Color,
    },
    /// The position occurred for the fourth time.
    Repetition,
    /// The game reached the longest length.
    MaxPlies,
    /// Nobody noted how.
    Unknown {
        /// Who has won; `None` after a draw.
        winner: Option<Color>,
    },
}

impl SelfPlayEnding {
    /// Who has won; `None` after a draw.
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

    /// The ending that a repetition brings, if it brings one.
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
        let winner = match winner {
            0 => Some(Color::Black),
            1 => Some(Color::White),
            2 => None,
            _ => return None,
        };
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

/// Where the move of a ply came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlySource {
    /// From the opening, without a search; there is no score.
    Unsearched,
    /// Drawn among the good moves of a search; the score is that of the best.
    Drawn,
    /// The best of a search.
    Best,
}

/// A ply of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamePly {
    /// The move.
    pub mv: Move,
    /// Where it came from.
    pub source: PlySource,
    /// The score of the search, for the side to move, in centipawns; 0 without a search.
    pub score: i16,
}

/// A position and its ply in the game, from 1.
pub type PlacedSfen = (PackedSfen, u16);

/// Plies that follow each other from a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GamePart {
    /// The first position; `None`: the usual one.
    pub start: Option<PlacedSfen>,
    /// The plies.
    pub plies: Vec<GamePly>,
}

impl GamePart {
    /// The first position.
    ///
    /// # Errors
    /// If it is none.
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
    /// The parts in their order.
    pub parts: Vec<GamePart>,
    /// How it ended.
    pub ending: SelfPlayEnding,
}

/// Which plies are positions to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordRule {
    /// Those whose move is the best of a search, without noise: the side to move is not in check, the move neither captures nor promotes a
    /// pawn, and the score is an evaluation.
    Quiet,
    /// All whose move is the best of a search.
    All,
}

/// Greatest evaluation, in centipawns. Values beyond it come from repetitions with a better or a worse hand.
const LARGEST_SCORE: i16 = 25_000;

/// Whether a legal move captures or promotes a pawn.
#[must_use]
pub fn is_tactical(position: &Position, mv: Move) -> bool {
    position.is_capture(mv) || (mv.is_promotion() && position.cell(mv.from()).is_kind(PieceKind::Pawn))
}

impl RecordRule {
    /// The record of a ply; `None` if it is none to learn from.
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
    /// Number of plies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.plies.len()).sum()
    }

    /// Whether it has no plies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows each ply and the position before it.
    ///
    /// # Panics
    /// With debug assertions, if a move is illegal.
    ///
    /// # Errors
    /// If a first position is none.
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

    /// The positions to learn from.
    ///
    /// # Errors
    /// If a first position is none.
    pub fn records(&self, rule: RecordRule) -> Result<Vec<TrainingRecord>, UnpackError> {
        let mut records = Vec::new();
        self.replay(|position, ply| records.extend(rule.record(position, ply, self.ending)))?;
        Ok(records)
    }

    /// A number that games with the same searched moves after the same opening share, and hardly any others.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = None;
        // A game that is none has no plies to tell.
        let _ = self.replay(|position, ply| {
            if ply.source != PlySource::Unsearched {
                hash = Some(mix(hash.unwrap_or(position.key()) ^ u64::from(ply.mv.bits())));
            }
        });
        hash.unwrap_or(0)
    }
}
