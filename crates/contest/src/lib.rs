//! Contests of USI engines: matches, tournaments and sequential tests.
//!
//! Data flows one way: [`settings`] and openings make a [`schedule`]; the workers of [`kiki_play`] play its games ([`match_task`]); each game
//! goes into the journal and from there into the [`standings`], from which everything that is shown is computed. A contest that is resumed
//! takes the same way, with the games of the journal first. [`runner`] ties these together.

pub mod ablation;
pub mod engine_words;
pub mod estimates;
pub mod export;
mod match_report;
mod match_task;
pub mod matches;
mod pictures;
mod progress;
mod rule_text;
pub mod run_args;
mod runner;
mod schedule;
pub mod settings;
pub mod show;
pub mod sprt_options;
pub mod sprt_run;
pub mod standings;
pub mod tournament_file;
