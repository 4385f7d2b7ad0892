//! Why a move is bad, or good: sentences that searches have proved.
//!
//! An [`Explainer`] compares the played move with the best one, or says what a good move is for. It
//! looks for the first pattern that holds, from the most certain to the least: mates, pieces that are lost or were there to win,
//! threats of mate, promotions, threats that were not met, and effects near the king. Each pattern
//! is checked on the moves of a line, so every sentence has a line that shows it. If none holds,
//! the reason says so instead of guessing.
//!
//! | part | what it has |
//! |---|---|
//! | `explainer` | the searches, and the order of the patterns |
//! | `tactics` | what a line wins, and by which means |
//! | `sentence` | the reasons in two languages |

#![warn(missing_docs)]

mod explainer;
mod sentence;
mod tactics;

pub use explainer::{Effort, Explainer};
pub use sentence::{Reason, Recapture, Role, Theme, ToldReason};
