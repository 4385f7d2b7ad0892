//! What is asked and what is said.

use std::collections::BTreeMap;

use kiki_play::player::PlayerSpec;
use serde::{Deserialize, Serialize};

/// Who is measured, and against whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CalibrationSettings {
    pub(crate) members: Vec<PlayerSpec>,
    /// The deep search. It has to know `searchmoves`.
    pub(crate) reference: PlayerSpec,
    /// Milliseconds to wait for an engine that no clock bounds.
    pub(crate) patience: u64,
    /// What could not be read of the sources of the positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// Values beyond this, in centipawns, and mates are taken to be this: the game is decided.
pub(super) const GREATEST_VALUE: i32 = 3000;

/// A move and its value in centipawns for the side to move, if it was told. `resign` and `win` (a declaration) have none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineOpinion {
    pub(crate) best: String,
    pub(crate) value: Option<i32>,
}

/// What stands for a move where an engine resigns.
pub(super) const RESIGN: &str = "resign";

/// What stands for a move where an engine declares that it has won.
pub(super) const WIN: &str = "win";

impl EngineOpinion {
    /// Whether it names a move.
    pub(super) fn is_move(&self) -> bool {
        self.best != RESIGN && self.best != WIN
    }
}

/// What was said about a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionAnswers {
    /// The place of the position in the list, from 0.
    pub(crate) position: usize,
    /// In the order of the members.
    pub(crate) members: Vec<EngineOpinion>,
    pub(crate) reference: EngineOpinion,
    /// The reference's value of every move that a member names and the reference does not.
    pub(crate) others: BTreeMap<String, Option<i32>>,
}
