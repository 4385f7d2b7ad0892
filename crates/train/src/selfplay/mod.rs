//! Self-play in the process: games of one evaluator against itself, played for their records.
//!
//! A game follows from the settings and its number alone: on any thread and after any other games the same moves are played.
//! So an interrupted run can be resumed exactly, and seeds divide the work among machines.

pub mod command;
mod ending;
mod journal;
mod opening;
mod player;
mod root_search;
mod settings;

pub use ending::SelfPlayEnding;
pub use journal::{GameEntry, JournalError, ShardProgress};
pub use player::{SelfPlayGame, SelfPlayer};
pub use settings::{SelfPlayLimit, SelfPlaySettings, SettingsError};
