//! Games between USI engines.
//!
//! | module | what |
//! |---|---|
//! | [`engine_spec`] | which program to start, with which options and which time control |
//! | [`time_control`], [`clock`] | what limits the thinking of an engine, and its clock during a game |
//! | [`openings`] | the positions that games start from |
//! | [`rules`] | what ends a game beyond the rules of shogi: length, scores, declarations |
//! | [`player`] | one engine of a game: started when needed, asked for moves, and again after it failed |
//! | [`referee`] | one game under the rules, on a board of its own |
//! | [`game`] | a game that was played, as one line of a journal |
//! | [`game_log`] | files with every line between players and engines |
//! | [`affinity`] | CPUs of their own for games that are played at the same time |
//! | [`work_queue`], [`pool`] | a list of games, and the worker threads that play it |
//!
//! How a game ends is said in the words of [`kiki_record`]: [`kiki_record::GameOutcome`] and [`kiki_record::EndReason`].
//!
//! A caller makes a [`pool::WorkerPool`] of engines, hands it a task that takes games from a [`work_queue::WorkQueue`] and plays them on a
//! [`pool::GameWorker`], and gets the results one by one. Which games there are, what becomes of the results, and everything that is printed
//! is the caller's.

pub mod affinity;
pub mod clock;
pub mod engine_spec;
mod error;
pub mod game;
pub mod game_log;
pub mod openings;
pub mod player;
pub mod pool;
pub mod referee;
pub mod rules;
pub mod time_control;
pub mod work_queue;

pub use error::{PlayError, StartError};
