//! Which numbers win? Tuning by self-play, by the results of games, and what the numbers of the
//! formula mean: `kiki-lab spsa`, `fit`, `distances`, `formula` and `quality`.
//!
//! New and resumed tunings work alike. Each pair of games goes into the journal and then into the
//! SPSA iteration, the source of all output. docs/tuning.md and docs/formula.md show results.
//!
//! | question | file |
//! |---|---|
//! | how does SPSA move numbers (Spall 1992)? | `spsa` |
//! | how is a tuning described, played and reported? | `settings`, `runner`, [`command`] |
//! | under which numbers are the results of games most likely? | [`fit`] |
//! | what is an effect near a king worth? | [`distances`] |
//! | what does the formula count in a position? | [`formula`] |
//! | how much do static values change along best play? | [`quality`] |

pub mod command;
pub mod distances;
pub mod fit;
pub mod formula;
pub mod quality;
mod runner;
mod settings;
mod spsa;
