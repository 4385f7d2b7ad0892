//! `kiki-lab player`: what do the games of a player say about the player?
//!
//! [`kiki_analysis`] searches the player's games with an engine. All that follows is counting.
//!
//! | module | what |
//! |---|---|
//! | [`command`] | the arguments and the run |
//! | `found` | the player's games in records |
//! | [`names`] | which names are the player's, and which are similar |
//! | [`words`] | texts in two languages |
//! | [`moves`] | judged moves of the player and of opponents, and their circumstances |
//! | [`reason_class`] | kinds of reasons for which moves are bad |
//! | [`groups`] | means by opening, phase, colour, time and more |
//! | [`findings`] | strengths, weaknesses and costly moves |
//! | [`subjects`] | what to study first |
//! | [`progress`] | the play month by month |
//! | [`rating`] | the rating by moves |
//! | [`quiz`] | the positions to study |
//! | [`report`] | all of it; docs/player.md documents its keys |
//! | `terminal`, `page` | the report for a terminal and for a browser |

pub mod command;
pub mod findings;
mod found;
pub mod groups;
pub mod moves;
pub mod names;
mod page;
pub mod progress;
pub mod quiz;
pub mod rating;
pub mod reason_class;
pub mod report;
pub mod subjects;
mod terminal;
pub mod words;

/// Confidence level of the intervals.
pub const LEVEL: f64 = 0.95;
