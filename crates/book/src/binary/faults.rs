//! The faults of a binary book and their places.

use kiki_board::UnpackError;

use super::layout::{HEADER_BYTES, RECORD_BYTES};

/// A fault in a binary book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("offset {offset}: {problem}")]
pub struct BinaryFault {
    /// The offset in bytes from the beginning of the file.
    pub offset: u64,
    /// The fault.
    pub problem: BinaryProblem,
}

/// The kinds of faults of a binary book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BinaryProblem {
    /// The file ends within its header.
    #[error("the file ends here, within the header of {HEADER_BYTES} bytes")]
    Header,
    /// The header claims more records than the file can have.
    #[error("the header tells {told} records of {RECORD_BYTES} bytes, and the file has room for {room}")]
    Records {
        /// Number of records in the header.
        told: u64,
        /// Number of records that fit into the file.
        room: u64,
    },
    /// Flags that may mean another size of moves.
    #[error("the flags {0:#x} are unknown")]
    Flags(u64),
    /// The file does not end with the end of a move.
    #[error("the last {0} bytes are no whole move")]
    Trailing(u64),
    /// The 32 bytes are not a position, or the position breaks a rule.
    #[error("no position: {0}")]
    Position(#[from] UnpackError),
    /// Records out of order: bisection would not find every position.
    #[error("the records are not sorted: this one comes before one that stands earlier")]
    Order,
    /// The same position at the same ply again.
    #[error("the record before has the same position")]
    SecondPosition,
    /// A position without moves.
    #[error("the position has no move")]
    NoMove,
    /// The moves of a record lie beyond the end of the file.
    #[error("{moves} moves at {place} behind the records are beyond the end of the file")]
    BeyondEnd {
        /// Number of moves.
        moves: u16,
        /// Their offset from the end of the records, in bytes.
        place: u64,
    },
    /// Sixteen bits that are not a move.
    #[error("the bits {0:#06x} are no move")]
    MoveBits(u16),
    /// A move that is not legal in its position.
    #[error("the move {mv} is illegal in the position {sfen}")]
    Illegal {
        /// The move.
        mv: String,
        /// The position.
        sfen: String,
    },
    /// The same move of the same position again.
    #[error("the move {0} stands twice under its position")]
    SecondMove(String),
    /// A value beyond every mate.
    #[error("the value {0} is beyond {max}", max = crate::GREATEST_VALUE)]
    Value(i32),
}

impl BinaryProblem {
    /// Whether readers drop a position or a move because of it.
    pub const fn leaves_out(&self) -> bool {
        matches!(self, Self::Position(_) | Self::BeyondEnd { .. } | Self::MoveBits(_) | Self::Illegal { .. })
    }
}
