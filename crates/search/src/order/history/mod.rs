//! What the search learns about moves and evaluations while it runs: storage in `storage` and `correction`, the policy of learning from a
//! cutoff in `update`.

mod correction;
mod counter;
mod piece_to;
mod searched_move;
mod storage;
mod update;

pub(crate) use correction::CorrectionKeys;
pub(crate) use piece_to::PieceTo;
pub(crate) use searched_move::SearchedMove;
pub(crate) use storage::Histories;
