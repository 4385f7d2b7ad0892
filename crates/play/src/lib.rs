//! Games between USI engines.
//!
//! | module | what |
//! |---|---|
//! | [`clock`] | what limits the thinking of an engine, and its clock during a game |
//! | [`openings`] | the positions that games start from |
//! | [`rules`] | what ends a game beyond the rules of shogi: length, scores, declarations |
//! | [`player`] | one engine of a game: its settings, its process, its log; started again after a failure |
//! | [`referee`] | one game under the rules, on a board of its own |
//! | [`game`] | a game that was played, as one line of a journal |
//! | [`pool`] | a list of games, and the worker threads that play it |
//! | [`affinity`] | own CPUs for simultaneous games |
//!
//! The types of [`kiki_record`] say how a game ends: [`kiki_record::GameOutcome`] and
//! [`kiki_record::EndReason`].
//!
//! A caller makes a [`pool::WorkerPool`] of engines. It hands the pool a task that takes games from
//! a [`pool::WorkQueue`] and plays them on a [`pool::GameWorker`], and gets the results one by one.
//! The caller decides which games there are, what becomes of the results, and what is printed.

pub mod affinity;
pub mod clock;
mod error;
pub mod game;
pub mod openings;
pub mod player;
pub mod pool;
pub mod referee;
pub mod rules;

pub use error::PlayError;
