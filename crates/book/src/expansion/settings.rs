//! Where a book grows.

use serde::{Deserialize, Serialize};

/// Where a book grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpansionSettings {
    /// What each ply costs beside the loss of its move, in centipawns: less makes long lines, more makes many moves.
    pub ply_cost: u32,
    /// Positions with a greater value for either side are not searched, in centipawns.
    pub value_limit: u32,
    /// Positions at later plies are not searched.
    pub last_ply: u32,
}
