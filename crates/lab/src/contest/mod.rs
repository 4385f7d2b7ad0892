//! Contests of USI engines: matches, tournaments and sequential tests.
//!
//! Data flows one way: [`settings`] and openings make a [`schedule`]; the workers of [`kiki_play`] play its games ([`match_task`]); each game
//! goes into the journal and from there into the [`standings`], from which everything that is shown is computed. A contest that is resumed
//! takes the same way, with the games of the journal first. [`runner`] ties these together.

pub(crate) mod export;
mod match_task;
mod pictures;
mod progress;
pub(crate) mod runner;
pub(crate) mod schedule;
pub(crate) mod settings;
pub(crate) mod sprt_run;
pub(crate) mod standings;
