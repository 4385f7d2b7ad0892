//! What a fit of the formula to results sees of a position: how often each of its terms is there, from the view of the side to move.
//!
//! A [`TermGroup`] is a group of columns. [`FORMULA`] has the terms of the formula, [`CANDIDATES`] others that might join it.

mod candidates;
mod formula;
mod view;

pub use candidates::CANDIDATES;
pub use formula::{EFFECT_DISTANCES, FORMULA, FormulaColumn};
pub use view::{TermCounts, TermGroup, TermView};
