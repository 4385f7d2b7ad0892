//! How good played moves were, by an engine's values, and records that say so.

mod annotate;
mod judgement;

pub use annotate::{Candidate, Found, annotate};
pub use judgement::{
    Judgement, Mark, SideSummary, Thresholds, Unjudged, ValueSource, judge, value_of_played, winning_probability,
};
