//! Records as a network sees them.

use kiki_board::opponent;
use kiki_eval::{FeatureSet, PiecePlacement};

use super::settings::TrainingSettings;
use crate::psv::{TrainingRecord, UnpackError};
use crate::shards::RecordBytes;

/// The features that are set, of one side.
pub(super) type ActiveFeatures = [u32; FeatureSet::ACTIVE];

/// Why records cannot be learned from.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TrainingError {
    /// A record is no position.
    #[error("record {number} of the batch: {error}")]
    Record {
        /// Counted from 0.
        number: usize,
        /// What is wrong.
        error: UnpackError,
    },
    /// No records at all.
    #[error("there are no records")]
    Empty,
}

/// A record: features of the side to move, those of the other, and what the network should say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Numbered by piece first, see [`piece_first`].
    pub(super) features: [ActiveFeatures; 2],
    /// The part of the points for the side to move.
    pub(super) target: f32,
    /// The result for the side to move: 1, 0, -1.
    pub(super) result: i8,
}

impl Sample {
    /// No record; a place for one.
    pub(super) const NONE: Self = Self { features: [[0; FeatureSet::ACTIVE]; 2], target: 0.5, result: 0 };

    /// # Errors
    /// Bytes that are no position.
    pub(super) fn new(bytes: &RecordBytes, settings: &TrainingSettings) -> Result<Self, UnpackError> {
        let record = TrainingRecord::from_bytes(bytes);
        let position = record.sfen.unpack()?;
        let set = settings.shape.features;
        let placement = PiecePlacement { cells: &position.cells, kings: position.kings, hands: position.hands };
        let side = position.side_to_move;
        let features = [side, opponent(side)]
            .map(|side| set.active(side, &placement).map(|feature| piece_first(set, feature as usize) as u32));
        let target = settings.target().points(record.score, record.result) as f32;
        Ok(Self { features, target, result: record.result.signum() })
    }
}

/// The number of a feature in training: all king squares of a piece follow each other, so that a piece's weights lie together. In files all
/// pieces of a king square do.
pub(super) fn piece_first(set: FeatureSet, feature: usize) -> usize {
    feature % FeatureSet::PIECES * set.king_squares() + feature / FeatureSet::PIECES
}
