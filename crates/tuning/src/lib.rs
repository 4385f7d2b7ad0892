//! Tuning: numbers of an engine found by self-play (SPSA).
//!
//! [`settings`] say what is tuned; pairs of games are played ([`game_pairs`]), each goes into the journal and from there into the SPSA
//! iteration, from which everything that is shown is computed. A tuning that is resumed takes the same way, with the journal first.
//! [`runner`] ties these together. [`announced`] asks an engine for the numbers that it offers, [`distances`] reads
//! what an effect near a king is worth out of what was found.

mod announced;
pub mod command;
pub mod decay;
mod distances;
pub mod distances_command;
pub mod fit;
pub mod formula;
mod formula_weights;
mod game_pairs;
mod picture;
pub mod quality;
mod report;
mod runner;
mod settings;
pub mod spsa;
